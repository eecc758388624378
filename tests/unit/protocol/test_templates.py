from pathlib import Path

import pytest

from text_agent.errors import TextAgentError
from text_agent.protocol.templates import load_template, template_folders


def test_a_template_is_filled_in_and_keeps_dollars_of_the_values(tmp_path: Path) -> None:
    (tmp_path / "greeting.md").write_text("Hello $name,\nthat is $$5.\n", encoding="utf-8")
    template = load_template("greeting", [tmp_path])
    assert template.substitute(name="$HOME") == "Hello $HOME,\nthat is $5."


def test_the_first_folder_that_holds_the_file_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "absent", tmp_path / "present"
    second.mkdir()
    (second / "text.md").write_text("näh", encoding="utf-8")
    assert load_template("text", [first, second]).template == "näh"


def test_a_missing_template_says_which_one(tmp_path: Path) -> None:
    with pytest.raises(TextAgentError, match=r"prompts/nothing\.md is missing") as caught:
        load_template("nothing", [tmp_path])
    assert "install" in caught.value.hint


def test_every_text_of_the_project_is_found_without_naming_folders() -> None:
    shipped = [folder for folder in template_folders() if folder.is_dir()]
    names = [Path(file.name).stem for folder in shipped for file in folder.iterdir()]
    assert names
    assert all(load_template(name).template for name in names)
