"""Rows of programs that only read.

The flags are those of GNU, BSD and macOS alike; left out are those that write, run programs, read names of
files from files, follow links out of the workspace, or never end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from text_agent.permissions.command_lines.program import Program, table

_GREP = Program(
    "-a -b -c -E -F -G -H -h -I -i -L -l -m: -n -o -P -q -r -s -T -U -v -w -x -y -z -Z -A: -B: -C: -e: -#"
    " --color? --colour? --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp:"
    " --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --files-with-matches"
    " --files-without-match --max-count: --only-matching --quiet --silent --no-messages --byte-offset"
    " --with-filename --no-filename --line-number --initial-tab --null --after-context: --before-context:"
    " --context: --text --binary-files: --exclude: --exclude-dir: --include: --recursive --null-data",
    operands="pattern and paths",
    deep="-r|--recursive|-R|--dereference-recursive",
)
_SUM = Program("-b -t --binary --text --tag -z --zero")
_NOTHING = Program("", most=0, shows=False)

READERS: Mapping[str, Program] = table({
    "ls": Program(
        "-A -a -B -b -C -c -d -F -f -G -g -h -i -k -l -m -N -n -o -p -Q -q -R -r -S -s -T -t -U -u -v -X -x"
        " -Z -1 --all --almost-all --author --color? --directory --classify? --file-type --full-time"
        " --group-directories-first --human-readable --si --inode --no-group --numeric-uid-gid --recursive"
        " --reverse --size --sort: --time: --time-style: --format: --indicator-style: --width:",
        shows=False, lists=True,
    ),
    "cat": Program("-A -b -E -e -n -s -T -t -u -v --number --number-nonblank --show-all --show-ends"
                   " --show-tabs --show-nonprinting --squeeze-blank"),
    "head": Program("-n: -c: -q -v -z -# --lines: --bytes: --quiet --silent --verbose"),
    "tail": Program("-n: -c: -q -v -z -r -# --lines: --bytes: --quiet --silent --verbose"),
    "tac": Program("-b -r -s: --before --regex --separator:"),
    "rev": Program(""),
    "nl": Program("-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:"),
    "wc": Program("-c -l -L -m -w --bytes --chars --lines --words --max-line-length"),
    "cut": Program("-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --only-delimited"
                   " --complement --output-delimiter:"),
    "column": Program("-t -s: -x -n -c:"),
    "sort": Program("-b -c -d -f -g -h -i -k: -M -m -n -R -r -s -t: -u -V -z --unique --reverse --stable"
                    " --numeric-sort --key: --field-separator: --human-numeric-sort --version-sort --check?"
                    " --ignore-case --general-numeric-sort --month-sort --ignore-leading-blanks",
                    writes="all", lines="--compress-program"),
    "uniq": Program("-c -d -D -f: -i -s: -u -w: -z --count --repeated --unique --ignore-case --skip-fields:"
                    " --skip-chars: --check-chars:", most=1, writes="all"),
    "tr": Program("-c -C -d -s -t --complement --delete --squeeze-repeats", operands="text"),
    "fold": Program("-b -s -w: --bytes --spaces --width:"),
    "expand": Program("-i -t: --initial --tabs:"),
    "comm": Program("-1 -2 -3 -i -z --check-order --nocheck-order --total"),
    "cmp": Program("-b -l -s -i: -n: --print-bytes --verbose --silent --quiet --bytes:"),
    "diff": Program(
        "-a -B -b -c -C: -d -E -i -N -p -q -r -s -t -T -U: -u -w -W: -x: -y -Z -# --brief --color? --context?"
        " --unified? --side-by-side --suppress-common-lines --recursive --new-file --text --ignore-case"
        " --ignore-all-space --ignore-space-change --ignore-blank-lines --minimal --width: --exclude:"
        " --strip-trailing-cr --report-identical-files --no-dereference",
        deep="*", follows=True,
    ),
    "grep egrep fgrep": _GREP,
    "rg": Program(
        "-A: -B: -C: -c -e: -F -g: -H -I -i -l -m: -N -n -o -P -p -q -S -s -T: -t: -U -v -w -x -0"
        " --after-context: --before-context: --context: --case-sensitive --color: --column --count"
        " --count-matches --files --files-with-matches --files-without-match --fixed-strings --glob: --iglob:"
        " --heading --no-heading --ignore-case --invert-match --json --line-number --no-line-number"
        " --line-regexp --max-columns: --max-count: --max-depth: --max-filesize: --multiline --no-filename"
        " --with-filename --only-matching --pcre2 --pretty --quiet --regexp: --smart-case --sort: --sortr:"
        " --stats --trim --type: --type-not: --type-list --vimgrep --word-regexp --no-config --no-messages"
        " --crlf --null",
        # A file such as `.rgignore` may name hidden files that are searched all the same.
        operands="pattern and paths", deep="*", skips_hidden=True, added="--no-config --glob='!.*'",
        lines="--pre",
    ),
    "stat": Program("-c: -f= -l -n -r -s -t= -x -F --format: --printf: --terse --file-system", shows=False),
    "file": Program("-b -E -h -i -I -k -N -n -r -v -0 -F: --brief --mime --mime-type"
                    " --mime-encoding --separator:"),
    "du": Program("-a -A -b -c -d: -g -h -H -k -l -m -S -s -x -# --all --apparent-size --bytes --total"
                  " --max-depth: --human-readable --si --summarize --one-file-system --exclude: --threshold:",
                  shows=False),
    "df": Program("-a -g -H -h -i -k -l -m -P -T --all --human-readable --inodes --local --portability"
                  " --total --print-type", shows=False),
    "tree": Program("-a -A -C -d -D -f -F -g -h -i -I: -L: -n -N -p -P: -q -Q -r -s -S -t -u -U -v"
                    " --dirsfirst --noreport --du --si --prune --sort: --filelimit: --charset: --gitignore",
                    style="next", shows=False, lists=True, writes="told"),
    "basename": Program("-a -s: -z --multiple --suffix: --zero", operands="text", shows=False),
    "dirname": Program("-z --zero", operands="text", shows=False),
    "realpath": Program("-e -m -q -s -z --canonicalize-existing --canonicalize-missing --quiet"
                        " --relative-to=", shows=False),
    "readlink": Program("-e -f -m -n -q -s -z --canonicalize --canonicalize-existing --no-newline",
                        shows=False),
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum": _SUM,
    "b2sum": Program(f"{_SUM.flags} -l: --length:"),
    "shasum": Program("-a: -b -t -p --algorithm: --binary --text"),
    "md5": Program("-q -r"), "cksum": Program(""),
    "strings": Program("-a -f -n: -o -t: -# --all --bytes: --radix: --print-file-name", never=r"@.*"),
    "od": Program("-A: -a -b -c -d -f -i -j: -l -N: -o -s -t: -v -w? -x --address-radix: --skip-bytes:"
                  " --read-bytes: --format: --output-duplicates --width?"),
    "hexdump": Program("-b -C -c -d -n: -o -s: -v -x"),
    "xxd": Program("-a -b -c: -e -g: -i -l: -n: -o: -p -ps -s: -u", style="alone", most=1, writes="told"),
    # It shows lines; all its other scripts may write, or run programs.
    "sed gsed": Program("-n", operands="pattern and paths", needs="-n", writes="all", language="editor",
                   pattern=r"(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?p)*"),
    "find": Program(
        "-a -and -o -or -not -d -daystart -depth -empty -false -H -ignore_readdir_race -ls -mount -nogroup"
        " -noleaf -nouser -P -print -print0 -prune -quit -readable -true -writable -executable -xdev"
        " -amin: -anewer= -atime: -cmin: -cnewer= -ctime: -fstype: -gid: -group: -ilname: -iname: -inum:"
        " -ipath: -iregex: -iwholename: -links: -lname: -maxdepth: -mindepth: -mmin: -mtime: -name: -newer="
        " -path: -perm: -printf: -regex: -regextype: -size: -type: -uid: -used: -user: -wholename: -xtype:",
        style="alone", shows=False, finds=True, lists=True, writes="told",
    ),
    "test": Program("-d -e -f -L -r -s -w -x", most=1, shows=False, built_in=True),
    "echo": Program("-n -e -E", operands="text", shows=False, lists=True, built_in=True),
    "printf": replace(_NOTHING, lists=True),
    "true": Program("", built_in=True), "false": Program("", built_in=True),
    "pwd": Program("-L -P", most=0, built_in=True),
    "command": Program("-v -V", needs="-v|-V", operands="text", starts=0, built_in=True),
    "[ [[ arch hostname logname lscpu whoami": _NOTHING,
    "nproc": Program("--all", most=0), "tty": Program("-s", most=0),
    "id": Program("-G -g -n -r -u", operands="text"), "groups": Program("", operands="text"),
    "uname": Program("-a -m -n -o -p -r -s -v --all", most=0),
    "uptime": Program("-p -s", most=0), "free": Program("-b -g -h -k -m -t -w", most=0),
    "date": Program("-I? -R -u --iso-8601? --rfc-3339? --rfc-email --utc", operands="text", never=r"[^-+].*"),
    "cal": Program("-3 -m -y", operands="text"),
    "which": Program("-a -s", operands="text"),
    "type": Program("-a -p -P -t", operands="text", built_in=True),
    "seq": Program("-f: -s: -w", operands="text"),
    # Its letters mean one thing with a dash and another without, and `x` may turn one into the other:
    # `e` is the environment of all programs then.
    "ps": Program("-A -a -e -f -l -ef -eF -efl -elf -u: -p: -o: -eo:", style="alone",
                  operands="text", secrets="*",
                  never=r"-e?o .*env.*|(?!-|(?:a|ax|auxw*|ux|x)$).*"),
})  # fmt: skip
