from __future__ import annotations

import pytest

from text_agent.tools.editing.omission import find_omission


@pytest.mark.parametrize(
    "line",
    [
        "... rest unchanged ...",
        "    # ... existing code ...",
        "// ... rest of the function",
        "// ...rest of code",
        "/* ... other methods ... */",
        "<!-- ... remaining content ... -->",
        "-- ... same as before",
        "{/* ... existing JSX ... */}",
        "# rest of the code remains unchanged",
        "// rest of your code here",
        "# The rest of the file is the same as before.",
        "// Existing code...",
        "# remaining methods unchanged",
        "[... rest of the file omitted ...]",
        "(... unchanged)",
        "\u2026 rest of the code \u2026",
        "x = 1  [... 12 more lines]",
        "abc [... 1,200 more characters]",
        "...[truncated]",
    ],
)
def test_marks(line: str) -> None:
    assert find_omission(f"a = 1\n{line}\n", "a = 1\n") == line.strip()
    assert find_omission(f"a = 1\n  {line}\n", f"{line}\nb") is None, "it was there before"


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "    ...",
        "def f() -> tuple[int, ...]: ...",
        "  ...rest,",
        "const {a, ...rest} = value;",
        "# Process the remaining items...",
        "# the rest of the data is loaded later",
        "print('... rest unchanged ...')",
        "# Loading...",
        "And so on...",
        "Wait for the rest of the code to load...",
        "# existing code paths are tested in test_x",
        "# ... " + "rest " * 50,
        "[a, b]",
        "",
    ],
)
def test_text_that_only_looks_alike(line: str) -> None:
    assert find_omission(f"a = 1\n{line}\n", "") is None
