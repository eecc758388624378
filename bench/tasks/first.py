"""Tasks that were written before any measure for weak models was tried."""

from __future__ import annotations

from bench.tasks.task import RUN_TESTS, Task

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

FIRST = [
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
