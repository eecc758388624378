"""Programs that do all they can to outlive the command that started them."""

from __future__ import annotations

import sys
from pathlib import Path

# It starts its successor after 50 ms, in a session of its own, and ends; the other one goes on starting.
_CHAIN = "trap '' TERM HUP INT\nsleep 0.05\nsetsid bash chain.sh {word} &\n"
_RESPAWN = "trap '' TERM HUP INT\nwhile :; do setsid sleep 0.2 & sleep 0.05; done\n"
_DAEMON = """
import os, signal, sys, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.chdir("/")
os.closerange(0, 256)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
time.sleep(300)
"""
_BOMB = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
end = time.time() + 60
for _ in range(3):
    os.fork()
    os.setpgid(0, 0)
while time.time() < end:
    if not os.fork(): time.sleep(0.3); os._exit(0)
    os.waitpid(-1, os.WNOHANG)
    time.sleep(0.1)
"""
# Chains; programs without an environment, with other names, stopped ones; what holds the output open,
# and what has closed it; what is in another folder, session and group.
_LINES = """
for i in $(seq 4); do setsid bash chain.sh {word} & done
setsid bash respawn.sh {word} &
{python} daemon.py {word} &
{python} bomb.py {word} &
nohup sleep 300 >/dev/null 2>&1 & disown
(exec -a renamed-{word} sleep 300 &)
(setsid setsid sleep 300 &)
env -i PATH="$PATH" setsid sh -c 'trap "" TERM HUP INT; sleep 300; sleep 300' {word} &
setsid sh -c 'trap "" TERM; sleep 300; sleep 300' <&- >&- 2>&- &
(cd / && exec sleep 300) &
sh -c 'kill -STOP $$; sleep 300' &
coproc sleep 300
touch started
"""


CHAINS = "for i in $(seq 20); do setsid bash chain.sh {word} & done"


def write_survivors(folder: Path, word: str) -> str:
    """Writes the programs into `folder`, and returns the command that starts all of them.

    `word` stands in the environment or the arguments of each.
    """
    python = f"{sys.executable} -I -S"
    texts = {"chain.sh": _CHAIN, "respawn.sh": _RESPAWN, "daemon.py": _DAEMON, "bomb.py": _BOMB}
    for name, text in texts.items():
        (folder / name).write_text(text.replace("{word}", word))
    (folder / "all.sh").write_text(_LINES.replace("{word}", word).replace("{python}", python))
    return "bash -m all.sh"
