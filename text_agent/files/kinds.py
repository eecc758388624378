"""What a file is for, as its path tells."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

from text_agent.lazy_regex import late_pattern

# Other people's code, made anew by the thousand; and what version control keeps.
FOREIGN_FOLDERS = frozenset({"node_modules", ".venv", "venv", "__pycache__"})
SKIPPED_FOLDERS = FOREIGN_FOLDERS | {".git", ".hg", ".svn"}
Format = Literal["Python", "JSON", "JSON with comments", "JSON lines", "TOML", "YAML", "XML"]

_TEST = late_pattern(
    r"(?:^|/)(?:tests?|__tests__|spec)/"
    r"|(?:^|/)(?:tests?|test_[^/]*|[^/]*(?:_test|_spec|\.test|\.spec))\.\w+\Z"
)


def is_test(path: str) -> bool:
    """Whether the file `path` (with `/`) holds tests, in the customs of the common languages."""
    return _TEST.search(path) is not None


# Endings and names of files by format, in lower case; one with a `/` is about the folder, too. A file is
# valid if it is so in any of its formats.
_FORMATS: Mapping[Format, str] = {
    "Python": ".py .pyi .pyw",
    "JSON with comments": (
        "tsconfig*.json jsconfig*.json .vscode/*.json .devcontainer/*.json devcontainer.json"
        " .devcontainer.json babel.config.json pyrightconfig.json api-extractor.json rush.json turbo.json"
        " renovate.json .luarc.json .eslintrc.json appsettings*.json language-configuration.json bun.lock"
        " .babelrc .eslintrc .jshintrc .jscsrc .swcrc .prettierrc .stylelintrc .lintstagedrc .markdownlintrc"
        " .releaserc .commitlintrc .jsonc .code-workspace .code-snippets .sublime-project .sublime-settings"
        " .sublime-keymap"
    ),
    "JSON": (
        ".json .ipynb .geojson .topojson .webmanifest .har .jsonld .avsc .gltf .sarif .tfstate .arb .mcmeta"
        " .importmap .excalidraw composer.lock pipfile.lock flake.lock deno.lock .bowerrc .nycrc .htmlhintrc"
        " .csslintrc .watchmanconfig .arcconfig .all-contributorsrc .tern-project .firebaserc"
    ),
    "JSON lines": ".jsonl .ndjson .jsonlines",
    "TOML": (
        ".toml pipfile cargo.lock poetry.lock uv.lock pdm.lock gopkg.lock .cargo/config .cargo/credentials"
    ),
    "YAML": (
        ".yaml .yml .cff .sublime-syntax .clang-format .clang-tidy .clangd .yamllint .gemrc .condarc"
        " .prettierrc .eslintrc .stylelintrc .lintstagedrc .markdownlintrc .releaserc .commitlintrc"
        " chart.lock podfile.lock pubspec.lock"
    ),
    "XML": (
        ".xml .svg .xhtml .plist .entitlements .csproj .vbproj .fsproj .vcxproj .proj .props .targets .nuspec"
        " .resx .xaml .axaml .slnx .xsd .xsl .xslt .wsdl .rss .atom .kml .gpx .xlf .xliff .fxml .storyboard"
        " .xib .xcscheme .iml .ui .qrc .opf .ncx .urdf .wxs .classpath .project web.config app.config"
        " nuget.config packages.config"
    ),
}


def formats_of(path: str) -> tuple[Format, ...]:
    """The formats that the file `path` (with `/`) may have by its name; none for most files."""
    folder, _, name = path.lower().rpartition("/")
    names = (name, f"{folder.rpartition('/')[2]}/{name}")
    return tuple(
        format_
        for format_, patterns in _FORMATS.items()
        if any(fnmatchcase(each, _pattern(pattern)) for pattern in patterns.split() for each in names)
    )


def _pattern(name: str) -> str:
    return f"*{name}" if name[0] == "." and "/" not in name else name


def formats_by_text(text: str) -> tuple[Format, ...]:
    """The formats that a text shows at its beginning, whatever the name of its file tells."""
    beginning = text.lstrip()[:5]
    if beginning == "<?xml":
        return ("XML",)
    return ("JSON", "JSON with comments") if beginning[:1] in ("{", "[") and '"' in text else ()
