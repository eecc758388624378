"""Tasks by somebody who had seen no measure for weak models, written after the last of them."""

from __future__ import annotations

from bench.tasks.task import RUN_TESTS, Task

LOGIN = """\
import limits


class Locked(Exception):
    pass


def login(user, password):
    if user.locked:
        raise Locked(user.name)
    if password == user.password:
        user.failures = 0
        return True
    user.failures += 1
    if user.failures >= limits.MAX_FAILURES:
        user.locked = True
    return False
"""

LISTS = """\
def chunks(values, size):
    return [values[start : start + size] for start in range(0, len(values), size)]


def only_once(values):
    return list(dict.fromkeys(values))


def flatten(rows):
    return [value for row in rows for value in row]
"""

TAGS_TEST = """\
from tags import tagged


def test_every_call_begins_anew():
    assert tagged('red') == ['red']
    assert tagged('blue') == ['blue']


def test_list_is_extended():
    assert tagged('blue', ['red']) == ['red', 'blue']
"""

PAGING = """\
def page(items, number, size):
    start = (number - 1) * size
    return items[start : start + size]


def page_count(items, size):
    return len(items) // size
"""

CATALOG = """\
from paging import page, page_count

SIZE = 3


def show(items, number):
    return f"{' '.join(page(items, number, SIZE))} ({number} of {page_count(items, SIZE)})"
"""

CATALOG_TEST = """\
from catalog import show


def test_full_pages():
    assert show(['a', 'b', 'c', 'd', 'e', 'f'], 1) == 'a b c (1 of 2)'


def test_last_page_is_not_full():
    assert show(['a', 'b', 'c', 'd', 'e', 'f', 'g'], 3) == 'g (3 of 3)'
"""

ITEM = """\
class Item:
    def __init__(self, name, qty=1):
        self.name = name
        self.qty = qty
"""

BASKET = """\
from item import Item


def basket(names):
    return [Item(name, qty=names.count(name)) for name in sorted(set(names))]


def pieces(items):
    return sum(item.qty for item in items)
"""

MENU = """\
{
  "currency": "EUR",
  "dishes": [
    {"name": "salad", "price": 6.2, "vegan": true},
    {"name": "soup", "price": 5.8, "vegan": true},
    {"name": "fish", "price": 11.5, "vegan": false}
  ]
}
"""

BACKUP_INI = """\
; runs every night
[backup]
folder = /var/backup
keep = 10
compress = yes

[upload]
host = files.example.org
retries = 10
"""

PLAYLIST = '''\
class Playlist:
    """Songs in the order in which they are played."""

    def __init__(self, name):
        self.name = name
        self.songs = []

    def add(self, title, seconds):
        self.songs.append((title, seconds))
'''

