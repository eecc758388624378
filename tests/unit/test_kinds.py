"""What a file is for, as its path tells."""

import pytest

from text_agent.files.kinds import is_test


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
