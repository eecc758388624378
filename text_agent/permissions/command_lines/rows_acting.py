"""Rows of programs that change files, machines and services, or know secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from text_agent.permissions.command_lines.program import Program, table

ENDS = "may end programs that it has not started (kill $! ends its own)"
_PUBLISHING = "publishes for good"
_PUBLISHED = "changes what is published"
_RUNS = "deletes what runs in a cloud"
_SETS = "config set|config edit"
_CLOUD = Program(many_sided=True, dangers={
    "* apps:destroy|* delete|* destroy|* pg:reset|* remove|* rm|* uninstall": _RUNS,
})  # fmt: skip
_KERNEL = "changes the running kernel"
_BUCKET = "deletes what lies in a bucket"
_OUT = "gives a container the rights of the machine"
_PUBLISHER = Program(many_sided=True, dangers={"publish": _PUBLISHING})
_NODE = replace(
    _PUBLISHER, dangers={"publish": _PUBLISHING, "unpublish": _PUBLISHED}, powers=_SETS, starts=1,
    secrets="config get|get|token",
)  # fmt: skip
_DELETES = Program(shows=False, deletes="all")
_COPY = Program(writes="last", loses=True)

ACTING: Mapping[str, Program] = table({
    # Files.
    "rm rmdir unlink trash trash-put rimraf del del-cli": replace(_DELETES, writes="all"),
    "gio": Program(commands={"remove": _DELETES, "trash": _DELETES}),
    "mv": Program(writes="all", loses=True, deletes="sources"),
    "cp": replace(_COPY, packs="-r|-R|-a|--recursive|--archive"),
    "install ln": _COPY,
    "rsync": replace(_COPY, packs="*", lines="-o|-e|--rsh|--rsync-path", dangers={
        "--delete|--delete-after|--del|--remove-source-files": "deletes what its source does not have",
    }),
    "tee sponge": Program(writes="all", loses=True),
    "truncate": Program(writes="all", loses=True, shows=False),
    "patch": Program(writes="all"),
    "chmod touch": Program(writes="all", shows=False),
    "mkdir": Program(shows=False),
    "7z 7za": Program(packs="*", unpacks="x|e", dangers={"-sdel": "deletes what it packs"}),
    "cpio pax": Program(packs="*", unpacks="-i|-r|--extract"),
    "unzip": Program(unpacks=r"~^(?!.*(?:^| )-\w*[lptvZ])"),
    "bsdtar tar": Program(
        packs=r"~^\w*[cru]\w* |(?:^| )-\w*[cru]|--(?:create|append|update)",
        unpacks=r"~^\w*x|(?:^| )-\w*x|--(?:extract|get)", dangers={"--remove-files": "deletes what it packs"},
        lines="--to-command|-I|--use-compress-program|--checkpoint-action|-F|--info-script"
              "|--new-volume-script|--rsh-command|--rmt-command",
    ),
    "zip": Program(packs="*", dangers={"-m|--move": "deletes what it packs"}),
    "cmake": Program("--version", needs="--version", most=0,
                     dangers={"-E rm|-E remove|-E remove_directory": "deletes files"}),
    "aria2c curl fetch ftp http wget xh": Program(fetches=True),
    "scp": Program(fetches=True, packs="-r", lines="-o|-e|--rsh|--rsync-path"),
    # Disks, machines, users.
    "blkdiscard cfdisk cryptsetup dd fdisk gdisk lvremove mkdosfs mke2fs mkfs mkfs.bfs mkfs.btrfs mkfs.exfat"
    " mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.f2fs mkfs.fat mkfs.jfs mkfs.minix mkfs.msdos mkfs.ntfs mkfs.vfat"
    " mkfs.xfs mkntfs mkswap newfs parted pvremove sfdisk sgdisk vgremove wipefs":
        Program(writes="all", dangers={"": "overwrites disks or files"}),
    "shred srm wipe": replace(_DELETES, dangers={"": "destroys files for good"}),
    "halt poweroff reboot shutdown telinit": Program(dangers={"": "stops the machine"}),
    "addgroup adduser chpasswd chsh deluser gpasswd groupadd groupdel groupmod passwd useradd userdel usermod"
    " visudo": Program(dangers={"": "changes users"}),
    "insmod kexec modprobe rmmod": Program(dangers={"": _KERNEL}),
    "sysctl": Program(dangers={r"~=|(?:^| )-\w*[wp]|--(?:write|load|system)": _KERNEL}),
    "diskutil": Program(
        dangers={"eraseDisk|eraseVolume|partitionDisk|reformat|secureErase|zeroDisk": "overwrites disks"}
    ),
    "zfs zpool": Program(dangers={"destroy": "destroys file systems"}),
    "btrfs": Program(dangers={"subvolume delete": "destroys file systems"}),
    "init": Program(dangers={"0|6": "stops the machine"}),
    "systemctl": Program(many_sided=True, powers="enable|link|edit|reenable",
                         secrets=r"~^show-environment|^show\b.*Environment",
                         dangers={"halt|hibernate|kexec|poweroff|reboot|suspend": "stops the machine"}),
    "loginctl": Program(dangers={
        "kill-seat|kill-session|kill-user|terminate-seat|terminate-session|terminate-user":
            "ends all programs of a user",
    }),
    "launchctl": Program(powers="load|bootstrap|enable|submit", secrets="export|getenv|print"),
    "crontab": Program(powers="*"),
    "killall killall5 pkill skill slay xkill": Program(ends="named"),
    "kill": Program(ends="numbered"),
    "fuser": Program(dangers={"-k|--kill": ENDS}),
    # Databases and clouds.
    "clickhouse-client duckdb mariadb mongo mongosh mysql psql redis-cli sqlite3": Program(dangers={
        r"~(?i)\bdrop\s+(?:database|schema|table|user)\b|\btruncate\s+\w|\bflush(?:all|db)\b"
        r"|\.drop(?:Database)?\(": "deletes what is in a database",
    }),
    "dropdb dropuser": Program(dangers={"": "deletes a database, or a user of it"}),
    "doctl eksctl netlify": replace(_CLOUD, secrets="env:list|auth|compute ssh"),
    "az": replace(_CLOUD, secrets="account get-access-token|keyvault secret|acr credential|* list-keys"
                                  "|* keys"),
    "gcloud": replace(_CLOUD, secrets="auth print-access-token|auth print-identity-token|secrets versions"
                                      "|auth application-default|config config-helper"),
    "helm": replace(_CLOUD, secrets="get values|get all"),
    "oc": replace(_CLOUD, secrets="whoami -t|config view|get secret|get secrets|extract"),
    "heroku": replace(_CLOUD, secrets="config|auth:token|pg:credentials"),
    "fly flyctl": replace(_CLOUD, secrets="auth token|tokens"),
    "vercel": replace(_CLOUD, secrets="env"),
    "aws": Program(many_sided=True, dangers={"s3 rb|s3 rm|s3 sync --delete": _BUCKET},
                   secrets="configure get|configure export-credentials|ecr get-login-password|secretsmanager"
                           "|ssm get-parameter|ssm get-parameters|ssm get-parameters-by-path"
                           "|sts get-session-token|sts get-federation-token|sts assume-role"
                           "|sts assume-role-with-saml|sts assume-role-with-web-identity"
                           "|sso get-role-credentials|iam create-access-key"),
    "gsutil": Program(dangers={"rm|rb": _BUCKET}),
    "kubectl": Program(many_sided=True, dangers={"delete": "deletes what runs in a cluster"},
                       secrets=r"~config view|get .*\bsecrets?\b|(?: |^)(?:print)?env(?: |$)|create token"),
    "pulumi terraform tofu": Program(
        many_sided=True, dangers={"destroy": "destroys what runs"},
        secrets="output|show|state pull|state show|config get|stack output|config --show-secrets",
    ),
    "docker docker-compose nerdctl podman podman-compose apptainer singularity buildah finch": Program(
        many_sided=True,
        dangers={
            "container prune|image prune|network prune|system prune": "deletes images, containers, networks",
            "volume prune|volume rm|* down -v|* down --volumes": "deletes volumes",
            "--privileged|--cap-add|--device|--pid|--security-opt": _OUT,
        },
        secrets="config|compose config|inspect|container inspect|context export|* env|* printenv"
                "|swarm join-token|secret inspect --showsecret",
        mounts="-v|--volume|--mount|-B|--bind",
    ),
    "incus lxc": Program(dangers={r"~source=(?:/|~|\$)": _OUT}),
    "systemd-nspawn": Program(mounts="-D|--directory|--bind|--bind-ro"),
    # Packages and repositories.
    "pnpm yarn": _NODE, "bun": replace(_NODE, language="code"), "npm": replace(_NODE, lines="-c|--call"),
    "cargo": replace(_PUBLISHER, dangers={"publish": _PUBLISHING, "yank": _PUBLISHED}),
    "flit": _PUBLISHER,
    "hatch pdm poetry uv": replace(_PUBLISHER, starts=1, secrets="config --list|auth"),
    "gem": Program(many_sided=True, dangers={"push": _PUBLISHING, "yank": _PUBLISHED}),
    "twine": Program(dangers={"upload": _PUBLISHING}),
    "pip pip3": Program(many_sided=True, powers=_SETS, secrets="config list|config get|config debug"),
    "gh": Program(many_sided=True, secrets="auth token|auth status --show-token|auth status -t",
                  dangers={"release delete": "deletes a release", "repo delete": "deletes a repository"}),
    "glab": Program(many_sided=True, secrets="auth|config get"),
    "apt apt-get brew composer conda dotnet go gradle mvn pipx rustup": Program(many_sided=True),
    "husky lefthook pre-commit": Program(powers="install|init|add|init-templatedir"),
    # Keepers of secrets.
    "pass rbw gopass op bw lpass keyring secret-tool vault kwallet-query keepassxc-cli sops age ansible-vault"
    " doppler chamber infisical dcli docker-credential-desktop docker-credential-ecr-login"
    " docker-credential-gcr docker-credential-osxkeychain docker-credential-pass"
    " docker-credential-secretservice docker-credential-wincred": Program(secrets="*"),
    "gpg": Program(secrets="--export-secret-keys|--export-secret-subkeys|--export-secret-key|--decrypt|-d"),
    "security": Program(secrets="find-generic-password|find-internet-password|dump-keychain|export"),
    "certutil": Program(secrets="-K"), "ssh-keygen": Program(secrets="-y"),
})  # fmt: skip
