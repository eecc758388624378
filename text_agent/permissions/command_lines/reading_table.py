"""Programs that only read, with the flags that keep them so. What is not here asks.

The flags are those of GNU, BSD and macOS alike; left out are those that write, run programs, read names of
files from files, follow links out of the workspace, or never end. See `options` for how they are written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Operands = Literal["paths", "pattern and paths", "text"]

_GREP = (
    "-a -b -c -E -F -G -H -h -I -i -L -l -m: -n -o -P -q -r -s -T -U -v -w -x -y -z -Z -A: -B: -C: -e: -#"
    " --color? --colour? --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp:"
    " --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --files-with-matches"
    " --files-without-match --max-count: --only-matching --quiet --silent --no-messages --byte-offset"
    " --with-filename --no-filename --line-number --initial-tab --null --after-context: --before-context:"
    " --context: --text --binary-files: --exclude: --exclude-dir: --include: --recursive --null-data"
)
_SUMS = "-b -t --binary --text --tag -z --zero"
_SHA = "-a: -b -t -p --algorithm: --binary --text"


@dataclass(frozen=True, slots=True)
class Reader:
    """A program that only reads.

    Attributes:
        flags: those that it may have.
        operands: what the words are that belong to no flag.
        most: how many operands it may have; a further one would be written to, or set something.
        shows: it shows what is in files, not only that they are there.
        deep: flags with which it reads all files of a folder; `*` where it always does.
    """

    flags: str = ""
    operands: Operands = "paths"
    most: int | None = None
    shows: bool = True
    deep: str = ""


READERS: Mapping[str, Reader] = {
    "ls": Reader(
        "-A -a -B -b -C -c -d -F -f -G -g -h -i -k -l -m -N -n -o -p -Q -q -R -r -S -s -T -t -U -u -v -X -x"
        " -Z -1"
        " --all --almost-all --author --color? --directory --classify? --file-type --full-time"
        " --group-directories-first"
        " --human-readable --si --inode --no-group --numeric-uid-gid --recursive --reverse --size --sort:"
        " --time:"
        " --time-style: --format: --indicator-style: --width:",
        shows=False,
    ),
    "cat": Reader("-A -b -E -e -n -s -T -t -u -v --number --number-nonblank --show-all --show-ends"
                  " --show-tabs --show-nonprinting --squeeze-blank"),
    "head": Reader("-n: -c: -q -v -z -# --lines: --bytes: --quiet --silent --verbose"),
    "tail": Reader("-n: -c: -q -v -z -r -# --lines: --bytes: --quiet --silent --verbose"),
    "tac": Reader("-b -r -s: --before --regex --separator:"),
    "rev": Reader(),
    "nl": Reader("-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:"),
    "wc": Reader("-c -l -L -m -w --bytes --chars --lines --words --max-line-length"),
    "cut": Reader("-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --only-delimited"
                  " --complement --output-delimiter:"),
    "column": Reader("-t -s: -x -n -c:"),
    "sort": Reader("-b -c -d -f -g -h -i -k: -M -m -n -R -r -s -t: -u -V -z --unique --reverse --numeric-sort"
                   " --key: --field-separator: --human-numeric-sort --version-sort --check? --ignore-case"
                   " --stable"
                   " --general-numeric-sort --month-sort --ignore-leading-blanks"),
    "uniq": Reader("-c -d -D -f: -i -s: -u -w: -z --count --repeated --unique --ignore-case --skip-fields:"
                   " --skip-chars: --check-chars:", most=1),
    "tr": Reader("-c -C -d -s -t --complement --delete --squeeze-repeats", "text"),
    "fold": Reader("-b -s -w: --bytes --spaces --width:"),
    "expand": Reader("-i -t: --initial --tabs:"),
    "comm": Reader("-1 -2 -3 -i -z --check-order --nocheck-order --total"),
    "cmp": Reader("-b -l -s -i: -n: --print-bytes --verbose --silent --quiet --bytes:"),
    "diff": Reader(
        "-a -B -b -c -C: -d -E -i -N -p -q -r -s -t -T -U: -u -w -W: -x: -y -Z -# --brief --color? --context?"
        " --unified? --side-by-side --suppress-common-lines --recursive --new-file --text --ignore-case"
        " --ignore-all-space --ignore-space-change --ignore-blank-lines --minimal --width: --exclude:"
        " --strip-trailing-cr --report-identical-files --no-dereference",
        deep="-r --recursive",
    ),
    "grep": Reader(_GREP, "pattern and paths", deep="-r --recursive"),
    "egrep": Reader(_GREP, "pattern and paths", deep="-r --recursive"),
    "fgrep": Reader(_GREP, "pattern and paths", deep="-r --recursive"),
    "rg": Reader(
        "-A: -B: -C: -c -e: -F -g: -H -I -i -l -m: -N -n -o -P -p -q -S -s -T: -t: -U -v -w -x -0"
        " --after-context:"
        " --before-context: --context: --case-sensitive --color: --column --count --count-matches --files"
        " --files-with-matches --files-without-match --fixed-strings --glob: --iglob: --heading --no-heading"
        " --ignore-case --invert-match --json --line-number --no-line-number --line-regexp --max-columns:"
        " --max-count: --max-depth: --max-filesize: --multiline --no-filename --with-filename --only-matching"
        " --pcre2 --pretty --quiet --regexp: --smart-case --sort: --sortr: --stats --trim --type: --type-not:"
        " --type-list --vimgrep --word-regexp --no-config --no-messages --crlf --null",
        "pattern and paths", deep="*",
    ),
    "stat": Reader("-c: -f= -l -n -r -s -t= -x -F --format: --printf: --terse --file-system", shows=False),
    "file": Reader("-b -E -h -i -I -k -N -n -r -v -0 -F: --brief --mime --mime-type"
                   " --mime-encoding --separator:"),
    "du": Reader("-a -A -b -c -d: -g -h -H -k -l -m -S -s -x -# --all --apparent-size --bytes --total"
                 " --max-depth: --human-readable --si --summarize --one-file-system --exclude: --threshold:",
                 shows=False),
    "df": Reader("-a -g -H -h -i -k -l -m -P -T --all --human-readable --inodes --local --portability --total"
                 " --print-type", shows=False),
    "tree": Reader("-a -A -C -d -D -f -F -g -h -i -I: -L: -n -N -p -P: -q -Q -r -s -S -t -u -U -v --dirsfirst"
                   " --noreport --du --si --prune --sort: --filelimit: --charset: --gitignore", shows=False),
    "basename": Reader("-a -s: -z --multiple --suffix: --zero", "text"),
    "dirname": Reader("-z --zero", "text"),
    "realpath": Reader("-e -m -q -s -z --canonicalize-existing --canonicalize-missing --quiet --relative-to=",
                       shows=False),
    "readlink": Reader("-e -f -m -n -q -s -z --canonicalize --canonicalize-existing --no-newline",
                       shows=False),
    "md5sum": Reader(_SUMS), "sha1sum": Reader(_SUMS), "sha224sum": Reader(_SUMS), "sha256sum": Reader(_SUMS),
    "sha384sum": Reader(_SUMS), "sha512sum": Reader(_SUMS), "b2sum": Reader(f"{_SUMS} -l: --length:"),
    "shasum": Reader(_SHA), "md5": Reader("-q -r"), "cksum": Reader(),
    "strings": Reader("-a -f -n: -o -t: -# --all --bytes: --radix: --print-file-name"),
    "od": Reader("-A: -a -b -c -d -f -i -j: -l -N: -o -s -t: -v -w? -x --address-radix: --skip-bytes:"
                 " --read-bytes: --format: --output-duplicates --width?"),
    "hexdump": Reader("-b -C -c -d -n: -o -s: -v -x"),
    "xxd": Reader("-a -b -c: -e -g: -i -l: -n: -o: -p -s: -u", most=1),
    "test": Reader("-d -e -f -L -r -s -w -x", most=1, shows=False),
    "echo": Reader("-n -e -E", "text"),
    "true": Reader(), "false": Reader(),
    "pwd": Reader("-L -P", most=0),
    "whoami": Reader(most=0), "arch": Reader(most=0), "nproc": Reader("--all", most=0),
    "tty": Reader("-s", most=0),
    "id": Reader("-G -g -n -r -u", "text"), "groups": Reader("", "text"), "logname": Reader(most=0),
    "hostname": Reader(most=0), "uname": Reader("-a -m -n -o -p -r -s -v --all", most=0),
    "uptime": Reader("-p -s", most=0), "free": Reader("-b -g -h -k -m -t -w", most=0),
    "lscpu": Reader("", most=0),
    "date": Reader("-I? -R -u --iso-8601? --rfc-3339: --rfc-email --utc", "text"),
    "cal": Reader("-3 -m -y", "text"),
    "which": Reader("-a -s", "text"), "type": Reader("-a -p -P -t", "text"),
    "seq": Reader("-f: -s: -w", "text"),
    "ps": Reader("-A -a -e -f -l -x -u: -p: -o:", "text"),
}  # fmt: skip

# Shells have these built in: no program of their name is looked for.
BUILT_IN = frozenset({"echo", "true", "false", "pwd", "test", "type"})

# Programs that tell their version and do nothing else. Those that first look into the folder for which
# version of themselves to start (cargo, go, yarn, ...) would start what the folder names.
TELLING_VERSIONS = frozenset(
    {"bash", "clang", "cmake", "g++", "gcc", "git", "make", "node", "python", "python3"}
)

# What `find` may be told: each test or action, with how many words follow it. None runs or deletes anything.
FIND_WORDS: Mapping[str, int] = {
    **dict.fromkeys(
        ("-a", "-and", "-o", "-or", "-not", "!", "(", ")", ",", "-d", "-daystart", "-depth", "-empty",
         "-false", "-H",
         "-ignore_readdir_race", "-ls", "-mount", "-nogroup", "-noleaf", "-nouser", "-P", "-print",
         "-print0", "-prune",
         "-quit", "-readable", "-true", "-writable", "-executable", "-xdev"), 0,
    ),
    **dict.fromkeys(
        ("-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-ctime", "-fstype", "-gid", "-group",
         "-ilname", "-iname",
         "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname", "-maxdepth", "-mindepth",
         "-mmin", "-mtime",
         "-name", "-newer", "-path", "-perm", "-printf", "-regex", "-regextype", "-size", "-type", "-uid",
         "-used",
         "-user", "-wholename", "-xtype"), 1,
    ),
}  # fmt: skip
