"""Where pip would look for packages, read from its variables and files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from text_agent.providers.local.pip_settings import DEFAULT_INDEX, PipSettings, read_pip_settings


@pytest.mark.parametrize(
    ("environment", "indexes"),
    [
        ({"PIP_INDEX_URL": "https://mirror.example/simple/"}, ("https://mirror.example/simple",)),
        ({"PIP_INDEX_URL": ""}, (DEFAULT_INDEX,)),
        (
            {"PIP_EXTRA_INDEX_URL": "https://a.example/x \n http://b.example/y/"},
            (DEFAULT_INDEX, "https://a.example/x", "http://b.example/y"),
        ),
        ({"PIP_EXTRA_INDEX_URL": "file:///srv/simple ../simple"}, (DEFAULT_INDEX,)),
        ({"PIP_NO_INDEX": "1", "PIP_EXTRA_INDEX_URL": "https://a.example"}, ()),
        ({"PIP_NO_INDEX": "false"}, (DEFAULT_INDEX,)),
    ],
)
def test_variables_name_indexes(
    environment: dict[str, str], indexes: tuple[str, ...], own_environment: Path
) -> None:
    assert read_pip_settings({**environment, "PIP_CONFIG_FILE": os.devnull}).indexes == indexes


def test_certificates_and_a_proxy() -> None:
    environment = {"PIP_CERT": "/ca.pem", "PIP_PROXY": "http://proxy:3128", "PIP_CONFIG_FILE": os.devnull}
    assert read_pip_settings(environment) == PipSettings(ca_file="/ca.pem", proxy="http://proxy:3128")


FILES = {
    "no section": "index-url = https://a.example",
    "global": "[global]\nindex-url = https://a.example",
    "another spelling": "[global]\nindex_url: https://a.example\n",
    "download over global": "[download]\nindex-url = https://b.example\n[global]\nindex-url = https://a.example",
    "install is another command": "[install]\nindex-url = https://a.example",
    "lines of extra indexes": "[global]\nextra-index-url =\n    https://a.example\n    https://b.example",
    "a percent sign": "[global]\nindex-url = https://me:p%40ss@a.example",
    "twice the same section": "[global]\nindex-url = https://a.example\n[global]\n",
    "no text": "\xff",
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_file_is_read_as_pip_reads_it(content: str, own_environment: Path, tmp_path: Path) -> None:
    """The right value is what pip itself says, for files that it can read."""
    file = own_environment / ".config" / "pip" / "pip.conf"
    file.parent.mkdir(parents=True)
    file.write_text(content, "latin-1")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if "No module named pip" in listed.stderr:
        pytest.skip("there is no pip to ask")
    told = dict(line.partition("=")[::2] for line in listed.stdout.splitlines())
    index = told.get("download.index-url", told.get("global.index-url", repr(DEFAULT_INDEX)))
    assert read_pip_settings(environment).indexes[0] == index.strip("'")


def test_stronger_places_win(own_environment: Path, tmp_path: Path) -> None:
    def write(file: Path, index: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"[global]\nindex-url = https://{index}.example")

    def first(**environment: str) -> str:
        return read_pip_settings(environment).indexes[0].removeprefix("https://").removesuffix(".example")

    write(own_environment / ".pip" / "pip.conf", "legacy")
    assert first() == "legacy"
    write(own_environment / ".config" / "pip" / "pip.conf", "user")
    assert first() == "user"
    write(tmp_path / "named.conf", "named")
    assert first(PIP_CONFIG_FILE=str(tmp_path / "named.conf")) == "named"
    variable = {"PIP_INDEX_URL": "https://variable.example"}
    assert first(PIP_CONFIG_FILE=str(tmp_path / "named.conf"), **variable) == "variable"
    assert first(PIP_CONFIG_FILE=os.devnull) == DEFAULT_INDEX.removeprefix("https://")
