"""Refusals and waits in the words of many servers, and what becomes of the request."""
# ruff: noqa: E501

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_here
from tests.support.endpoints import APIS, Api
from tests.support.moves import Fail
from tests.support.products import lm_studio, ollama, vllm
from tests.support.scripted_server import ScriptedServer
from tests.support.terminal import Chat
from text_agent.errors import ModelLoadingError
from text_agent.messages import CompletionRequest, Message
from text_agent.providers.endpoint import Endpoint
from text_agent.providers.failures import refused
from text_agent.providers.shape import RequestShape

ROLE = ["body", "messages", 0, "role"]
REQUEST = CompletionRequest("Be brief.", (Message("user", "Hello"),), 5000, ("\nstop",), 'root ::= "a"')
REFUSED_ROLES: dict[str, Any] = {
    "v2 literal": {
        "detail": [
            {
                "type": "literal_error",
                "loc": ROLE,
                "msg": "Input should be 'user' or 'assistant'",
                "input": "system",
                "ctx": {"expected": "'user' or 'assistant'"},
            }
        ]
    },
    "v2 enum": {
        "detail": [
            {"type": "enum", "loc": ROLE, "msg": "Input should be 'assistant' or 'user'", "input": "system"}
        ]
    },
    "v1": {
        "detail": [
            {
                "loc": ROLE,
                "msg": "value is not a valid enumeration member; permitted: 'user', 'assistant'",
                "type": "type_error.enum",
                "ctx": {"enum_values": ["user", "assistant"]},
            }
        ]
    },
    "v1 const": {
        "detail": [
            {
                "loc": ROLE,
                "msg": "unexpected value; permitted: 'user', 'assistant'",
                "type": "value_error.const",
                "ctx": {"given": "system", "permitted": ["user", "assistant"]},
            }
        ]
    },
    "pattern": {
        "detail": [
            {
                "type": "string_pattern_mismatch",
                "loc": ROLE,
                "msg": "String should match pattern '^(user|assistant)$'",
                "input": "system",
            }
        ]
    },
    "flat string": {
        "detail": "1 validation error for ChatRequest\nmessages.0.role\n  Input should be 'user' or 'assistant' [type=literal_error, input_value='system', input_type=str]"
    },
    "object repr": {
        "object": "error",
        "message": "[{'type': 'literal_error', 'loc': ('body', 'messages', 0, 'role'), 'msg': \"Input should be 'user' or 'assistant'\", 'input': 'system'}]",
        "code": 422,
    },
    "go oneof": {
        "error": "Key: 'ChatRequest.Messages[0].Role' Error:Field validation for 'Role' failed on the 'oneof' tag"
    },
    "serde": {
        "error": {
            "message": "Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `system`, expected `user` or `assistant` at line 1 column 99"
        }
    },
    "jsonschema": {"error": {"message": "'system' is not one of ['user', 'assistant'] - 'messages.0.role'"}},
    "ajv": {
        "errors": [
            {
                "instancePath": "/messages/0/role",
                "keyword": "enum",
                "params": {"allowedValues": ["user", "assistant"]},
                "message": "must be equal to one of the allowed values",
            }
        ]
    },
    "zod": {
        "error": {
            "issues": [
                {
                    "code": "invalid_enum_value",
                    "options": ["user", "assistant"],
                    "path": ["messages", 0, "role"],
                    "message": "Invalid enum value. Expected 'user' | 'assistant', received 'system'",
                }
            ]
        }
    },
    "value error": {
        "detail": [{"type": "value_error", "loc": ROLE, "msg": "Value error, role must be user or assistant"}]
    },
    "nest": {
        "error": {
            "message": '{"detail":[{"loc":["body","messages",0,"role"],"msg":"Input should be \'user\' or \'assistant\'"}]}',
            "type": "invalid_request_error",
        }
    },
    "union loc": {
        "detail": [
            {
                "type": "literal_error",
                "loc": ["body", "messages", 0, "UserMessage", "role"],
                "msg": "Input should be 'user'",
            },
            {
                "type": "literal_error",
                "loc": ["body", "messages", 0, "AssistantMessage", "role"],
                "msg": "Input should be 'assistant'",
            },
        ]
    },
    "discriminator": {
        "detail": [
            {
                "type": "union_tag_invalid",
                "loc": ["body", "messages", 0],
                "msg": "Input tag 'system' found using 'role' does not match any of the expected tags: 'user', 'assistant'",
                "ctx": {"discriminator": "'role'", "tag": "system", "expected_tags": "'user', 'assistant'"},
            }
        ]
    },
    "only": {"error": {"message": "Only 'user' and 'assistant' roles are supported"}},
    "param": {"error": {"message": "Invalid value", "param": "messages[0].role", "code": "invalid_value"}},
    "param2": {
        "error": {
            "message": "Invalid value: 'system'. Supported values are: 'user' and 'assistant'.",
            "param": "messages[0].role",
        }
    },
    "anth sys": {
        "detail": [
            {
                "type": "extra_forbidden",
                "loc": ["body", "system"],
                "msg": "Extra inputs are not permitted",
                "input": "...",
            }
        ]
    },
    "anth sys2": {
        "detail": [
            {
                "type": "extra_forbidden",
                "msg": "Extra inputs are not permitted",
                "loc": ["body", "system"],
                "input": "...",
            }
        ]
    },
}


