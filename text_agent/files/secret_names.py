"""Which files hold secrets, by their names and by what stands in them: tables of kinds."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from text_agent.lazy_regex import late_pattern


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What in the home folder holds keys, tokens or passwords; the rest of a program's settings is needed.
HOME_SECRETS = _words("""
    .ssh .aws .gnupg .azure .kube .docker .password-store .netrc .npmrc .pypirc .git-credentials
    .config/git/credentials .config/gh .config/gcloud .config/op .config/rclone .1password .colima .orbstack
    .cargo/credentials .cargo/credentials.toml .gem/credentials .terraform.d .local/share/keyrings .mozilla
    .config/google-chrome .config/chromium .bash_history .zsh_history .python_history Library/Keychains
    Library/Cookies
""")

# Files of programs, by their whole name.
_NAMES = _words("""
    .netrc _netrc .npmrc .pypirc .git-credentials .pgpass pgpass.conf .my.cnf .mylogin.cnf .authinfo .rhosts
    .dockercfg .dockerconfigjson .s3cfg .boto .vault-token .terraformrc terraform.rc .databrickscfg
    .sentryclirc .fetchmailrc .msmtprc .renviron htpasswd .htpasswd .htdigest wp-config.php
    local.settings.json settings-security.xml application_default_credentials.json token.json token.pickle
    master.key secrets.sh secret.sh credentials.sh id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk
    auth.json rclone.conf .flaskenv cookies.txt cookies.sqlite wallet.dat
""")
# Keys and stores of keys, states and variables of infrastructure: by what stands behind the last point.
_ENDINGS = _words("""
    env key pem p8 p12 pfx pk8 pkcs12 jks jceks bks keystore keytab ppk kdb kdbx ovpn agekey snk htpasswd
    tfstate tfvars kubeconfig
""")
# Those of them that people copy from a template.
_WRITTEN_BY_HAND = ("env", "tfvars")
# A part of a name between two points that begins or ends with one of these says what the file is for.
_WORDS = _words("""
    secret secrets credential credentials creds kubeconfig kube-config client-secret client-secrets
    service-account serviceaccount vault-pass vault-password vaultpass smbcredentials api-key api-keys apikey
    apikeys private-key private-keys secret-key ssh-key access-token access-tokens auth-token oauth-token
    bearer-token api-token api-tokens
""")
# A part that is one of these, and nothing else.
_WHOLE_WORDS = frozenset({"vault", "password", "passwords", "passwd"})
_ANY_WORD = late_pattern("|".join(sorted(_WORDS | _WHOLE_WORDS)))
# Folders whose files are all secret, program text aside.
_FOLDERS = frozenset({"secrets", ".secrets", "credentials", ".credentials", ".vault"})
_PLACES = late_pattern(
    r"""(?:^|/)(?:
        \.aws/(?:credentials|config) | \.kube/config | \.docker/config\.json | \.cargo/credentials(?:\.toml)?
      | (?:\.azure|gcloud)/.+ | \.m2/settings\.xml | \.composer/auth\.json | \.vnc/passwd | \.gem/credentials
      | \.config/(?:text-agent|gh|op|rclone|git/credentials)(?:/.+)? | \.password-store/.+
      | \.ssh/(?!known_hosts)(?![^/]+\.pub$).+ | \.gnupg/.+
    )\Z""",
    re.VERBOSE,
)
# Settings for one place or stage, such as `.env.local`, `.env-prod`, `.envrc`, `env.production`; and others.
_SHAPES = late_pattern(
    r"\.env(?:rc)?(?:[._-].*)?\Z|env\.(?:local|prod(?:uction)?|dev(?:elopment)?|stag(?:e|ing)|test)\Z"
    r"|.*\.tfstate\.|.*\.tfvars\.json\Z|\.\w+_history\Z|.*\.env(?:[_-]\w+|\.txt)\Z"
    r"|(?:.*[._-])?(?:id|deploy)_(?:rsa|dsa|ecdsa|ed25519)(?:[_-]\w+)?\Z"
    r"|.*(?:service[-_]?account|firebase-adminsdk).*\.json\Z"
)
# A copy that an editor, a person or a program has left of a file.
_COPY = late_pattern(r"(?:~|\.(?:bak|backup|old|orig|save|saved|copy|tmp|sw[a-p]|\d+))+\Z")
_COPY_ENDINGS = _words("bak backup old orig save saved copy tmp swo swp")
# There to be read: what a secret file has to hold.
_TEMPLATES = _words("example examples sample template templates tmpl tpl dist default defaults skel")
_DATA = _words("env json yaml yml toml ini cfg conf txt xml tfvars properties")
# Program text and documents, which are about secrets more often than they hold them.
_TEXTS = _words("""
    py pyi pyx ipynb js jsx mjs cjs ts tsx mts cts vue svelte go rs rb java kt kts scala groovy gradle c h cc
    cpp cxx hh hpp cs fs vb swift m mm php pl pm lua r jl dart ex exs erl hs ml mli clj cljs elm zig nim sh
    bash zsh fish ps1 bat cmd sql proto graphql tf hcl html htm css scss sass less md markdown rst adoc tex
    pdf svg png jpg jpeg gif webp ico pub lock snap
