"""How much of a turn's first prompt a server re-uses for the second one, over both APIs.

    python -m bench.prompt_cache http://127.0.0.1:8081

The URL is a server's that speaks both APIs, such as llama.cpp's, without a path. Exits with 1 if less than
nine tenths are re-used.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.support.endpoints import APIS, Api, ask
from text_agent.agent.conversation import Conversation
from text_agent.files.workspace import Workspace
from text_agent.messages import CompletionRequest
from text_agent.protocol.prompt import render_system_prompt
from text_agent.providers.transport import Patience
from text_agent.tools.registry import default_tools

MIN_REUSED = 0.9
RESULT = "tool_result(read_file #1 ok):\n" + "\n".join(f"{number}| note {number}" for number in range(60))


def reused(url: str, api: Api, system: str) -> float:
    """The part of the first prompt that the server had at hand for the second."""
    conversation = Conversation()
    conversation.add_user(f"Read notes.txt, please ({api}).")
    patience = Patience(idle_seconds=600)
    first = ask(url, api, CompletionRequest(system, conversation.wire(), 40), patience=patience)
    conversation.add_assistant(first.text)
    conversation.add_user(RESULT)
    second = ask(url, api, CompletionRequest(system, conversation.wire(), 40), patience=patience)
    print(f"{api}: {first.usage}, then {second.usage}")
    return (second.usage.cached_tokens or 0) / (first.usage.input_tokens or 1)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        system = render_system_prompt(default_tools(Workspace(Path(folder))).values())
    parts = [reused(sys.argv[1], api, system) for api in APIS]
    print(", ".join(f"{api} re-uses {part:.0%}" for api, part in zip(APIS, parts, strict=True)))
    return 0 if min(parts) >= MIN_REUSED else 1


if __name__ == "__main__":
    sys.exit(main())
