"""Deliberate breakage of code: what is broken, how the file is compiled broken, and whose tests notice."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.bench.mutate.code import PACKAGES, CodePlace, break_at, every_place, sites, tell_calls
from simulator.bench.mutate.code_trial import CODE_KEPT, CODE_TESTS, drawn
from simulator.bench.mutate.kept import is_named, read_kept

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def places() -> list[CodePlace]:
    """Every place of the product's code, which takes seconds to be found."""
    return [*every_place()]


@pytest.mark.parametrize(
    ("body", "names", "broken"),
    [
        ("return a == b", ["comparison"], ["return a != b"]),
        ("return a not in b", ["comparison"], ["return a in b"]),
        ("return a < b", ["comparison", "boundary"], ["return a >= b", "return a <= b"]),
        ("return a and b", ["and/or"], ["return a or b"]),
        ("return min(a, b)", ["min/max"], ["return max(a, b)"]),
        ("return a if b else c", ["else"], ["return a if b or True else c"]),
        ("if a:\n  return b\n else:\n  return c", ["else"], ["if a:\n    return b"]),
        ("return a", [], []),
        ("return heap.min(a)", [], []),
    ],
)
def test_each_kind_of_break_is_one_change_of_the_text(body: str, names: list[str], broken: list[str]) -> None:
    source = f"def f(a, b, c):\n {body}\n"
    assert [site.kind for site in sites(ast.parse(source))] == names
    made = [ast.unparse(break_at(ast.parse(source), number).body[0].body[0]) for number in range(len(names))]
    assert made == broken


def test_site_belongs_to_the_innermost_function_and_none_to_the_module() -> None:
    tree = ast.parse("A = 1 < 2\nclass C:\n def m(self, x=min(1, 2)):\n  def inner():\n   return 1 == 2\n  return inner() or 3")
    assert [(site.kind, site.function) for site in sites(tree)] == [("and/or", "C.m"), ("comparison", "C.m.inner")]


def test_functions_tell_that_they_are_called_and_keep_their_docstrings() -> None:
    tree = tell_calls(ast.parse('def f():\n "doc"\n return g()\nclass C:\n def m(self): return 1'), "x.py", "tell")
    calls: list[str] = []
    space = {"tell": calls.append, "g": lambda: 2}
    exec(compile(tree, "x.py", "exec"), space)
    assert (space["f"](), space["C"]().m(), space["f"].__doc__) == (2, 1, "doc")
    assert calls == ["x.py:f", "x.py:C.m"]


def test_places_have_names_of_their_own_in_every_package(places: list[CodePlace]) -> None:
    assert len({place.name for place in places}) == len(places)
    assert all(any(place.path.startswith(f"{package}/") for place in places) for package in PACKAGES)


def test_seed_draws_the_same_places_another_draws_others_and_nothing_draws_all(places: list[CodePlace]) -> None:
    assert drawn(places, 20, 1) == drawn(places, 20, 1) != drawn(places, 20, 2)
    assert len(set(drawn(places, 20, 1))) == 20 and drawn(places, 0, 1) == places


def test_tests_that_notice_are_there() -> None:
    assert all((ROOT / path).is_dir() for path in CODE_TESTS)


def test_kept_file_of_code_names_places_that_exist(places: list[CodePlace]) -> None:
    names = [place.name for place in places]
    assert [pattern for pattern in read_kept(CODE_KEPT) if not any(is_named(name, pattern) for name in names)] == []


@pytest.mark.slow
def test_broken_code_is_noticed_by_a_test_that_calls_it_and_other_code_by_nobody() -> None:
    called, not_called = "and/or kubectl/align.py _measure | *", "comparison kubectl/yaml.py shallow_events | *"
    command = [sys.executable, "manage.py", "mutate", "--code", "--who", called, not_called, "--tests", "tests/kubectl/test_align.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    who = [line.partition(": ")[2] for line in done.stdout.splitlines() if ": " in line]
    assert who[0].startswith("tests/kubectl/test_align.py::"), done.stdout + done.stderr
    assert who[1] == "nobody" and done.returncode == 1
