"""Tasks by somebody who had seen no measure for weak models, written after most of them."""

from __future__ import annotations

from bench.tasks.task import RUN_TESTS, Task

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

SECOND = [
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
