"""Time of `parse_reply` against the size of the reply, on plain and on hostile text.

    python bench/parser.py [--quick] [PART-OF-AN-INPUT'S-NAME ...]

The same for the guards, which remember and neutralise foreign text: on smaller sizes, since a result is cut
long before. Prints the seconds of CPU for each size (the best of several runs) and the exponent of growth,
fitted over all sizes: 1 is linear. Then, for what files of projects hold, how many times as long the guards
take as the parser takes for as much prose. Exits with 1 if an exponent or a ratio is above its limit, or the
plain reply too slow.
"""

# ruff: noqa: E501 - the inputs stand in one line each
from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

from text_agent.files.workspace import Workspace
from text_agent.protocol.guard.echo import EchoGuard
from text_agent.protocol.reading.parser import parse_reply
from text_agent.protocol.tool import ToolDescriptions
from text_agent.tools.registry import default_tools

SIZES = [1 << exponent for exponent in (16, 18, 20, 22)]
FOREIGN_SIZES = [1 << exponent for exponent in (15, 17, 19)]
MAX_EXPONENT = 1.1
MAX_PLAIN_SECONDS = 0.25


NAMES = ("read_file", "write_file", "search", "run_command")
TOOLS = {name: tool for name, tool in default_tools(Workspace(Path())).items() if name in NAMES}