@pytest.mark.parametrize("body", REFUSED_ROLES.values(), ids=REFUSED_ROLES)
@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize("turned", [False, True])
def test_a_refused_role_takes_the_system_prompt_alone(body: Any, status: int, *, turned: bool) -> None:
    def turn(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turn(value[key]) for key in reversed(value)}
        return [turn(item) for item in value] if isinstance(value, list) else value

    shape = RequestShape().after(status, json.dumps(turn(body) if turned else body), REQUEST)
    assert shape == RequestShape(has_system=False)


@pytest.mark.parametrize(
    "detail",
    [
        {"loc": ["body", "messages", 1, "role"], "msg": "Input should be 'system', 'user' or 'assistant'"},
        {"loc": ["body", "messages", 0, "content"], "msg": "Input should be a valid string"},
        {"loc": ["body", "frobnicate"], "msg": "Extra inputs are not permitted"},
    ],
)
def test_what_is_refused_beside_it_leaves_it(detail: dict[str, Any]) -> None:
    assert RequestShape().after(422, json.dumps({"detail": [detail]}), REQUEST) == RequestShape()


@pytest.mark.parametrize("api", APIS)
def test_the_system_prompt_goes_into_the_first_message(api: Api, project: Path) -> None:
    refusal = Fail(422, REFUSED_ROLES["v2 literal"])
    with ScriptedServer([refusal, "Fine."]) as server:
        url = server.openai_url if api == "openai" else server.anthropic_url
        done = run_here("--provider", api, "--base-url", url, "--model", "m", "-p", "hello", cwd=project)
        system, (first, *_) = server.requests[0].system, server.requests[1].messages
    assert done.stdout == "Fine.\n"
    assert first.content.startswith(system)
    assert server.requests[1].system == ""


LIMITS = ("max_tokens", "max_completion_tokens")
REFUSED_NAME = (
    "Unsupported parameter: '{0}'.",
    "Use '{1}' instead of '{0}'.",
    "Unrecognized request argument supplied: {0}",
    "{0}: Extra inputs are not permitted; {1} is none either",
)


@pytest.mark.parametrize("first", REFUSED_NAME)
@pytest.mark.parametrize("second", REFUSED_NAME)
def test_a_limit_refused_under_both_names_is_left_out(first: str, second: str) -> None:
    shape = RequestShape()
    for words, names in ((first, LIMITS), (second, LIMITS[::-1])):
        assert shape.limit_names[0] == names[0]
        shape = shape.after(400, json.dumps({"error": {"message": words.format(*names)}}), REQUEST)
    assert shape.limit_names == ("",)


