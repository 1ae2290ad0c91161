"""``python3 -c``: the programs of the documentation's Jobs, what else is understood, and the messages about the rest."""

import pytest

from simulator.engine.containers import Launch
from tests.engine.containers.containers import Box

BY_INDEX = """\
import os, sys
if os.environ.get("JOB_COMPLETION_INDEX") == "2":
  sys.exit(0)
else:
  sys.exit(1)
"""
PER_INDEX = """\
import os, sys
print("Hello world")
if int(os.environ.get("JOB_COMPLETION_INDEX")) % 2 == 0:
  sys.exit(1)
"""
NONE_IS_NO_NUMBER = "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'NoneType'"


def ran(text: str, *, at: int = 20_000, flags: tuple[str, ...] = (), **env: str) -> Box:
    return Box(Launch("python:3", command=("python3", *flags, "-c", text), env=tuple(env.items()))).at(at)


@pytest.mark.parametrize(("index", "code"), [("0", 1), ("2", 0), ("3", 1)])
def test_example_of_a_success_policy_exits_by_index(index: str, code: int) -> None:
    assert ran(BY_INDEX, JOB_COMPLETION_INDEX=index).exit_code == code


@pytest.mark.parametrize(("index", "code"), [("0", 1), ("1", 0), ("2", 1)])
def test_example_of_a_limit_per_index_exits_by_index(index: str, code: int) -> None:
    box = ran(PER_INDEX, JOB_COMPLETION_INDEX=index)
    assert (box.exit_code, box.stdout) == (code, ["Hello world"])


@pytest.mark.parametrize(
    ("text", "code", "stdout", "stderr"),
    [
        ("import sys; sys.exit(3)", 3, [], []),
        ("import sys; sys.exit(300)", 44, [], []),
        ("import sys; sys.exit('bad')", 1, [], ["bad"]),
        ("exit()", 0, [], []),
        ("from sys import exit; exit(4)", 4, [], []),
        ("import os; print('lost'); os._exit(9)", 9, [], []),
        ("raise SystemExit(7)", 7, [], []),
        ("print('a', 1 + 2, True, None, sep='-', end='!')", 0, ["a-3-True-None!"], []),
        ("import sys; print('e', file=sys.stderr); sys.stdout.write('o')", 0, ["o"], ["e"]),
        ("import os; print(f\"{os.environ['HOME_TOWN']} {len('abc')}\")", 0, ["Bern 3"], []),
        ("import os; print(os.getenv('NONE', 'other') if 'NONE' not in 'x' else 1)", 0, ["other"], []),
        ("for i in range(1, 8, 3):\n  if i == 4: continue\n  print(i)", 0, ["1", "7"], []),
        ("i = 0\nwhile True:\n  i += 1\n  if i > 3: break\nprint(i)", 0, ["4"], []),
        ("print(7 // 2, -7 % 3, not 0, 1 < 2 < 2)", 0, ["3 2 True False"], []),
    ],
)
def test_small_program_does_what_python_does(text: str, code: int, stdout: list[str], stderr: list[str]) -> None:
    box = ran(text, HOME_TOWN="Bern")
    assert (box.exit_code, box.stdout, box.stderr, box.notes) == (code, stdout, stderr, [])


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("raise Exception('boom')", "Exception: boom"),
        ("raise RuntimeError", "RuntimeError"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("int('x')", "ValueError: invalid literal for int() with base 10: 'x'"),
        ("import os; int(os.environ.get('NONE'))", NONE_IS_NO_NUMBER),
        ("import os; os.environ['NONE']", "KeyError: 'NONE'"),
        ("assert 1 == 2", "AssertionError"),
        ("print(nothing)", "NameError: name 'nothing' is not defined"),
    ],
)  # fmt: skip
def test_exception_ends_with_1_and_its_last_words(text: str, last: str) -> None:
    box = ran(text)
    assert (box.exit_code, box.stderr[0], box.stderr[-1]) == (1, "Traceback (most recent call last):", last)


def test_traceback_names_the_line() -> None:
    assert ran("import time\ntime.sleep(1)\nif True:\n  raise ValueError('x')").stderr[1] == '  File "<string>", line 4, in <module>'


@pytest.mark.parametrize(("text", "end_ms"), [("sleep(5)", 5030), ("sleep(0.5)", 530), ("[sleep(1)]", None)])
def test_sleep_takes_its_time(text: str, end_ms: int | None) -> None:
    assert ran(f"from time import sleep\n{text}").exit_ms == end_ms


def test_output_into_a_pipe_is_held_back_until_the_end() -> None:
    text = "import time; print('begin'); time.sleep(5); print('end')"
    assert ran(text, at=1000).stdout == [] and ran(text).stdout == ["begin", "end"]
    assert ran(text, at=1000, flags=("-u",)).stdout == ["begin"]
    assert ran(text.replace("'begin'", "'begin', flush=True"), at=1000).stdout == ["begin"]
    assert ran(text, at=1000, PYTHONUNBUFFERED="1").stdout == ["begin"]


@pytest.mark.parametrize(
    "text",
    [
        "import requests; exit()", "while True: pass", "import (", "x = [1]", "print('%s' % 1)", "def f(): pass", "open('/x')", "sleep(1)",
        "print(f'{'nested'}')", "print('\\d')", "raise KeyError('x')", "for i in range(10 ** 9): pass", "sys.exit()", "break",
        "print(2 ** 8)", "'a' < 1", "x" * 5000,
    ],
)  # fmt: skip
def test_what_goes_beyond_is_said_to_be_not_understood(text: str) -> None:
    box = ran(text)
    assert (box.exit_code, box.notes) == (None, ["command-not-understood"])


def test_version_and_server() -> None:
    assert Box(Launch("python:3", command=("python3", "--version"))).stdout == ["Python 3.11.7"]
