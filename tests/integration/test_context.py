"""The size of the context, and prompt caching, over both APIs."""

from __future__ import annotations

import pytest

from tests.support.endpoints import APIS, Api, provider
from tests.support.scripted_server import Fail, ScriptedServer

both = pytest.mark.parametrize("api", APIS)
LLAMA_CPP = {
    "/v1/models": {"data": [{"id": "scripted-model", "owned_by": "llamacpp"}]},
    "/props": {"default_generation_settings": {"n_ctx": 4096}},
}


@both
def test_the_size_is_asked_for_with_get_requests(api: Api) -> None:
    with ScriptedServer(pages=LLAMA_CPP, key="k" * 20) as server:
        speaker = provider(server, api, secret="k" * 20)
        assert speaker.context_tokens() == 4096
        speaker.close()
        assert [(each.method, each.path) for each in server.other_requests] == [
            ("GET", "/v1/models"),
            ("GET", "/props"),
        ]


@both
@pytest.mark.parametrize("models", [Fail(404), Fail(500), Fail(401)])
def test_a_failure_is_no_size(api: Api, models: Fail) -> None:
    with ScriptedServer(models=models) as server:
        speaker = provider(server, api)
        assert speaker.context_tokens() is None
        speaker.close()


@both
def test_an_endpoint_that_is_down_has_no_size(api: Api) -> None:
    speaker = provider("http://127.0.0.1:1", api)
    assert speaker.context_tokens() is None
    speaker.close()
