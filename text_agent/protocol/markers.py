# ruff: noqa: RUF001, E501 - a table, and the tokens of some models are made of such characters
"""The tokens and tags that mean something in a reply: one table for all who read, show or refuse them.

A marker is a row: what opens it, what closes it, and its lead, the beginning by which it is known. The parser
reads the openers and closers, the grammar refuses the leads in prose, the guard breaks the tokens of the examples in
foreign texts, the screen holds them back, and tests go over all rows. Adding a dialect's marker is adding a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["container", "element", "thinking", "channel", "result", "turn", "edit"]
_NEVER = "(?!)"

BAR = "[|｜\u2016]"
PREFIX = rf"(?:[\w-]{{1,20}}[:|]|{BAR}{{1,2}}DSML{BAR}{{1,2}})?"
"""What may stand between the angle and the name of a tag."""

GLUE = r"[\s\u0120]*+"
"""What stands between the words of a tag: a blank, the sign of a tokenizer for one, or nothing where it was lost."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A token or tag of a dialect, or a family of such."""

    # What it means: calls follow; a call or a part of one does; a draft, in a form of its own or in a
    # channel; a result or a turn that is not the model's to write; an edit in the notation of another
    # program, up to the closer, if it has one.
    kind: Kind
    examples: tuple[str, ...]  # texts that open it
    opener: str  # a regular expression; `(?!)` if only the closer means something
    closer: str = _NEVER  # the same for what closes it
    lead: tuple[str, ...] = ()  # what no line of prose may hold, in the notation of `grammar.automaton`
    at_start: bool = False  # whether it counts at the start of a line only


_WIDE = r"<[|\uff5c\u2016]"
_TOOL_TAG = r"(?i)</?(?:tool|func|invo|longc|start_|arg_)"
_PREFIXED = r"(?i)</?[a-z0-9_\-]+[:|][a-z_]"
_THINK_TAG = r"(?i)</?(?:think|thou|reaso|refl|anal|scrat|inner_|interna|chain_)"
_THINK_WORDS = (
    r"(?i:(?:[\w-]{1,20}:)?(?:think(?:ing)?(?:_process)?|thoughts?|reasoning|reflection|analysis|scratchpad"
    r"|inner_thoughts?|(?:inner|internal)_monologue|chain_of_thought))"
)