def repeated(unit: str) -> Callable[[int], str]:
    return lambda size: (unit * (size // len(unit) + 1))[:size]


def half_and_half(first: str, second: str) -> Callable[[int], str]:
    return lambda size: repeated(first)(size // 2) + repeated(second)(size // 2)


def plain(size: int) -> str:
    """A call for every thousand characters: a thousand of them in a megabyte."""
    call = 'tool: read_file({"path": "src/module.py", "start": 10, "end": 20})\n'
    words = "The next step is to look at the module, which (as the log says) fails at line 12.\n"
    prose = words * max(1, (size // 1000 - len(call)) // len(words))
    return repeated(prose + call)(size)


INPUTS: dict[str, Callable[[int], str]] = {
    "plain, with calls": plain,
    "prose only": repeated("A line of ordinary words, with `code` and (brackets) in it.\n"),
    "one long line": repeated("word and <tag> and `code` and \"quoted\" "),
    "one large argument": lambda n: 'tool: write_file({"path": "a", "content": "' + "x\\n" * (n // 3) + '"})',
    "one large block": lambda n: 'tool: write_file({"path": "a"})\n```\n' + "line\n" * (n // 5) + "```\n",
    "nested brackets": repeated("["),
    "nested objects": repeated('{"a":'),
    "taught, nested brackets": lambda n: 'tool: read_file({"path": ' + "[" * n,
    "brackets at line starts": repeated("[{\n"),
    "unclosed quotes": repeated('tool: read_file({"path": "a\n'),
    "unclosed quotes in one line": repeated('tool: read_file({"path": "a '),
    "unclosed single quotes": repeated("tool: read_file({'path': 'a\n"),
    "unclosed triple quotes": repeated('tool: read_file(path="""a\n'),
    "unclosed typographic quotes": repeated("tool: read_file({\u201cpath\n"),
    "typographic quotes, one closer": lambda n: repeated("tool: read_file({\u201c\n")(n) + "\u201d",
    "odd quotes": repeated('tool: x({",":"\n'),
    "escaped quotes": repeated('tool: x({"\\"\\"\\"\n'),
    "tool: prefixes": repeated("tool: "),
    "tool: lines": repeated("tool:\n"),
    "tool: x( prefixes": repeated("tool: x("),
    "tool: x( lines": repeated("tool: x(\n"),
    "tool: x({ lines": repeated("tool: x({\n"),
    "names only": repeated("tool: read_file\n"),
    "comments never closed": repeated("tool: x({/*\n"),
    "comments, then brackets": half_and_half("tool: x({/*\n", "*/[[[[[\n"),
    "inner quotes": repeated('tool: run_command({"command": "a "b" c"\n'),
    "ambiguous ends": lambda n: 'tool: run_command({"command": "a "b"\n' + '"})\n' * (n // 4),
    "bare names": repeated("read_file(\n"),
    "bare names with objects": repeated('read_file({"path": "a\n'),
    "bare objects": repeated('{"name": "read_file", "arguments": {"path":\n'),
    "bare objects in one line": repeated('{"name": "read_file", "arguments": '),
    "backticks": repeated("`"),
    "backtick lines": repeated("```\n"),
    "backtick runs": repeated(" ".join("`" * length for length in range(1, 300))),
    "fences never closed": repeated("```python\ntext\n"),
    "tilde fences, tick closers": repeated("~~~~~x\n```\n"),
    "fences with half calls": repeated('```\ntool: read_file({"path": "a\n'),
    "thinking never closed": repeated("<think>"),
    "thinking lines": repeated("<think>\n"),
    "thinking closers": repeated("a</think>\n"),
    "thinking in quotes": repeated('"<think> '),
    "markers in one line": repeated("x <y> "),
    "hermes openers": repeated("<tool_call>"),
    "hermes opener lines": repeated("<tool_call>\n"),
    "hermes half objects": repeated('<tool_call>\n{"name": "read_file", "arguments": {"path": "a\n'),
    "hermes in one line": repeated('<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'),
    "mistral openers": repeated("[TOOL_CALLS]"),
    "mistral arrays": repeated("[TOOL_CALLS][{"),
    "function openers": repeated("<function=read_file>\n<parameter=path>\n"),
    "function openers, one closer": lambda n: repeated("<function=x><parameter=y>")(n) + "</parameter>",
    "parameter closers": repeated("<function=x><parameter=y>a</parameter>b"),
    "invoke openers": repeated('<invoke name="read_file"><parameter name="path">'),
    "glm openers": repeated("<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>"),
    "cline openers": repeated("<read_file>\n<path>"),
    "cline openers, one closer": lambda n: repeated("<read_file><path>")(n) + "</path></read_file>",
    "gemma openers": repeated('<|tool_call>call:read_file{path:<|"|>'),
    "kimi tokens": repeated("<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"),
    "kimi argument marks": repeated("<|tool_call_argument_begin|>{"),
    "harmony tokens": repeated("<|channel|>commentary to=functions.read_file <|message|>"),
    "harmony half objects": repeated("<|channel|>commentary to=functions.read_file <|message|>{"),
    "python lists": repeated("[read_file(path="),
    "python lists in lines": repeated("[read_file(path='a'), \n"),
    "actions": repeated("Action: read_file\nAction Input: {\n"),
    "result marks in a block": lambda n: 'tool: write_file({"path": "a"})\n```\n' + repeated("tool_result(x):\n")(n),
    "blank lines": repeated("\n"),
    "spaces": repeated(" "),
    "stars": repeated("*"),
    "bullets": repeated("- - - "),
    "spaced tool": repeated("tool: x   "),
    "comment openers": repeated("<!-- "),
    "escaped objects": repeated('tool: x({\\"a\\": \n'),
    "escaped objects in one line": repeated('tool: x({\\"a\\": '),
    "keywords with inner quotes": repeated('tool: run_command(command="a "b" c"\n'),
    "middle marks": repeated("read_file\n<arg_key>"),
    "aliases": repeated('bash({"cmd": "a\n'),
    "nested data": lambda n: repeated('{"type": "a", "name": "b", "body": [' * 20 + "]}" * 20 + "\n")(n),
    "quoted lines": repeated('> tool: run_command({\n>   "command": "a\n'),
    "list items": repeated('- tool: run_command({\n  "command": "a\n'),
}  # fmt: skip

# What a foreign text may be made of to keep its reader busy.
FOREIGN = [
    "prose only", "one large argument", "nested objects", "brackets at line starts", "unclosed quotes",
    "unclosed quotes in one line", "typographic quotes, one closer", "escaped quotes", "tool: x({ lines",
    "names only", "comments, then brackets", "inner quotes", "bare names with objects", "bare objects",
    "bare objects in one line", "backtick lines", "hermes opener lines", "hermes in one line", "mistral arrays",
    "function openers", "kimi tokens", "harmony half objects", "python lists in lines", "actions", "blank lines",
    "aliases", "nested data", "quoted lines", "list items",
]  # fmt: skip


SOURCE = r"""
    ('tool: read_file({"path": "a.py", "start": 3})', [READ], 0),
    ("tool: run_command({})\n```sh\nls\n```", [("run_command", {"command": "ls"})], 0),
    ('{"name": "read_file", "arguments": {"path": "a"}}', [READ], 0),
    ("<function=read_file><parameter=path>a</function>", [], 1),
    ('[TOOL_CALLS][{"name": "search", "arguments": {"pattern": "x"}}]', SEARCH),
    # A call in prose: write_file(path="a", content="b"), which is no request.
    def test_a_call_in_a_fence(reply: str, expected: list[object]) -> None:
        assert calls_of(parse_reply(f"```
{reply}
```", TOOLS)) == expected
"""
OBJECTS = '{"name": "item", "version": "1.2.3", "id": 7, "args": {"a": 1, "name": "inner"}}\n'
LOG = "2026-01-05 12:00:07 INFO worker[3]: GET /api/v1/items/17 200 42ms\n"
FOREIGN_SIZE = 89 * 1024
# What a result is made of, and how many times as long as for prose it may take.
RATIOS = {
    "source full of calls": (SOURCE, 16.0),
    "objects with names": (OBJECTS, 4.0),
    "a log": (LOG, 4.0),
}


def guard(text: str, tools: ToolDescriptions) -> str:
    """What is done with a foreign text on its way to the model."""
    return EchoGuard(tools).adopt(text)


def keeps_ratios() -> bool:
    """Prints how the guards' times compare with the parser's time for prose; whether all are short enough."""
    unit = seconds(parse_reply, INPUTS["prose only"](FOREIGN_SIZE), 0.5)
    passed = True
    print(f"{'guards, against prose':32}{FOREIGN_SIZE // 1024:>8} KB  ratio  limit")
    for name, (piece, limit) in RATIOS.items():
        time_taken = seconds(guard, repeated(piece)(FOREIGN_SIZE), 0.5)
        bad = time_taken > limit * unit
        passed = passed and not bad
        print(f"{name:32}{time_taken:11.4f}  {time_taken / unit:5.1f}  {limit:5.1f}" + " !" * bad)
    return passed


def seconds(read: Callable[[str, ToolDescriptions], object], text: str, budget: float) -> float:
    """The best of at least three runs, and of as many as `budget` seconds hold: others use the machine too."""
    times: list[float] = []
    while len(times) < 3 or (sum(times) < budget and len(times) < 200):
        start = time.process_time()
        read(text, TOOLS)
        times.append(time.process_time() - start)
    return min(times)


def exponent(sizes: list[int], times: list[float]) -> float:
    """The slope of the straight line through the logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(value, 1e-6)) for value in times]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - x_mean) ** 2 for x in xs
    )


def passes(
    title: str, read: Callable[[str, ToolDescriptions], object], names: list[str], sizes: list[int]
) -> bool:
    """Prints a table; whether no input in it takes too long."""
    quick = "--quick" in sys.argv
    chosen = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    passed = True
    print(f"{title:32}" + "".join(f"{size // 1024:>8} KB" for size in sizes) + "  exponent")
    for name in names:
        if chosen and not any(part in name for part in chosen):
            continue
        times = [seconds(read, INPUTS[name](size), 0.2 if quick else 0.5) for size in sizes]
        slope = exponent(sizes, times)
        too_slow = read is parse_reply and name.startswith("plain") and times[2] > MAX_PLAIN_SECONDS
        bad = slope > MAX_EXPONENT or too_slow
        passed = passed and not bad
        print(
            f"{name:32}" + "".join(f"{value:11.4f}" for value in times) + f"  {slope:.2f}" + " !" * bad,
            flush=True,
        )
    return passed


def main() -> int:
    sizes = SIZES[:3] if "--quick" in sys.argv else SIZES
    tables = [
        passes("parse_reply", parse_reply, list(INPUTS), sizes),
        passes("guards", guard, FOREIGN, FOREIGN_SIZES),
        keeps_ratios(),
    ]
    return int(not all(tables))


if __name__ == "__main__":
    sys.exit(main())