LOADING: dict[str, tuple[int, Any]] = {
    "llama.cpp": (
        503,
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
    ),
    "Hugging Face": (503, {"error": "Model a/b is currently loading", "estimated_time": 20.0}),
    "LM Studio": (503, {"error": {"message": "Model is being loaded, please retry."}}),
    "TabbyAPI": (503, {"detail": "Model load in progress"}),
    "SGLang": (503, {"error": {"message": "The server is starting up"}}),
    "vLLM behind a gateway": (503, {"message": "Engine is initializing"}),
    "a gateway": (502, {"error": {"message": "upstream: model not ready"}}),
    "Triton": (503, {"error": "weights not yet loaded"}),
    "warming": (503, "warming up"),
}
WHERE = Endpoint("http://localhost:1/v1", "/chat/completions", "m", "KEY")


@pytest.mark.parametrize(("status", "body"), LOADING.values(), ids=LOADING)
def test_a_model_that_is_loading_is_waited_for(status: int, body: Any) -> None:
    assert type(refused(WHERE, status, json.dumps(body))) is ModelLoadingError


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (500, "llama runner process has terminated: error loading model: unknown architecture"),
        (503, "failed to load the model: loading broke off"),
        (503, "The server is under heavy load"),
        (503, "Overloaded"),
        (503, "Server is busy; please try again later."),
        (500, "internal error while loading"),
        (404, "model not loaded"),
    ],
)
def test_what_will_not_be_there_soon_is_not(status: int, said: str) -> None:
    assert type(refused(WHERE, status, json.dumps({"error": {"message": said}}))) is not ModelLoadingError


def test_ctrl_c_ends_the_wait_for_a_model(project: Path) -> None:
    loading = Fail(*LOADING["llama.cpp"])
    with ScriptedServer([loading] * 3, strict=False) as server, Chat(*server.flags(), cwd=project) as chat:
        chat.send("hello")
        chat.expect("is loading the model (503): Loading model. Trying again in")
        server.wait_for_requests(2)
        chat.interrupt()
        chat.expect("interrupted.")
        server.replace_script("Here.")
        chat.send("and now?")
        chat.expect("Here.")


def test_a_list_that_is_not_there_yet_is_waited_for_where_no_model_is_named(project: Path) -> None:
    with ScriptedServer(strict=False, models=Fail(*LOADING["llama.cpp"])) as server:
        flags = ("--provider", "openai", "--base-url", server.openai_url)
        with Chat(*flags, cwd=project) as chat:
            chat.expect("is loading the model")
            server.models = ["some-7b"]
            chat.expect("some-7b (openai)")


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("pages", "wrong", "near"),
    [
        (ollama(), "qwen2.5-coder:7", "qwen2.5-coder:7b"),
        (lm_studio(), "mistral-7b-instruct", "mistral-7b-instruct-v0.3"),
        (vllm(), "Qwen2.5-Coder-7B", "Qwen/Qwen2.5-Coder-7B-Instruct"),
    ],
)
def test_a_missing_model_names_those_that_chat(
    api: Api, pages: dict[str, Any], wrong: str, near: str, project: Path
) -> None:
    with ScriptedServer([Fail(404, f"model '{wrong}' not found")], pages=pages) as server:
        url = server.openai_url if api == "openai" else server.anthropic_url
        done = run_here("--provider", api, "--base-url", url, "--model", wrong, "-p", "hello", cwd=project)
    assert done.returncode == 1
    assert f"Did you mean {near}?" in done.stderr
    assert f"Choose one with --model: {near}" in done.stderr
    assert "embed" not in done.stderr


@pytest.mark.parametrize("api", APIS)
def test_a_turn_keeps_its_connection(api: Api, project: Path) -> None:
    (project / "a.txt").write_text("a\n")
    calls = [f'tool: read_file({{"path": "a.txt", "start_line": {n}}})' for n in (1, 1, 1)]
    with ScriptedServer([*calls, "Done."]) as server:
        url = server.openai_url if api == "openai" else server.anthropic_url
        run_here("--provider", api, "--base-url", url, "--model", "m", "-p", "Read a.txt.", cwd=project)
        assert (len(server.requests), server.connections) == (4, 1)