MARKERS: tuple[Marker, ...] = (
    # Hermes, Qwen, Granite, MiniMax, Anthropic, Jamba, Seed-OSS, Step3, DeepSeek V3.2
    Marker(
        "container",
        ("<tool_call>", "<tool_calls>", "<toolcall>", "<function_calls>", "<minimax:tool_call>", "<｜DSML｜tool_calls>",
         "<‖DSML‖function_calls>", "<ifm|tool_call>", "<tool-call>"),
        rf"<{PREFIX}(?:tool[_-]?|function_)calls?>", rf"</{PREFIX}(?:tool[_-]?|function_)calls?>",
        (_TOOL_TAG, _PREFIXED, _WIDE),
    ),
    Marker("container", ("<TOOLCALL>",), r"<TOOL_?CALLS?>", r"</TOOL_?CALLS?>", (_TOOL_TAG,)),  # Nemotron
    Marker("container", ("[TOOL_CALLS]",), r"\[TOOL_CALLS?\]", r"\[/TOOL_CALLS?\]", (r"\[/?TOOL_",)),  # Mistral
    # Granite 3, Phi
    Marker("container", ("<|tool_call|>",), rf"<{BAR}tool_calls?{BAR}>", rf"<{BAR}/tool_calls?{BAR}>", (_WIDE,)),
    Marker("container", ("functools[", 'functools{"'), r"functools(?=\[|\{\s*+[\"'])", lead=(r"tools[\[{]",)),  # Phi, FireFunction
    Marker("container", ("<|tool_call>",), r"<\|tool_call>", r"<tool_call\|>", (_WIDE, _TOOL_TAG)),  # Gemma 4
    Marker(  # FunctionGemma
        "container", ("<start_function_call>",), r"<start_function_call>", r"<end_function_call>",
        (_TOOL_TAG, r"</?end_f"),
    ),
    Marker(  # Llama
        "container", ("<|python_tag|>", "<|python_start|>"), r"<\|python_(?:tag|start)\|>",
        r"<\|(?:python_end|eom_id)\|>", (_WIDE,),
    ),
    Marker("container", ("<|tool_call_start|>",), r"<\|tool_call_start\|>", r"<\|tool_call_end\|>", (_WIDE,)),  # LFM2
    Marker(  # DeepSeek, Kimi
        "container", ("<｜tool▁calls▁begin｜>", "<|tool_call_begin|>", "<‖tool▁call▁begin‖>"),
        rf"<{BAR}tool[▁_ ]calls?[▁_ ]begin{BAR}>", rf"<{BAR}tool[▁_ ]calls?[▁_ ]end{BAR}>", (_WIDE,),
    ),
    Marker(  # Kimi
        "container", ("<|tool_calls_section_begin|>",), r"<\|tool_calls?_section_begin\|>",
        r"<\|tool_calls?_section_end\|>", (_WIDE,),
    ),
    Marker("container", ("<|START_ACTION|>",), r"<\|START_ACTION\|>", r"<\|END_ACTION\|>", (_WIDE,)),  # Command R
    Marker(  # InternLM2
        "container", ("<|action_start|>",), r"<\|action_start\|>(?:\s*+<\|plugin\|>)?", r"<\|action_end\|>", (_WIDE,)
    ),
    Marker("container", ("<tools>",), r"<tools>", r"</tools>", (_TOOL_TAG,)),  # Qwen2.5-Coder
    Marker("container", ("<longcat_tool_call>",), r"<longcat_tool_call>", r"</longcat_tool_call>", (_TOOL_TAG,)),
    Marker(
        "container", ('<tool_use>{"', '<tool>{"', '<function>{"'), r"<(?:tool_use|tool|function)>(?=\s*+(?:\{|\[\s*+\{|<(?:tool_)?name>))",
        r"</(?:tool_use|tool)>", (_TOOL_TAG,),
    ),
    Marker(
        "container", ('<invoke>{"',), r"<invoke>(?!\s*+<tool_name>)", rf"</{PREFIX}invoke>", (_TOOL_TAG, _PREFIXED)
    ),
    # Closers of elements, which are left over when an opener was lost or a closer is doubled.
    Marker(
        "element", (), _NEVER,
        rf"</{PREFIX}(?:function(?:_invocation)?|parameters|arg_value)>|<\|call\|>", (_TOOL_TAG, _PREFIXED, _WIDE),
    ),
    Marker("container", ("<|open|>tools<|sep|>",), r"<\|open\|>tools<\|sep\|>", r"<\|close\|>tools<\|sep\|>", (_WIDE,)),  # Kimi K3
    Marker("element", ('<|open|>call tool="read_file"',), r"<\|open\|>call\s++tool=", lead=(_WIDE,)),
    Marker("element", ("<function=read_file>",), r"<function\s?=", lead=(_TOOL_TAG,)),
    Marker(
        "element", ('<invoke name="read_file">', '<tool_call name="read_file">', '<atem:invoke name="read_file">'),
        rf"<{PREFIX}(?:invoke|tool[_-]?call|tool_use|function){GLUE}name\s?=", lead=(_TOOL_TAG, _PREFIXED, _WIDE),
    ),
    Marker(
        "element", ("<tool_name>read_file</tool_name>", "<tool_use><name>read_file</name>"),
        r"<tool_name>|<(?:tool_use|tool_call|tool|function_call)>\s*+<name>", lead=(_TOOL_TAG,),
    ),
    Marker(
        "element", ("<|tool_call_argument_begin|>{", "<｜tool▁sep｜>", "<tool_sep>", "<arg_key>"),
        rf"<\|tool_call_argument_begin\|>\s*+(?=\{{)|<{BAR}tool[▁_ ]sep{BAR}>|<tool_sep>|<{PREFIX}arg_key>",
        lead=(_WIDE, _TOOL_TAG),
    ),
    Marker("element", ("to=functions.read_file", "commentary to=functions.", "commentaryto=functions."), r"\b(?:commentary\s?)?to=functions\.", lead=("to=func",)),  # gpt-oss
    Marker("element", ("✿FUNCTION✿",), r"✿FUNCTION✿", r"✿(?:ARGS|RESULT|RETURN)✿", ("\u273f",)),  # Qwen-Agent
    Marker(
        "thinking", ("<think>", "<thinking>", "<|thought|>", "<seed:think>", "<scratchpad>", "<inner_monologue>"),
        rf"<\|?{_THINK_WORDS}(?:\s[^<>\n]{{0,60}})?\|?>", rf"<\|?/{_THINK_WORDS}\s?\|?>", (_THINK_TAG, _PREFIXED, _WIDE),
    ),
    Marker("thinking", ("[THINK]",), r"\[THINK(?:ING)?\]", r"\[/THINK(?:ING)?\]", (r"\[/?THINK",)),  # Mistral
    Marker("thinking", ("<|channel>thought",), r"<\|channel>\s*+thought", r"<channel\|>", (_WIDE,)),  # Gemma
    Marker("thinking", ("<|START_THINKING|>",), r"<\|START_THINKING\|>", r"<\|END_THINKING\|>", (_WIDE,)),  # Command
    Marker("thinking", ("◁think▷",), "◁think▷", "◁/think▷", ("\u25c1",)),  # Kimi
    Marker("thinking", ("<|open|>think<|sep|>",), r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>", (_WIDE,)),  # Kimi K3
    Marker(
        "thinking", ("<|begin_of_thought|>", "<|plamo:begin_think:plamo|>"),
        r"<\|(?:\w{1,20}:)?begin_(?:of_thought|think)(?::\w{1,20})?\|>",
        r"<\|(?:\w{1,20}:)?end_(?:of_thought|think)(?::\w{1,20})?\|>", (_WIDE,),
    ),  # OpenThinker, PLaMo
    Marker(
        "channel", ("<|content_thinking|>",), r"<\|content_thinking\|>", r"<\|end_message\|>(?=<\|message_model\|>|\Z)",
        (_WIDE,),
    ),  # Inkling
    # gpt-oss and others: a channel that the model addresses to itself, or to nobody.
    Marker(
        "channel",
        ("<|channel|>analysis", "<|start|>assistant<|channel|>analysis<|message|>", "to=self<|message|>",
         "<|channel|>commentary<|message|>"),
        r"(?:<\|start\|>assistant)?(?:<\|channel\|>analysis|\s*+to=self(?:<\|channel\|>\w{1,20}+)?<\|message\|>"
        r"|<\|channel\|>commentary\s*+<\|message\|>)",
        r"<\|(?:end|eom|eot|return|call)\|>|(?=<\|start\|>)|(?=<\|channel\|>(?!analysis))", (_WIDE,),
    ),
    # The header of our own results, in words and in markup, and the line with which we show one.
    Marker(
        "result", ("tool_result(read_file #1 ok):", "**tool_result** (x):", "#1 ok"),
        r"[*_#]*+[ \t]?tool[_ ]results?\b[*_]*+(?:[ \t]*+(?:[(:\[{#=<\d-]|\r?$|\w++[ \t]*+[\w#/ ]*+[:(])|>)"
        r"|`tool_result\b[^`\n]*+`[ \t]*+\r?$|#\d{1,4} (?:ok|error|denied|not run)\b",
        lead=(r"#[0-9]+ (?:ok|err|den|not)",), at_start=True,
    ),
    Marker(
        "result", ("<tool_response>", "</tool_result>", "<function_response>"),
        r"</?(?:tool_(?:response|results?|output)|function_(?:results?|response))\b", lead=(_TOOL_TAG,),
    ),
    Marker("result", ("[TOOL_RESULTS]",), r"\[/?TOOL_RESULTS?\]", lead=(r"\[/?TOOL_",)),  # Mistral
    Marker("result", ("<｜tool▁outputs▁begin｜>",), rf"<{BAR}tool[▁_ ]outputs?[▁_ ]begin{BAR}>", lead=(_WIDE,)),  # DeepSeek
    Marker(  # Gemma
        "result", ("<|tool_response>", "<start_function_response>"), r"<\|tool_response>|<start_function_response>",
        lead=(_WIDE, _TOOL_TAG),
    ),
    Marker("result", ("<|START_TOOL_RESULT|>",), r"<\|START_TOOL_RESULTS?\|>", lead=(_WIDE,)),  # Command R
    Marker("result", ("✿RESULT✿",), r"✿(?:RESULT|RETURN)✿", lead=("\u273f",)),  # Qwen-Agent
    Marker("turn", ("<|im_start|>user",), r"<\|im_start\|>[ \t]*+(?:user|tool|system)", lead=(_WIDE,)),  # ChatML
    Marker(  # Llama
        "turn", ("<|start_header_id|>user",), r"<\|start_header_id\|>[ \t]*+(?:user|ipython|tool|system)", lead=(_WIDE,)
    ),
    Marker(  # gpt-oss
        "turn", ("<|start|>user",), r"<\|start\|>[ \t]*+(?:user|tool|functions|developer|system)", lead=(_WIDE,)
    ),
    Marker(  # Gemma
        "turn", ("<|turn>user", "<start_of_turn>user"), r"<(?:\|turn|start_of_turn)>[ \t]*+user", lead=(_WIDE, _TOOL_TAG)
    ),
    Marker("turn", ("[INST]", "<s>[INST]"), r"(?:<s>)?\[INST\]", lead=(r"(?i)\[INST\]", "</?s>")),  # Mistral
    Marker(  # GLM, Phi, DeepSeek
        "turn", ("<|user|>", "<|observation|>", "<｜User｜>"), r"<\|(?:user|observation|tool|ipython)\|>|<｜User｜>",
        lead=(_WIDE,),
    ),
    Marker(
        "edit",
        ("*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n*** End Patch", "*** Update File: a.py\n-a\n+b",
         "*** Add File: a.py\n+b", "*** Delete File: a.py"),
        r"(?:[$>] )?apply_?patch[ \t]+<<|\*\*\* (?:Begin Patch|(?:Add|Update|Delete) File: *\S)", r"\*\*\* End Patch",
        (r"\*\*\* (?:Beg|Add|Upd|Del)", r"[\\-+*#$> ]*apply_?patch[ \t]+<"), at_start=True,
    ),
    Marker(
        "edit", ("<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", "------- SEARCH\na\n=======\nb\n+++++++ REPLACE"),
        r"[ \t]*+(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)\b", r"[ \t]*+(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)\b",
        (r"<<<<<", r"----- ?-*(?:SEA|ORI)"), at_start=True,
    ),
    Marker(
        "edit", ("--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b", "diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py"),
        r"diff --git \S|Index: \S[^\n]*+\n[^\n]*?={20}|---[ \t]++\S(?=[^\n]*+\n[^\n]*?\+\+\+[ \t]++\S)",
        lead=(r"diff --g", r"\+\+\+[ \t]", r"Index: "), at_start=True,
    ),
)  # fmt: skip

_BLANK = r"[ \t\xa0\u2000-\u200b\u202f\u3000\ufeff]"
SPACE = rf"{_BLANK}*+"
COLON = r"[:\uff1a]"
CALLED = r"(?:(?=[\d-]{0,9}+[^\W\d])[\w-](?:[\w-]|[./](?=[\w-])|:(?=[^\W\d])){0,127}+)"
"""A name of a tool: no blanks, brackets or quotes, and at least one letter."""
KEY = r"(?:-{0,2}[^\W\d](?:[\w-]|\.(?=\w)){0,79}+)"
"""A name of a parameter where it stands without quotes."""
MARKUP = r"[*_`]{0,3}"

END_TOKENS = (
    *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|eom|>", "<|eot|>", "<|end|>", "<|endoftext|>"),
    *("<|end_of_text|>", "<|return|>", "<|END_RESPONSE|>", "<|END_OF_TURN_TOKEN|>", "</s>", "<eos>"),
    *("<end_of_turn>", "<turn|>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
)
END_TOKEN = f"(?:{'|'.join(map(re.escape, END_TOKENS))})"
"""What a server may leave of a chat template at the end of a reply: for us the end of a line."""


def openers(*kinds: Kind) -> str:
    """A regular expression for what opens a marker of these kinds."""
    return "|".join(marker.opener for marker in MARKERS if marker.kind in kinds and marker.opener != _NEVER)


def closers(*kinds: Kind) -> str:
    """The same for what closes one."""
    return "|".join(marker.closer for marker in MARKERS if marker.kind in kinds and marker.closer != _NEVER)


def leads(*, at_start: bool, kind: Kind | None = None) -> tuple[str, ...]:
    """The beginnings that no line of prose may hold, each once; perhaps only those of one kind."""
    markers = (marker for marker in MARKERS if marker.at_start is at_start and kind in (None, marker.kind))
    found = (lead for marker in markers for lead in marker.lead)
    return tuple(dict.fromkeys(found))


def word_tokens() -> tuple[str, ...]:
    """The markers that begin like a word, up to the sign that tells them from one, such as `to=functions.`."""
    heads = (re.match(r"[a-z][a-z =]*\W", one) for one in inline_examples())
    return tuple(dict.fromkeys(head[0] for head in heads if head))


def bracket_tokens(bracket: str) -> tuple[str, ...]:
    """The tokens that begin with a bracket, without it and with the one that closes them, such as `think>`."""
    closer = {"<": ">", "[": "]"}[bracket]
    tokens = (one[1:].partition(closer)[0] + closer for one in inline_examples() if one.startswith(bracket))
    return tuple(dict.fromkeys(token for token in tokens if not re.search(r"[\s<\[]", token)))


def signs() -> str:
    """The characters that begin a token and are no bracket."""
    return "".join(dict.fromkeys(one[0] for one in inline_examples() if not one[0].isascii()))


def inline_examples() -> Iterator[str]:
    """Texts that open a marker in the middle of a line."""
    return (one for marker in MARKERS if not marker.at_start for one in marker.examples)
