"""Mutation testing of code: what is broken, how the broken file is compiled, and which tests notice."""

import ast
import gc
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from simulator.bench.mutate import code_warm
from simulator.bench.mutate.code import PACKAGES, CodePlace, break_at, every_place, sites, tell_calls
from simulator.bench.mutate.code_trial import CODE_KEPT, CODE_TESTS, MOST_S, Learned, drawn, learn
from simulator.bench.mutate.code_warm import STRAYS_MAX, WarmTask, WarmTrial, WarmVerdict, break_live
from simulator.bench.mutate.kept import is_named, read_kept

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def places() -> list[CodePlace]:
    """Every place in the product's code; finding them takes seconds."""
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


@pytest.mark.parametrize(
    "body", ["assert a == b", "log.warning('%s', a or b)", "logger.error('x', exc_info=a is None)", "def g(): return 1\n def h(): pass"]
)
def test_what_nobody_could_notice_is_no_site(body: str) -> None:
    assert [*sites(ast.parse(f"def f(a, b):\n {body}"))] == []


def test_functions_tell_that_they_are_called_and_keep_their_docstrings() -> None:
    tree = tell_calls(ast.parse('def f():\n "doc"\n return g()\nclass C:\n def m(self): return 1'), "x.py", "tell")
    calls: list[str] = []
    space = {"tell": calls.append, "g": lambda: 2}
    exec(compile(tree, "x.py", "exec"), space)
    assert (space["f"](), space["C"]().m(), space["f"].__doc__) == (2, 1, "doc")
    assert calls == ["x.py:f#0", "x.py:C.m#0"]


BRANCHES = """
def f(a):
 if a > 2:
  return 1
 elif a == 2:
  for each in a or []: pass
 try:
  return a < 1
 except TypeError:
  return a is None
"""


@pytest.mark.parametrize(("given", "told"), [(3, [0, 1]), (1, [0, 2, 5]), (2, [0, 2, 3])])
def test_each_branch_that_is_taken_tells_so(given: int, told: list[int]) -> None:
    calls: list[str] = []
    space: dict[str, Any] = {"tell": calls.append}
    exec(compile(tell_calls(ast.parse(BRANCHES), "x.py", "tell"), "x.py", "exec"), space)
    with suppress(TypeError):  # 2 is not a list
        space["f"](given)
    assert calls == [f"x.py:f#{number}" for number in told]


def test_site_says_in_which_branch_it_is() -> None:
    found = {site.text: site.block for site in sites(ast.parse(BRANCHES)) if site.kind in ("comparison", "and/or")}
    assert found == {"a > 2 → <=": 0, "a == 2 → !=": 2, "a or [] → and": 3, "a < 1 → >=": 5, "a is None → is not": 6}


