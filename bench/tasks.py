"""Small tasks for a real model: a project, a request, and a check of what became of it.

The first half was written before any measure for weak models was tried, the second half after the last; on
neither was anything tuned.
"""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        id: its name, unique over all files of tasks.
        prompt: what the user asks.
        files: the project: paths to contents.
        check: Python that is run in the project's folder afterwards and fails if the task is not solved.
            It finds the agent's answer in `ANSWER`.
    """

    id: str
    prompt: str
    files: Mapping[str, str]
    check: str


def load_tasks(path: Path) -> list[Task]:
    """The tasks in a file of others, which has a list `T` of dictionaries with a task's attributes."""
    return [Task(**fields) for fields in runpy.run_path(str(path))["T"]]


RUN_TESTS = """
import subprocess, sys
run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], capture_output=True, text=True)
assert run.returncode == 0, run.stdout[-800:]
"""

STACK = '''\
class Stack:
    """A last-in, first-out list."""

    def __init__(self):
        self.items = []

    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()
'''

ORDERS = """\
import prices


def total(items):
    return sum(prices.lookup(name) * count for name, count in items)


if __name__ == "__main__":
    print(total([("tea", 2), ("Milk", 1)]))
"""

FIRST_HALF = [
    Task(
        "fizz",
        "Create fizz.py with a function fizz(n) that returns 'fizz' if n is divisible by 3, else n itself.",
        {},
        "from fizz import fizz\nassert [fizz(n) for n in (1, 3, 5, 9)] == [1, 'fizz', 5, 'fizz']",
    ),
    Task(
        "upload_timeout",
        "How many seconds may an upload take according to this project's settings? Reply with the number only.",
        {
            "settings.ini": "[download]\ntimeout = 30\n\n[upload]\ntimeout = 95\nretries = 4\n",
            "main.py": "import configparser\n\nconfig = configparser.ConfigParser()\nconfig.read('settings.ini')\n",
        },
        "import re\nassert re.findall(r'\\d+', ANSWER)[-1:] == ['95'], ANSWER",
    ),
    Task(
        "who_writes",
        "Which file of this project writes report.csv? Name the file and the function.",
        {
            "src/load.py": "import csv\n\n\ndef load(path):\n    with open(path) as file:\n        return list(csv.reader(file))\n",
            "src/save.py": "import csv\n\n\ndef store_rows(rows):\n    with open('report.csv', 'w') as file:\n        csv.writer(file).writerows(rows)\n",
            "src/run.py": "from load import load\nfrom save import store_rows\n\nstore_rows(load('input.csv'))\n",
        },
        "assert 'save.py' in ANSWER and 'store_rows' in ANSWER, ANSWER",
    ),
    Task(
        "average",
        "A test fails. Fix the code, not the test.",
        {
            "stats.py": "def average(values):\n    return sum(values) / (len(values) - 1)\n\n\ndef spread(values):\n    return max(values) - min(values)\n",
            "test_stats.py": "from stats import average, spread\n\n\ndef test_average():\n    assert average([2, 4, 6]) == 4\n\n\ndef test_spread():\n    assert spread([2, 4, 6]) == 4\n",
        },
        RUN_TESTS + "assert 'average([2, 4, 6]) == 4' in open('test_stats.py').read()",
    ),
    Task(
        "rename_function",
        "Rename the function fetch_all to load_users in all files.",
        {
            "users.py": "def fetch_all():\n    return ['ann', 'bob']\n\n\ndef count():\n    return len(fetch_all())\n",
            "page.py": "from users import fetch_all\n\n\ndef page():\n    return ', '.join(fetch_all())\n",
            "README.md": "# Users\n\n`fetch_all()` gives the names of all users.\n",
        },
        "import users, page\nassert users.load_users() == ['ann', 'bob'] and users.count() == 2 and page.page() == 'ann, bob'\n"
        "assert not any('fetch_all' in open(f).read() for f in ('users.py', 'page.py', 'README.md'))",
    ),
    Task(
        "json_version",
        "Set the version in package.json to 2.1.0. Leave everything else as it is.",
        {
            "package.json": '{\n  "name": "shop",\n  "version": "2.0.3",\n  "private": true,\n  "scripts": {\n    "test": "node test.js"\n  }\n}\n'
        },
        'assert open(\'package.json\').read() == \'{\\n  "name": "shop",\\n  "version": "2.1.0",\\n  "private": true,\\n'
        '  "scripts": {\\n    "test": "node test.js"\\n  }\\n}\\n\', open("package.json").read()',
    ),
    Task(
        "quoting",
        "In quote.py make the function shout(text) return the text in double quotes, in capitals, and followed by "
        'a backslash: hi becomes "HI"\\',
        {"quote.py": "def shout(text):\n    return text\n"},
        "from quote import shout\nassert shout('hi') == '\"HI\"\\\\', shout('hi')",
    ),
    Task(
        "peek",
        "Add a method peek to the class Stack that returns the last item without removing it.",
        {"stack.py": STACK},
        "from stack import Stack\ns = Stack(); s.push(1); s.push(2)\n"
        "assert s.peek() == 2 and s.pop() == 2 and s.pop() == 1 and s.items == []",
    ),
    Task(
        "key_error",
        "`python orders.py` ends with KeyError: 'Milk'. Make the lookup ignore upper and lower case.",
        {
            "orders.py": ORDERS,
            "prices.py": "PRICES = {'tea': 3, 'milk': 1}\n\n\ndef lookup(name):\n    return PRICES[name]\n",
        },
        "import subprocess, sys\nrun = subprocess.run([sys.executable, 'orders.py'], capture_output=True, text=True)\n"
        "assert run.stdout.strip() == '7', run.stderr",
    ),
    Task(
        "leave_vendor",
        "Change the colour in theme.py to 'blue'. Do not touch the folder vendor.",
        {
            "theme.py": "COLOUR = 'red'\nWIDTH = 80\n",
            "vendor/theme.py": "COLOUR = 'red'\nHEIGHT = 24\n",
        },
        "import theme\nassert theme.COLOUR == 'blue' and theme.WIDTH == 80\n"
        "assert open('vendor/theme.py').read() == \"COLOUR = 'red'\\nHEIGHT = 24\\n\"",
    ),
    Task(
        "sixty_files",
        "Which file of this project defines the function convert_currency? Name the file.",
        {
            f"lib/{area}/part{number}.py": f"def {area}_{number}(x):\n    return x + {number}\n"
            + (
                "\n\ndef convert_currency(amount, rate):\n    return amount * rate\n"
                if (area, number) == ("tax", 7)
                else ""
            )
            for area in ("core", "tax", "net", "view", "data", "jobs")
            for number in range(10)
        },
        "assert 'tax/part7.py' in ANSWER, ANSWER",
    ),
    Task(
        "russian",
        "Создай файл square.py с функцией square(x), которая возвращает квадрат числа.",
        {},
        "from square import square\nassert square(5) == 25 and square(-3) == 9",
    ),
]

