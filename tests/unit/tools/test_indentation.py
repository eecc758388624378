from __future__ import annotations

import pytest

from text_agent.tools.editing.indentation import IndentRule, find_rule, indent_of, unit_of


@pytest.mark.parametrize(
    ("lines", "unit"),
    [
        ([], "    "),
        (["a"], "    "),
        (["a", "  b", "    c", "  d"], "  "),
        (["a", "    b", "        c", "      d"], "    "),
        (["a", "\tb", "\t\tc"], "\t"),
        (["a", "\tb", "    c", "    d"], "    "),
        (["a", "          b"], "    "),
        (["a", "", "  b", "   ", "c"], "  "),
    ],
)
def test_units(lines: list[str], unit: str) -> None:
    assert unit_of(lines) == unit


@pytest.mark.parametrize(
    ("pairs", "new", "file_unit", "applied"),
    [
        ([("", "    ")], ["", "    "], "    ", ["    ", "        "]),
        ([("", "    ")], ["", "  "], "    ", ["    ", "        "]),
        ([("", "\t\t")], ["", "    ", "        "], "\t", ["\t\t", "\t\t\t", "\t\t\t\t"]),
        ([("", "\t\t")], ["", "  "], "\t", ["\t\t", "\t\t\t"]),
        ([("        ", "\t\t")], ["        ", "          "], "\t", ["\t\t", "\t\t\t"]),
        ([("\t", "  "), ("\t\t", "    ")], ["\t\t\t"], "  ", ["      "]),
        ([("  ", "    "), ("    ", "        ")], ["      "], "    ", ["            "]),
        ([("    ", "  ")], ["      "], "  ", ["    "]),
        ([("", "\t")], ["\t"], "\t", ["\t\t"]),
    ],
)
def test_rules(pairs: list[tuple[str, str]], new: list[str], file_unit: str, applied: list[str]) -> None:
    rule = find_rule(pairs, new, file_unit)
    assert rule is not None
    assert [rule.apply(indent) for indent in new] == applied


@pytest.mark.parametrize(
    ("pairs", "new"),
    [
        ([("", "    "), ("    ", "    ")], [""]),
        ([("    ", "")], [""]),
        ([(" ", "\t"), ("   ", "\t\t"), ("    ", "\t")], []),
    ],
)
def test_pairs_without_a_rule(pairs: list[tuple[str, str]], new: list[str]) -> None:
    assert find_rule(pairs, new, "    ") is None


def test_lines() -> None:
    rule = IndentRule("    ", "\t", 1)
    assert rule.apply_to_line("    x  ") == "\t\tx  "
    assert rule.apply_to_line("   ") == "   "
    assert rule.apply_to_line("") == ""
    assert indent_of(" \t x") == " \t "