LAST = [
    Task(
        "clock",
        "Create clock.py with a function clock(seconds) that returns a text of minutes and seconds in the "
        "form m:ss. So 125 becomes '2:05', and 59 becomes '0:59'.",
        {},
        "from clock import clock\n"
        "assert [clock(s) for s in (0, 5, 59, 60, 125, 630)] == ['0:00', '0:05', '0:59', '1:00', "
        "'2:05', '10:30']",
    ),
    Task(
        "wrong_passwords",
        "After how many wrong passwords in a row is a user locked in this project? Reply with the number "
        "only.",
        {
            "limits.py": "MIN_PASSWORD_LENGTH = 12\nMAX_FAILURES = 6\nSESSION_MINUTES = 45\n",
            "login.py": LOGIN,
            "signup.py": "import limits\n\n\ndef good(password):\n"
            "    return len(password) >= limits.MIN_PASSWORD_LENGTH\n",
        },
        "import re\nassert re.findall(r'\\d+', ANSWER)[-1:] == ['6'], ANSWER",
    ),
    Task(
        "who_removes_doubles",
        "Which function of this project removes the duplicates from a list? Name the file and the function.",
        {
            "tools/lists.py": LISTS,
            "tools/text.py": "def squeeze(text):\n    return ' '.join(text.split())\n\n\n"
            "def initials(name):\n    return ''.join(word[0] for word in name.split())\n",
            "main.py": "from tools.lists import chunks, only_once\nfrom tools.text import squeeze\n\n"
            "print(chunks(only_once(squeeze(input()).split()), 4))\n",
        },
        "assert 'lists.py' in ANSWER and 'only_once' in ANSWER, ANSWER",
    ),
    Task(
        "tags_kept",
        "One of the tests in test_tags.py fails. Fix the code. Do not change the tests.",
        {
            "tags.py": "def tagged(tag, tags=[]):\n    tags.append(tag)\n    return tags\n",
            "test_tags.py": TAGS_TEST,
        },
        RUN_TESTS + f"assert open('test_tags.py').read() == {TAGS_TEST!r}",
    ),
    Task(
        "last_page",
        "A test of this project fails. Find out why and repair the code; leave test_catalog.py as it is.",
        {"paging.py": PAGING, "catalog.py": CATALOG, "test_catalog.py": CATALOG_TEST},
        RUN_TESTS + f"assert open('test_catalog.py').read() == {CATALOG_TEST!r}",
    ),
    Task(
        "rename_attribute",
        "Rename qty to quantity in all Python files of this project, the attribute as well as the parameter.",
        {
            "item.py": ITEM,
            "basket.py": BASKET,
            "label.py": "def label(item):\n    return f'{item.qty} x {item.name}'\n",
        },
        "import basket, item, label\n"
        "assert item.Item('tea').quantity == 1 and item.Item('tea', quantity=4).quantity == 4\n"
        "items = basket.basket(['tea', 'milk', 'tea'])\n"
        "assert basket.pieces(items) == 3 and [label.label(i) for i in items] == ['1 x milk', '2 x tea']\n"
        "assert not any('qty' in open(f).read() for f in ('item.py', 'basket.py', 'label.py'))",
    ),
    Task(
        "json_price",
        "Set the price of the soup in menu.json to 4.5. All other values stay as they are.",
        {"menu.json": MENU},
        "import json\nmenu = json.load(open('menu.json'))\n"
        f"assert menu == json.loads({MENU.replace('5.8', '4.5')!r}), menu",
    ),
    Task(
        "german_ini",
        "Stelle in backup.ini ein, dass nur noch 3 Sicherungen aufgehoben werden. Alle anderen Werte und der "
        "Kommentar sollen bleiben, wie sie sind.",
        {
            "backup.ini": BACKUP_INI,
            "rotate.py": "def to_delete(backups, keep):\n    return sorted(backups)[:-keep]\n",
        },
        "import configparser\nconfig = configparser.ConfigParser()\nconfig.read('backup.ini')\n"
        "found = {name: dict(config[name]) for name in config.sections()}\n"
        "assert found == {'backup': {'folder': '/var/backup', 'keep': '3', 'compress': 'yes'}, "
        "'upload': {'host': 'files.example.org', 'retries': '10'}}, found\n"
        "assert '; runs every night' in open('backup.ini').read()",
    ),
    Task(
        "windows_path",
        "In paths.py set FOLDER to the Windows path C:\\new\\tables (with single backslashes in the value). "
        "LIMIT stays 20.",
        {
            "paths.py": "FOLDER = 'data'\nLIMIT = 20\n",
            "show.py": "import paths\n\nprint(paths.FOLDER)\n",
        },
        "import paths\n"
        "assert str(paths.FOLDER) == 'C:\\\\new\\\\tables' and paths.LIMIT == 20, repr(paths.FOLDER)",
    ),
    Task(
        "spanish_method",
        "Añade a la clase Playlist un método duration() que devuelva la suma de los segundos de todas las "
        "canciones.",
        {"playlist.py": PLAYLIST},
        "from playlist import Playlist\np = Playlist('calm')\nassert p.duration() == 0, p.duration()\n"
        "p.add('Rain', 200); p.add('Sea', 95)\nassert p.duration() == 295, p.duration()\n"
        "assert p.name == 'calm' and p.songs == [('Rain', 200), ('Sea', 95)]",
    ),
    Task(
        "descending",
        "Add a parameter descending to the function ranking in ranking.py. If it is true, the name with the "
        "highest score comes first. Its default is False, and then the order is the same as now.",
        {
            "ranking.py": "def ranking(scores):\n    return sorted(scores, key=scores.get)\n",
            "loser.py": "from ranking import ranking\n\n\ndef loser(scores):\n"
            "    return ranking(scores)[0]\n",
        },
        "from loser import loser\nfrom ranking import ranking\nscores = {'bob': 7, 'ann': 9, 'cid': 2}\n"
        "assert list(ranking(scores)) == ['cid', 'bob', 'ann'] == list(ranking(scores, descending=False))\n"
        "assert list(ranking(scores, descending=True)) == ['ann', 'bob', 'cid'] and loser(scores) == 'cid'",
    ),
    Task(
        "none_error",
        "`python main.py` ends with AttributeError: 'NoneType' object has no attribute 'upper'. It should "
        "print GREEN TEA. Fix the cause in the function clean.",
        {
            "main.py": "from cleaner import clean\n\nprint(clean('  green   tea ').upper())\n",
            "cleaner.py": "def clean(text):\n    words = text.split()\n    ' '.join(words)\n",
        },
        "import subprocess, sys\n"
        "run = subprocess.run([sys.executable, 'main.py'], capture_output=True, text=True)\n"
        "assert run.stdout.strip() == 'GREEN TEA', run.stdout + run.stderr\n"
        "from cleaner import clean\nassert clean(' black  tea') == 'black tea', clean(' black  tea')",
    ),
    Task(
        "leave_key",
        "In messages.py correct the spelling of 'recieved' to 'received' in the sentence that customers "
        "read. Do not change the key 'recieved' of the dictionary; other programs use it.",
        {
            "messages.py": "MESSAGES = {\n    'recieved': 'Your order was recieved.',\n"
            "    'sent': 'Your order was sent.',\n}\n",
            "status.py": "from messages import MESSAGES\n\n\ndef first_message():\n"
            "    return MESSAGES['recieved']\n",
        },
        "import messages, status\n"
        "expected = {'recieved': 'Your order was received.', 'sent': 'Your order was sent.'}\n"
        "assert messages.MESSAGES == expected, messages.MESSAGES\n"
        "assert status.first_message() == 'Your order was received.'",
    ),
    Task(
        "sixty_files_env",
        "Which file of this project reads the environment variable API_TOKEN? Name the file with its folder.",
        {
            f"src/{area}/unit{number}.py": {
                "help3": "HELP = 'Set API_TOKEN before you start.'\n",
                "sync6": "import os\n\n\ndef sync_6():\n    return {'token': os.environ['API_TOKEN']}\n",
                "jobs1": "import os\n\n\ndef jobs_1():\n    return os.environ['JOB_FOLDER']\n",
            }.get(f"{area}{number}", f"def {area}_{number}(x):\n    return x - {number}\n")
            for area in ("feed", "help", "jobs", "math", "sync", "user")
            for number in range(10)
        },
        "assert 'sync/unit6.py' in ANSWER, ANSWER",
    ),
]
