"""Strategies for texts that are full of what the protocol is made of."""

from __future__ import annotations

from hypothesis import strategies as st

_PIECES = [
    "tool: ", "tool:", "Tool: ", "read_file", "list_files", "write_file", "search", "({", "})", "(",
    ")", "{", "}", '"path"', ": ", ":", '"a.py"', ", ", '"', "'", "\\", '{"path": "a.py"}', "[", "]",
    "\n", "\n", "\n", "\r\n", "\r", " ", "  ", "\t", "- ", "1. ", "> ", "**", "`", "```", "```json",
    "~~~", "````", "<think>", "</think>", "<tool_call>", "</tool_call>",
    '{"name": "read_file", "arguments": {"path": "a.py"}}', "[TOOL_CALLS]", "[ARGS]", "[INST]", "</s>",
    "<s>", "<|im_start|>", "<|im_end|>", "user", "<|python_tag|>", "functools", "<function=read_file>",
    "</function>", "<parameter=path>", "</parameter>", "<function_calls>", '<invoke name="read_file">',
    "</invoke>", '<parameter name="path">', "<read_file>", "<path>", "</path>", "</read_file>",
    "<search>", "<pattern>", "</pattern>", "</search>", "Action: ", "Action Input: ", "Observation: ",
    "tool_result(", "tool_result(read_file #1 ok):", "<tool_response>", "<start_of_turn>", "quoted| ",
    "quoted|", "~", "<~", "<~/s>", "[~INST]", "For example:", "word", "12| ",
    "<\uff5ctool\u2581calls\u2581begin\uff5c>", "<|", "|>", "commentary to=functions.read_file",
    "<|message|>", 'read_file(path="a.py")', 'tool: read_file({"path": "a.py"})',
    'tool: write_file({"path": "a"})', "é", "\u2028", "\x00", "\ud800",
]  # fmt: skip

hostile_text = st.lists(st.sampled_from(_PIECES) | st.text(max_size=3), max_size=25).map("".join)
