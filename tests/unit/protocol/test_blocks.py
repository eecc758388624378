"""Files that a reply shows instead of writing them."""

import pytest

from text_agent.protocol.reading.blocks import find_blocks, outside_blocks, unwritten_files


@pytest.mark.parametrize(
    ("text", "request_text", "files"),
    [
        ("```python\n# calc.py\nx = 1\n```", "fix it", {"calc.py": "x = 1"}),
        ("```js\n// File: src/a.js\nlet x\n```", "", {"src/a.js": "let x"}),
        ("```html\n<!-- page.html -->\n\n<p>\n```", "", {"page.html": "<p>"}),
        ("Here is `calc.py`:\n\n```python\nx = 1\n```", "", {"calc.py": "x = 1"}),
        ("### calc.py\n```\nx = 1\n```\n**b.py**\n```\ny\n```", "", {"calc.py": "x = 1", "b.py": "y"}),
        ("```python calc.py\nx = 1\n```", "", {"calc.py": "x = 1"}),
        ('```python title="calc.py"\nx = 1\n```', "", {"calc.py": "x = 1"}),
        ("```\nx = 1\n```", "Create a file hello.py with x.", {"hello.py": "x = 1"}),
        ("~~~\n```\nx\n~~~", "in hello.md", {"hello.md": "```\nx"}),
        ("```\nx = 1\n```", "Create hello.py and then hello.py", {"hello.py": "x = 1"}),
        ("```\nx = 1\n```", "Create a.py and b.py.", {}),
        ("```\nx\n```\n```\ny\n```", "Create a.py.", {}),
        ("```\nx = 1", "Create a.py.", {}),
        ("```\n\n```", "Create a.py.", {}),
        ("```python\n# calc.py\n```", "", {}),
        ("x = 1 in a.py", "Create a.py.", {}),
        ("```\nx = 1\n```", "How do I write a loop?", {}),
        ("See calc.py, where everything is computed that you asked me for:\n```\nx\n```", "", {}),
    ],
)
def test_files(text: str, request_text: str, files: dict[str, str]) -> None:
    assert unwritten_files(text, request_text) == files


def test_a_caption_belongs_to_the_block_below_it() -> None:
    captions = [block.caption for block in find_blocks("a.py\n```\nx\n```\n```\ny\n```")]
    assert captions == ["a.py", ""]


@pytest.mark.parametrize("inside", ["d: |\n  ```\n  x\n  ```", "a\x0cb\u2028c\x85d"])
def test_what_ends_no_block(inside: str) -> None:
    (block,) = find_blocks(f"```\n{inside}\n```\n")
    assert block.text == inside


def test_fences_that_are_indented() -> None:
    assert [block.text for block in find_blocks("- a:\r\n  ```\r\n  x\r\n```\r\n")] == ["  x"]


def test_what_stands_outside() -> None:
    assert outside_blocks("before\n```\ninside\n```\nafter\n```\nopen") == "before\nafter"
