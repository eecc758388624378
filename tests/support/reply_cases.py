"""The tables of replies with what they mean, and how the two are compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from text_agent.protocol.types import MalformedCall, ParsedReply, ToolCall

_CORPUS = Path(__file__).parent.parent / "corpus"

_TABLES = ("cases.jsonl", "replies.jsonl", "seed.jsonl")


@dataclass(frozen=True)
class ReplyCase:
    id: str
    reply: str
    calls: list[tuple[str, dict[str, Any]]]
    malformed: int


def load_cases() -> list[ReplyCase]:
    """Every case of every table of replies."""
    lines = [line for table in _TABLES for line in (_CORPUS / table).read_text("utf-8").splitlines()]
    return [_case(json.loads(line)) for line in lines]


def _case(record: dict[str, Any]) -> ReplyCase:
    calls = [(call["name"], given(call["args"])) for call in record["expect"]]
    return ReplyCase(record["id"], record["reply"], calls, record["malformed"])


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments without those that are null: for an optional argument that is the same as absent."""
    return {key: value for key, value in arguments.items() if value is not None}


def calls_of(reply: ParsedReply) -> list[tuple[str, dict[str, Any]]]:
    return [(call.name, given(call.arguments)) for call in reply.calls if isinstance(call, ToolCall)]


def malformed_of(reply: ParsedReply) -> list[MalformedCall]:
    return [call for call in reply.calls if isinstance(call, MalformedCall)]
