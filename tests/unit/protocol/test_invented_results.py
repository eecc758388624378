# ruff: noqa: E501, RUF001 - words and tokens of several languages
"""From a result that the model wrote itself on, nothing runs, in whatever dress it stands."""

from __future__ import annotations

import pytest

from tests.support.described_tools import SEVEN_TOOLS
from tests.support.reply_cases import calls_of
from text_agent.protocol.reading.parser import parse_reply

_FENCE = "```\n3 passed\n```"
DRESSES = [
    *(f"{label}\n{_FENCE}" for label in (
        "**Result:**", "Output:", "It printed:", "### Output", "## Test results", "After running the tests, I get:",
        "(simulated output)", "The output is:", "Result of the command:", "Exit code: 0", "stdout:", "Ausgabe:",
        "Résultat :", "Salida:", "输出：", "実行結果:", "결과:", "Çıktı:", "Вывод:", "Wyjście:", "Uitvoer:", "Kết quả:",
    )),
    *("Output: 3 passed", "\u2192 3 passed", "=> 3 passed", ">>> 3 passed", "> 3 passed", "3 passed in 0.1s"),
    *("#1 ok", "#1 run_command ok", "tool_result(run_command #1 ok):\n3 passed", "exit code 0\n3 passed"),
    *('{"status": "ok", "output": "3 passed"}', '["a.py", "b.py"]', '```json\n{"exit_code": 0}\n```', "status: ok"),
    *("```console\n$ pytest -q\n3 passed\n```", "```\nroot@box:~# pytest -q\n3 passed\n```", "$ pytest -q\n3 passed"),
    *("```\nPS C:\\x> pytest -q\n3 passed\n```", _FENCE, "```text\n3 passed\n```", "The tool returned:\n\n3 passed"),
    *(f"<{name}>\n3 passed\n</{name}>" for name in ("output", "result", "tool_output", "system", "pre", "stdout")),
    *("<function_results>\n3 passed\n</function_results>", "<details><summary>Output</summary>\n3 passed\n</details>"),
    *("User: 3 passed", "Human: it passes", "Tool: 3 passed", "### Tool\n3 passed", "Observation: 3 passed"),
    *("**Observation:** 3 passed", "[Tool result]\n3 passed", "[Result: 3 passed]", "Tool output: 3 passed"),
    *("| test | result |\n|---|---|\n| a | ok |", "<|im_start|>tool\n3 passed<|im_end|>"),
]  # fmt: skip
CALL = 'tool: run_command({"command": "pytest -q"})'
FORMS = [
    CALL,
    f"```\n{CALL}\n```",
    '<tool_call>\n{"name": "run_command", "arguments": {"command": "pytest -q"}}\n</tool_call>',
]
NEXT = 'tool: run_command({"command": "rm -rf build"})'


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dress", DRESSES)
def test_nothing_runs_behind_a_result_that_the_model_wrote(form: str, dress: str) -> None:
    reply = parse_reply(f"I run the tests.\n\n{form}\n\n{dress}\n\nAll pass.\n\n{NEXT}", SEVEN_TOOLS)
    assert calls_of(reply) == [("run_command", {"command": "pytest -q"})]
    assert reply.invented_at is not None


@pytest.mark.parametrize(
    "between",
    [
        "",
        "Then I remove the folder.",
        "Next:",
        "2 tests cover this, so that is safe.",
        "- first the tests\n- then the folder",
        "1. The folder goes.",
        "The function looks like this:\n```python\ndef f(): ...\n```",
        "**Step 2**",
        "### Cleaning up",
        "Tool calls are cheap, so one more:",
        "The folder is old.\n\nOne looks at it so:\n\n```console\n$ ls build\na.o\n```\n\nIt goes.",
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_what_a_model_says_between_two_calls_is_no_result(form: str, between: str) -> None:
    reply = parse_reply(f"{form}\n\n{between}\n\n{NEXT}", SEVEN_TOOLS)
    assert [arguments["command"] for _, arguments in calls_of(reply)] == ["pytest -q", "rm -rf build"]
