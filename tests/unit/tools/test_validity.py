from __future__ import annotations

import pytest

from text_agent.tools.editing.validity import find_invalidity


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x = '\\d' is 1\n"),
        ("a.pyi", "def f() -> int: ...\n"),
        ("A.PY", ""),
        ("a.json", '{"a": [1, null]}'),
        ("a.toml", "[a]\nb = 1\n"),
        ("a.yaml", "a: !tag {b: &x 1, c: *x}\n---\n- 2\n"),
        ("a.yml", ""),
        ("a.txt", "def f(:"),
        ("Makefile", "def f(:"),
        ("a.json", "[" * 100_000),
    ],
)
def test_what_is_valid_or_cannot_be_told(name: str, text: str) -> None:
    assert find_invalidity(name, text) is None


@pytest.mark.parametrize(
    ("name", "text", "description"),
    [
        ("a.py", "a = 1\ndef f(:\n", "no valid Python (line 2: invalid syntax); that line is `def f(:`"),
        (
            "a.py",
            "return 1\n",
            "no valid Python (line 1: 'return' outside function); that line is `return 1`",
        ),
        ("a.py", "a\0", "no valid Python (source code string cannot contain null bytes)"),
        ("a.py", "'\ud800'", "no valid Python ('utf-8' codec can't encode"),
        ("a.json", "{'a': 1}", "no valid JSON (line 1: Expecting property name enclosed in double quotes);"),
        ("a.json", "9" * 5000, "no valid JSON (Exceeds the limit (4300 digits)"),
        (
            "a.toml",
            "a = 1\na = 2\n",
            "no valid TOML (line 2: Cannot overwrite a value); that line is `a = 2`",
        ),
        ("a.toml", "a = ", "no valid TOML (Invalid value (at end of document))"),
        (
            "a.yaml",
            "a: 1\n b: 2\n",
            "no valid YAML (line 2: mapping values are not allowed in this context);",
        ),
        ("a.yaml", "a: *b\n", "no valid YAML (line 1: found undefined alias"),
        ("a.yaml", "a: \x01\n", "no valid YAML ("),
    ],
)
def test_what_is_invalid(name: str, text: str, description: str) -> None:
    problem = find_invalidity(name, text)
    assert problem is not None
    assert problem.describe(text).startswith(description)


@pytest.mark.parametrize(
    ("name", "text", "mended"),
    [
        ("a.py", "def f(t):\n    p = r'^a$\n    return p\n", "p = r'^a$'"),
        ("a.py", "def area(w, h)\n    return w * h\n", "def area(w, h):"),
        ("a.py", "print(len('a')\n", "print(len('a'))"),
        ("a.py", "print('a\nprint('b\n", ""),
        ("a.py", "x = '\n" + "y = 1\n" * 9000, ""),
        ("a.py", "print('Hi, all!)\n", "print('Hi, all!')"),
        ("a.py", "print('f(x)\n", "print('f(x)')"),
        ("a.py", "DAYS = [\n    'Mon,\n    'Tue',\n]\n", "'Mon',"),
        ("a.json", '{"a": "b}', '{"a": "b"}'),
        ("a.json", '{"a": "b', ""),
        ("a.json", '{"a": 1', '{"a": 1}'),
    ],
)
def test_what_the_line_lacks(name: str, text: str, mended: str) -> None:
    problem = find_invalidity(name, text)
    assert problem is not None
    assert problem.mended.strip() == mended
    assert (find_invalidity(name, problem.mend(text)) is None) == bool(mended)
    assert problem.describe(text).endswith(f"it would be valid as `{mended}`" if mended else "`")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "DAYS = [\n    'Mon\n    'Tue',\n]\n"),
        ("a.py", "DAYS = ['Mon 'Tue']\n"),
        ("a.py", "x = f(y == 2\n"),
        ("a.py", "x = f(g(a, b)\n"),
        ("a.py", "x = f(g('a'.b)\n"),
        ("a.py", "x = input('Name: )\n"),
        ("a.py", "x = 'Name: \n"),
        ("a.py", "x = max(\ny = 1\n"),
        ("a.py", "x = 'a  # b\n"),
        ("a.json", '{"a": b"}'),
        ("a.json", '{"a": {"b": 1}\n'),
        ("a.json", '{"a": {\n"b": 1\n}'),
        ("a.toml", 'a = b"\n'),
        ("a.yaml", "a: 'b\n\n"),
        ("a.json", "[" + "1, " * 3000 + "'"),
        ("a.py", "if x\n    y = " + "-" * 5000 + "1\n"),
    ],
)
def test_what_the_line_lacks_is_not_guessed(name: str, text: str) -> None:
    problem = find_invalidity(name, text)
    assert problem is not None
    assert problem.mended == ""
