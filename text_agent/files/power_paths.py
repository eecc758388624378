"""Files that grant power later: a program that the user starts another day does what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from text_agent.lazy_regex import late_pattern

# What programs on this machine run or obey unasked, wherever it stands; a folder with all that is in it, and
# a star for any part of a name.
GRANTING: Mapping[str, str] = {
    "version control and hooks": ".git .hgrc .hg/hgrc .jj/repo/config.toml .gitconfig .githooks .config/git"
    " .husky .lefthook .lefthook.yml lefthook.yml lefthook.yaml .lefthook-local.yml lefthook-local.yml"
    " .pre-commit-config.yaml .overcommit.yml",
    "agents": ".text-agent .text-agent-ignore .config/text-agent .claude .codex .continue .cursor .gemini"
    " .kiro .opencode .roo .windsurf .amazonq .junie .kilocode .qodo .trae .mcp.json opencode.json"
    " opencode.jsonc .aider.conf.yml",
    "editors": ".vscode/tasks.json .vscode/settings.json .vscode/mcp.json *.code-workspace .devcontainer"
    " .devcontainer.json .idea/runConfigurations .idea/watcherTasks.xml .zed/tasks.json"
    " .zed/settings.json .vim .vimrc .gvimrc .exrc .lvimrc .local.vimrc .helix .nvimrc .nvim.lua"
    " .config/nvim .emacs .emacs.d .dir-locals.el",
    "shells": ".envrc .direnvrc .mise .mise.toml mise.toml .mise.local.toml mise.local.toml .autoenv"
    " .autoenv.zsh .bash_profile .bash_login .bash_logout .bash_aliases .bashrc .profile .zshrc"
    " .zshenv .zprofile .zlogin .zlogout .cshrc .tcshrc .kshrc .mkshrc .login .logout .inputrc .xprofile"
    " .xsession .xinitrc .pam_environment .config/fish .config/autostart .config/systemd"
    " .local/bin Library/LaunchAgents",
    "other programs": ".ssh .tmux.conf .screenrc .gdbinit .lldbinit .psqlrc .irbrc .pdbrc .Rprofile .curlrc"
    " .wgetrc .pythonstartup sitecustomize.py usercustomize.py",
    "package managers": ".npmrc .yarnrc .yarnrc.yml .yarn/plugins .yarn/releases .pnpmfile.cjs bunfig.toml"
    " pip.conf .condarc .gemrc .bundle/config .cargo/config .cargo/config.toml rust-toolchain"
    " rust-toolchain.toml .mvn",
    "programs that are started by name": "node_modules/.bin .venv/bin .venv/Scripts venv/bin venv/Scripts",
}
# A command that only names these is not asked about: they hold plain settings, too, and are changed daily,
# or are programs that it starts.
_DAILY = frozenset({"package managers", "programs that are started by name"})
# What text-agent itself obeys in the workspace's own folder only.
_AT_THE_TOP = ".env"


def _pattern(kinds: Iterable[str]) -> re.Pattern[str]:
    places = "|".join(_of_place(place) for kind in kinds for place in GRANTING[kind].split())
    return late_pattern(rf"(?:^|/)(?:{places})(?:/|\Z)", re.IGNORECASE)


def _of_place(place: str) -> str:
    return re.escape(place).replace(r"\*", "[^/]*")


_ALL = _pattern(GRANTING)
_NOT_DAILY = _pattern(kind for kind in GRANTING if kind not in _DAILY)
_BEGINNING = late_pattern(
    "|".join(
        _of_place(place.partition("/")[0])
        for places in (*GRANTING.values(), _AT_THE_TOP)
        for place in places.split()
    ),
    re.IGNORECASE,
)


def grants_power(path: str) -> bool:
    """Whether a change of the file at `path`, relative to the workspace and with `/`, grants power later."""
    return path.lower() == _AT_THE_TOP or _ALL.search(path) is not None


def is_power_name(path: str) -> bool:
    """Whether a command that names `path`, wherever that starts, may be about to change what grants power."""
    return _NOT_DAILY.search(path) is not None


def may_begin_power(name: str) -> bool:
    """Whether a path with a part of this name may grant power: a quick look before the others."""
    return _BEGINNING.fullmatch(name) is not None