LIVE = """
from functools import cache, wraps
def twice(f):
 @wraps(f)
 def inner(*a): return f(*a) if a[0] > 0 else -1
 return inner
@twice
def small(a): return a < 3
class Box:
 @property
 def is_small(self): return 1 < 3
@cache
def kept(a): return a == 1
def outer():
 limit = 3
 def inside(a): return a <= limit or a == 9
 return inside
inside = outer()
def branch(a):
 b = 1
 def g():
  if a: return 0
  else: return b
 return g
g = branch(1)
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any] | None]:
    """The names of a module once the site with that text is broken in place; None if that is impossible."""
    file = tmp_path / "live.py"
    file.write_text(LIVE, encoding="utf-8")
    monkeypatch.setattr(code_warm, "change_source", lambda *_: None)

    def broken(text: str) -> dict[str, Any] | None:
        space: dict[str, Any] = {}
        exec(compile(LIVE, str(file), "exec"), space)
        index = next(number for number, site in enumerate(sites(ast.parse(LIVE))) if site.text == text)
        functions = [each for each in gc.get_objects() if type(each) is FunctionType and each.__globals__ is space]
        return space if break_live("live.py", index, {str(file): functions}, tmp_path) else None

    return broken


@pytest.mark.parametrize(
    ("text", "expression", "usual", "after"),
    [
        ("a < 3 → >=", "small(2)", True, False),
        ("a < 3 → <=", "small(3)", False, True),
        ("f(*a) if a[0] > 0 else -1", "small(-5)", -1, True),
        ("1 < 3 → >=", "Box().is_small", True, False),
        ("a == 1 → !=", "kept(1)", True, False),
        ("a <= limit → <", "(inside(3), outer()(3))", (True, True), (False, False)),
    ],
)
def test_functions_that_are_there_get_the_broken_code(
    live: Callable[[str], dict[str, Any]], text: str, expression: str, usual: object, after: object
) -> None:
    space: dict[str, Any] = {}
    exec(LIVE, space)
    assert eval(expression, space) == usual
    assert eval(expression, live(text)) == after


def test_closure_that_would_need_other_variables_is_not_broken_in_place(live: Callable[[str], dict[str, Any] | None]) -> None:
    assert live("if a") is None


def _place(path: str, block: str) -> CodePlace:
    return CodePlace(name="comparison x", path=path, function="f", line=1, index=0, block=block)


def test_tests_near_the_code_run_first_then_quick_ones_then_the_rest_of_their_files() -> None:
    took_s = {
        "tests/kubectl/test_get.py::test_a": 0.1, "tests/web/run/test_why.py::test_b": 9.0, "tests/web/run/test_page.py::test_c": 1.0,
        "tests/web/run/test_page.py::test_d": 0.1, "tests/web/shares/test_e.py::test_e": 0.2, "tests/runs/test_f.py::test_f": 0.1,
    }  # fmt: skip
    run = tuple(test for test in took_s if test.rpartition("_")[2] in "abc")
    learned = Learned(took_s=took_s, failed=(), blocks={"k": run}, early=frozenset())
    turn = [test.rpartition("_")[2] for test in learned.in_turn(_place("simulator/web/run/why.py", "k"))]
    assert turn == ["b", "c", "a", "d"]
    assert learned.in_turn(_place("simulator/web/run/why.py", "other")) == ()


def test_tests_that_run_for_a_place_take_no_longer_than_they_may_but_one_always_runs() -> None:
    took_s = {"tests/web/test_a.py::test_a": MOST_S + 1.0, "tests/web/test_a.py::test_b": MOST_S + 2.0}
    learned = Learned(took_s=took_s, failed=(), blocks={"k": tuple(took_s)}, early=frozenset())
    assert learned.in_turn(_place("simulator/web/x.py", "k")) == ("tests/web/test_a.py::test_a",)


def test_what_runs_early_is_looked_for_in_the_tests_of_its_name() -> None:
    took_s = {"tests/web/base/test_view_rules.py::test_a": 1.0, "tests/web/base/test_guards.py::test_b": 1.0}
    learned = Learned(took_s=took_s, failed=(), blocks={}, early=frozenset(["k"]))
    assert learned.in_turn(_place("simulator/web/base/rules.py", "k")) == ("tests/web/base/test_view_rules.py::test_a",)


def test_places_have_names_of_their_own_in_every_package(places: list[CodePlace]) -> None:
    assert len({place.name for place in places}) == len(places)
    assert all(any(place.path.startswith(f"{package}/") for place in places) for package in PACKAGES)


def test_seed_draws_the_same_places_another_draws_others_and_nothing_draws_all(places: list[CodePlace]) -> None:
    assert drawn(places, 20, 1) == drawn(places, 20, 1) != drawn(places, 20, 2)
    assert len(set(drawn(places, 20, 1))) == 20 and drawn(places, 0, 1) == places


def test_tests_that_notice_are_there() -> None:
    assert all((ROOT / test).exists() for test in CODE_TESTS)


def test_kept_file_of_code_names_places_that_exist(places: list[CodePlace]) -> None:
    names = [place.name for place in places]
    assert [pattern for pattern in read_kept(CODE_KEPT) if not any(is_named(name, pattern) for name in names)] == []


@pytest.mark.slow
def test_share_of_which_every_test_needs_a_server_teaches_nothing_and_stops_nobody(tmp_path: Path) -> None:
    learned = learn(["tests/production/test_redis.py"], tmp_path / "learned.json")
    assert (learned.took_s, learned.failed) == ({}, ())


@pytest.mark.slow
def test_broken_code_is_noticed_by_a_test_that_calls_it_and_other_code_by_nobody() -> None:
    called, not_called = "and/or kubectl/align.py _measure | *", "comparison kubectl/yaml.py shallow_events | *"
    command = [sys.executable, "manage.py", "mutate", "--code", "--who", called, not_called, "--tests", "tests/kubectl/test_align.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    who = {name.split()[1]: by for name, _, by in (line.partition(": ") for line in done.stdout.splitlines()) if " | " in name}
    assert who["kubectl/align.py"].startswith("tests/kubectl/test_align.py::"), done.stdout + done.stderr
    assert who["kubectl/yaml.py"] == "nobody" and done.returncode == 1


def test_place_whose_tests_fail_with_nothing_broken_is_left_to_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    tests = tuple(f"tests/test_a.py::test_{n}" for n in range(STRAYS_MAX + 2))
    told: list[WarmVerdict] = []
    started: list[tuple[WarmTask, str]] = []
    trial = WarmTrial([], 1, lambda task, verdict: told.append(verdict))
    monkeypatch.setattr(trial, "_start", lambda task, suspect="": started.append((task, suspect)))
    task = WarmTask(number=0, path="a.py", index=0, tests=tests, is_cold=False, cpu_s=1, wall_s=1)
    while not told:
        failing = task.tests[0]
        trial._judge(task, "", failing, is_broken=True)
        trial._judge(*started[-1], failing, is_broken=True)
        task = started[-1][0]
    assert told == [WarmVerdict(by="", is_broken=False)] and len(task.tests) == len(tests) - STRAYS_MAX
