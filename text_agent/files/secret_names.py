"""Which names files with secrets have: a table of kinds; what a name leaves open is told by the content."""

from __future__ import annotations

import re

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
    """Whether a part of the name says that the file is for secrets; a bare word may be a folder."""
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