""")
_BETWEEN_WORDS = late_pattern(r"[-_ ]+")

# Files whose names may mean a key or a certificate; only a key is secret.
_KEY_OR_CERTIFICATE = (".pem", ".key")
# Certificate bundles have a few hundred kilobytes; a larger file counts as secret unseen.
_MAX_BUNDLE_BYTES = 2_000_000
# Of a file in which keys are looked for: settings are shorter; and of one that has to begin with a key.
_HEAD_BYTES = 65_536
_BEGINNING_BYTES = 4096
_PRIVATE_KEY = late_pattern(rb"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
# Keys of well-known services, which begin with what they are for.
_SERVICE_KEY = late_pattern(
    rb"""(?<![\w-])(?:
        (?:AKIA|ASIA)[0-9A-Z]{16} | gh[opusr]_[A-Za-z0-9]{36,} | github_pat_\w{50,} | glpat-[\w-]{20,}
      | xox[a-z]-[\w-]{20,} | sk-[\w-]{20,} | [rs]k_live_\w{20,} | AIza[\w-]{35} | npm_[A-Za-z0-9]{36}
      | pypi-AgE[\w-]{50,} | hf_[A-Za-z0-9]{30,} | dop_v1_[0-9a-f]{64} | SG\.[\w-]{20,}\.[\w-]{40,}
      | AGE-SECRET-KEY-1[0-9A-Z]{50,}
    )(?![\w-])""",
    re.VERBOSE,
)
_NAMED_KEY = late_pattern(
    rb"aws_secret_access_key\W{1,5}[\w/+]{40}|client-key-data:\s*[\w/+=]{40}|_auth(?:Token)?\W{1,4}[\w/+=-]{20}"
)
# Random letters are more different ones; an example repeats a few, or says what it is.
_FEWEST_DIFFERENT = 10
_PLACEHOLDER = late_pattern(rb"example|your|placeholder|xxxx|0{6}|1234567", re.IGNORECASE)


def has_secret_name(path: str) -> bool:
    """Whether a path, with `/`, names a secret file; the file need not exist."""
    path = path.lower()
    folder, _, name = path.rpartition("/")
    if _is_secret(name) or _is_in_folder(folder, name):
        return True
    return ("." in path[:1] or "/." in path or "gcloud/" in path) and _PLACES.search(path) is not None


def is_text(name: str) -> bool:
    """Whether a file holds, by its name, program text or a document."""
    return name.lower().rpartition(".")[2] in _TEXTS


def _is_secret(name: str) -> bool:
    _, point, ending = name.rpartition(".")
    may_be_copy = ending in _COPY_ENDINGS or ending.isdigit() or name.endswith("~")
    if may_be_copy and (copied := _COPY.sub("", name)) not in ("", name):
        return _is_secret(copied)
    if name in _NAMES:
        return True
    if ending in _ENDINGS and point:
        return ending not in _WRITTEN_BY_HAND or not _is_template(name)
    if ending in _TEXTS and name[0] != ".":
        return False
    return bool(_SHAPES.match(name) or (ending not in _TEXTS and _says_secret(name))) and not _is_template(
        name
    )


def _says_secret(name: str) -> bool:
    name = _BETWEEN_WORDS.sub("-", name)
    if not _ANY_WORD.search(name) or (name in _WORDS | _WHOLE_WORDS and not name.startswith("kube")):
        return False
    for part in name.split("."):
        words = part.split("-")
        ends = {words[0], words[-1], "-".join(words[:2]), "-".join(words[-2:])}
        if part in _WHOLE_WORDS or ends & _WORDS:
            return True
    return False


def _is_template(name: str) -> bool:
    """Whether the first or the last word of a name, endings of data aside, says that it is a template."""
    words = re.split(r"[._-]+", name.strip("."))
    if words[-1] in _DATA:
        words = words[:-1] or words
    return words[0] in _TEMPLATES or words[-1] in _TEMPLATES


def _is_in_folder(folder: str, name: str) -> bool:
    if "secrets" not in folder and "credentials" not in folder and ".vault" not in folder:
        return False
    return bool(_FOLDERS.intersection(folder.split("/"))) and not is_text(name) and not _is_template(name)


def holds_key(path: Path) -> bool:
    """Whether a file begins with a private key, or holds a key and is neither program text nor a document."""
    if is_text(path.name):
        return _PRIVATE_KEY.match(_read(path, _BEGINNING_BYTES).lstrip()) is not None
    head = _read(path, _HEAD_BYTES)
    keys = (key for pattern in (_SERVICE_KEY, _NAMED_KEY) for key in pattern.findall(head))
    return _PRIVATE_KEY.search(head) is not None or any(map(_is_random, keys))


def _is_random(key: bytes) -> bool:
    """Whether a key is one, and not an example of how it looks or a word that begins like it."""
    has_digit = any(48 <= byte < 58 for byte in key)
    return len(set(key)) >= _FEWEST_DIFFERENT and has_digit and not _PLACEHOLDER.search(key)


def is_public(path: Path) -> bool:
    """Whether a file is only called like a key, and holds certificates or public keys."""
    if not path.name.lower().endswith(_KEY_OR_CERTIFICATE):
        return False
    content = _read(path, _MAX_BUNDLE_BYTES + 1)
    return len(content) <= _MAX_BUNDLE_BYTES and b"-----BEGIN " in content and b"PRIVATE" not in content


def _read(path: Path, size: int) -> bytes:
    """The beginning of a regular file; nothing of what is none or cannot be read, and no waiting for it."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return b""
    try:
        return os.read(file, size) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(file)