CART_TEST = """\
from cart import total


def test_small_order_pays_shipping():
    assert total([10, 20]) == 35


def test_fifty_is_shipped_free():
    assert total([20, 30]) == 50


def test_large_order_is_shipped_free():
    assert total([40, 40]) == 80
"""

SERVER_TOML = """\
# Settings of the shop.
title = "shop"

[server]
host = "0.0.0.0"
port = 8080  # behind the proxy

[metrics]
host = "127.0.0.1"
port = 8081
"""

GROSS = """\
def gross(amount, rate):
    return amount * (1 + rate)
"""

ACCOUNT = '''\
class Account:
    """Money of one person."""

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
'''

SECOND_HALF = [
    Task(
        "temperature",
        "Create temperature.py with two functions: to_fahrenheit(celsius) and to_celsius(fahrenheit).",
        {},
        "from temperature import to_celsius, to_fahrenheit\n"
        "assert [round(to_fahrenheit(c), 6) for c in (0, 100, -40)] == [32, 212, -40]\n"
        "assert [round(to_celsius(f), 6) for f in (32, 212, -40)] == [0, 100, -40]",
    ),
    Task(
        "pool_size",
        "How many database connections are allowed in production? Reply with the number only.",
        {
            "config/development.toml": '[database]\nhost = "localhost"\nmax_connections = 5\n\n[cache]\nsize = 100\n',
            "config/production.toml": '[database]\nhost = "db.internal"\nmax_connections = 40\n\n[cache]\nsize = 2000\n',
            "app.py": "import tomllib\n\n\ndef settings(stage):\n    with open(f'config/{stage}.toml', 'rb') as file:\n        return tomllib.load(file)\n",
        },
        "import re\nassert re.findall(r'\\d+', ANSWER)[-1:] == ['40'], ANSWER",
    ),
    Task(
        "who_expires",
        "Which function of this project deletes old sessions? Name the file and the function.",
        {
            "app/login.py": "import time\n\nfrom app.store import SESSIONS\n\n\ndef login(user):\n    SESSIONS[user] = time.time()\n",
            "app/store.py": "SESSIONS = {}\n\n\ndef is_open(user):\n    return user in SESSIONS\n",
            "app/cleanup.py": "import time\n\nfrom app.store import SESSIONS\n\n\ndef purge(max_age):\n    for user, start in list(SESSIONS.items()):\n        if time.time() - start > max_age:\n            del SESSIONS[user]\n",
            "main.py": "from app.cleanup import purge\nfrom app.login import login\n\nlogin('ann')\npurge(3600)\n",
        },
        "assert 'cleanup.py' in ANSWER and 'purge' in ANSWER, ANSWER",
    ),
    Task(
        "free_shipping",
        "One of the tests in test_cart.py fails. Find the bug and fix it. Leave the tests as they are.",
        {
            "cart.py": "from shipping import shipping_cost\n\n\ndef total(prices):\n    amount = sum(prices)\n    return amount + shipping_cost(amount)\n",
            "shipping.py": "FREE_FROM = 50\nCOST = 5\n\n\ndef shipping_cost(amount):\n    if amount > FREE_FROM:\n        return 0\n    return COST\n",
            "test_cart.py": CART_TEST,
        },
        RUN_TESTS + f"assert open('test_cart.py').read() == {CART_TEST!r}",
    ),
    Task(
        "rename_class",
        "Rename the class Customer to Client in the whole project.",
        {
            "people.py": "class Customer:\n    def __init__(self, name):\n        self.name = name\n\n\ndef guest():\n    return Customer('guest')\n",
            "invoice.py": "from people import Customer\n\n\ndef invoice(name, amount):\n    return f'{Customer(name).name}: {amount}'\n",
            "report.py": "import people\n\n\ndef names(items):\n    return [item.name for item in items if isinstance(item, people.Customer)]\n",
        },
        "import people, invoice, report\n"
        "assert people.guest().name == 'guest' and isinstance(people.guest(), people.Client)\n"
        "assert invoice.invoice('ann', 5) == 'ann: 5' and report.names([people.Client('bob'), 1]) == ['bob']\n"
        "assert not any('Customer' in open(f).read() for f in ('people.py', 'invoice.py', 'report.py'))",
    ),
    Task(
        "toml_port",
        "In config.toml change the port of the server to 9000. Change nothing else.",
        {"config.toml": SERVER_TOML},
        f"text = open('config.toml').read()\nassert text == {SERVER_TOML.replace('8080', '9000')!r}, text",
    ),
    Task(
        "json_key",
        'Add the key "theme" with the value "dark" to settings.json. Keep everything else.',
        {
            "settings.json": '{\n  "language": "en",\n  "font": {\n    "family": "Mono",\n    "size": 12\n  },\n  "recent": ["a.txt", "b.txt"]\n}\n'
        },
        "import json\nsettings = json.load(open('settings.json'))\n"
        "assert settings == {'language': 'en', 'font': {'family': 'Mono', 'size': 12}, "
        "'recent': ['a.txt', 'b.txt'], 'theme': 'dark'}, settings",
    ),
    Task(
        "tab_quotes",
        "In row.py make the function row(name, city) return the name, a tab, and the city in double quotes. "
        'For Ann and Rome that is Ann, a tab, and "Rome".',
        {"row.py": "def row(name, city):\n    return name + ' ' + city\n"},
        "from row import row\nassert row('Ann', 'Rome') == 'Ann\\t\"Rome\"', row('Ann', 'Rome')",
    ),
    Task(
        "withdraw",
        "Add a method withdraw(amount) to the class Account. It takes the amount from the balance, and raises "
        "ValueError if the balance is too small.",
        {"account.py": ACCOUNT},
        "from account import Account\na = Account('ann', 10); a.deposit(5); a.withdraw(12)\nassert a.balance == 3\n"
        "try:\n    a.withdraw(4)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError('no ValueError')\n"
        "assert a.balance == 3\na.withdraw(3)\nassert a.balance == 0 and a.owner == 'ann'",
    ),
    Task(
        "type_error",
        "`python report.py` ends with TypeError: unsupported operand type(s) for +: 'int' and 'str'. Fix it.",
        {
            "report.py": "from reader import read_amounts\n\nprint('Total:', sum(read_amounts('amounts.txt')))\n",
            "reader.py": "def read_amounts(path):\n    with open(path) as file:\n        return [line.strip() for line in file]\n",
            "amounts.txt": "10\n20\n35\n",
        },
        "import subprocess, sys\nrun = subprocess.run([sys.executable, 'report.py'], capture_output=True, text=True)\n"
        "assert run.stdout.strip() == 'Total: 65', run.stdout + run.stderr\n"
        "assert open('amounts.txt').read().split() == ['10', '20', '35']",
    ),
    Task(
        "leave_gross",
        "In tax.py make the function net round its result to two decimals. Do not change the function gross.",
        {"tax.py": GROSS + "\n\ndef net(amount, rate):\n    return amount / (1 + rate)\n"},
        "import tax\nassert tax.net(100, 0.19) == 84.03 and tax.net(50, 0.07) == 46.73, tax.net(100, 0.19)\n"
        f"assert {GROSS!r} in open('tax.py').read()",
    ),
    Task(
        "sixty_files_use",
        "Which file of this project calls the function normalize_phone? Name the file.",
        {
            f"app/{area}/step{number}.py": {
                "text2": "def normalize_phone(phone):\n    return phone.replace(' ', '')\n",
                "mail8": "from app.text.step2 import normalize_phone\n\n\ndef mail_8(person):\n    return normalize_phone(person['phone'])\n",
            }.get(f"{area}{number}", f"def {area}_{number}(x):\n    return x * {number}\n")
            for area in ("auth", "text", "shop", "mail", "logs", "jobs")
            for number in range(10)
        },
        "assert 'mail/step8.py' in ANSWER, ANSWER",
    ),
    Task(
        "chinese",
        "请在 extremes.py 中添加一个函数 largest(values)，返回列表中的最大值；如果列表为空，返回 None。",
        {"extremes.py": "def smallest(values):\n    return min(values) if values else None\n"},
        "from extremes import largest, smallest\n"
        "assert largest([3, 9, 4]) == 9 and largest([-5, -2]) == -2 and largest([]) is None\n"
        "assert smallest([3, 9, 4]) == 3 and smallest([]) is None",
    ),
    Task(
        "separator",
        "Add a parameter separator to the function join_names in names.py. It is put between the names, and its "
        "default is a comma and a space as now.",
        {
            "names.py": "def join_names(names):\n    return ', '.join(sorted(names))\n",
            "show.py": "from names import join_names\n\n\ndef show(names):\n    return f'Present: {join_names(names)}'\n",
        },
        "from names import join_names\nfrom show import show\n"
        "assert join_names(['bob', 'ann']) == 'ann, bob' and join_names(['bob', 'ann'], ' - ') == 'ann - bob'\n"
        "assert join_names(['bob', 'ann'], separator='/') == 'ann/bob' and show(['b', 'a']) == 'Present: a, b'",
    ),
]

TASKS = [*FIRST_HALF, *SECOND_HALF]

# Of every kind one, and none that takes long.
QUICK = (
    "fizz",
    "upload_timeout",
    "average",
    "rename_function",
    "json_version",
    "peek",
    "leave_vendor",
    "russian",
)
