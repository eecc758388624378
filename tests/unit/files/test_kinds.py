"""What a file is for, as its path tells."""

import pytest

from text_agent.files.kinds import formats_of, is_test


@pytest.mark.parametrize(
    "path",
    [
        "test_a.py",
        "app/tests.py",
        "tests/support/data.json",
        "a_test.go",
        "src/a.test.ts",
        "spec/a_spec.rb",
        "__tests__/a.js",
    ],
)
def test_tests(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize(
    "path", ["a.py", "latest.py", "contest/a.py", "testing.md", "a_test_b.py", "attest_x.py"]
)
def test_others(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize(
    ("path", "formats"),
    [
        ("a.PY", ["Python"]),
        ("src/Nb.ipynb", ["JSON"]),
        ("package-lock.json", ["JSON"]),
        ("web/tsconfig.base.json", ["JSON with comments", "JSON"]),
        (".vscode/settings.json", ["JSON with comments", "JSON"]),
        ("a/.vscode/settings.json", ["JSON with comments", "JSON"]),
        ("vscode/settings.json", ["JSON"]),
        (".eslintrc", ["JSON with comments", "YAML"]),
        ("Pipfile", ["TOML"]),
        ("Pipfile.lock", ["JSON"]),
        (".cargo/config", ["TOML"]),
        ("config", []),
        ("yarn.lock", []),
        ("a.ts", []),
        ("json", []),
        ("", []),
    ],
)
def test_formats(path: str, formats: list[str]) -> None:
    assert list(formats_of(path)) == formats
