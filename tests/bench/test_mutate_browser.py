"""Mutation testing of scripts: what is broken, how a broken module is loaded, and which tests notice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulator.bench.mutate.browser import NODE, TOOLS, BrowserPlace, broken_environment, browser_places
from simulator.bench.mutate.browser_trial import BROWSER_KEPT, BROWSER_TESTS, not_loaded
from simulator.bench.mutate.code_trial import drawn
from simulator.bench.mutate.kept import is_named, read_kept
from tests.needs import LEFT_OUT, leaves_nothing_out

ROOT = Path(__file__).parents[2]
NO_PARSER = "TypeScript, which parses the scripts, is not installed. Run: make static/bundle-src/node_modules/.package-lock.json"
parsed = pytest.mark.skipif(not ((TOOLS / "node_modules" / "typescript").exists() or leaves_nothing_out()), reason=f"{LEFT_OUT}{NO_PARSER}")
CONFIG = {"compilerOptions": {"allowJs": True, "noEmit": True, "types": []}, "include": ["js"]}


@pytest.fixture(scope="module")
def every_browser_place() -> list[BrowserPlace]:
    """Every place in the scripts; finding them takes seconds."""
    return browser_places()


def places_of(folder: Path, source: str) -> list[BrowserPlace]:
    (folder / "js").mkdir()
    (folder / "js" / "a.js").write_text(source, encoding="utf-8")
    (folder / "tsconfig.json").write_text(json.dumps(CONFIG))
    return browser_places(folder, "tsconfig.json")


def as_broken(source: str, place: BrowserPlace) -> str:
    """Positions are in UTF-16 units."""
    units = source.encode("utf-16-le")
    return (units[: 2 * place.found.begin] + place.found.instead.encode("utf-16-le") + units[2 * place.found.end :]).decode("utf-16-le")


@parsed
@pytest.mark.parametrize(
    ("body", "kinds", "broken"),
    [
        ("return a === b;", ["comparison"], ["return a !== b;"]),
        ("return a in b;", ["comparison"], ["return !(a in b);"]),
        ("return a instanceof b;", ["comparison"], ["return !(a instanceof b);"]),
        ("return a <= b;", ["comparison", "boundary"], ["return a > b;", "return a < b;"]),
        ("return a || b;", ["and/or"], ["return ((a) && (b));"]),
        ("return Math.min(a, b);", ["min/max"], ["return Math.max(a, b);"]),
        ("return a ? b : c;", ["else"], ["return ((a) || true) ? b : c;"]),
        ("if (a) b(); else c();", ["else"], ["if (a) b();"]),
        ("return a ?? b;", [], []),
        ("return a.min(b);", [], []),
        ("return '😀' + (a < b);", ["comparison", "boundary"], ["return '😀' + (a >= b);", "return '😀' + (a <= b);"]),
    ],
)
def test_each_kind_of_break_is_one_edit_of_the_script(tmp_path: Path, body: str, kinds: list[str], broken: list[str]) -> None:
    source = f"function f(a, b, c) {{ {body} }}"
    places = places_of(tmp_path, source)
    assert [place.found.kind for place in places] == kinds
    assert [as_broken(source, place) for place in places] == [f"function f(a, b, c) {{ {text} }}" for text in broken]


@parsed
def test_one_of_several_ands_is_broken_as_it_is_read(tmp_path: Path) -> None:
    source = "const f = (a, b, c) => a && b && c;"
    outer, inner = places_of(tmp_path, source)
    assert as_broken(source, outer) == "const f = (a, b, c) => ((a && b) || (c));"
    assert as_broken(source, inner) == "const f = (a, b, c) => ((a) || (b)) && c;"


@parsed
def test_place_is_named_by_the_functions_around_it_and_none_is_outside_of_functions(tmp_path: Path) -> None:
    source = "const A = 1 < 2; class C { x = A && 1; m() { const inner = () => A === 1; [1].some((n) => n === 2); } }\n(() => A === 3)();"
    assert [place.name for place in places_of(tmp_path, source)] == [
        "comparison js/a.js C.m.inner | A === 1 → !==",
        "comparison js/a.js C.m | n === 2 → !==",
        "comparison js/a.js () | A === 3 → !==",
    ]


@parsed
def test_equal_places_of_a_function_are_counted(tmp_path: Path) -> None:
    names = [place.name for place in places_of(tmp_path, "function f(a) { g(a === 1); g(a === 1); }")]
    assert names == ["comparison js/a.js f | a === 1 → !==", "comparison js/a.js f | a === 1 → !== #2"]


@parsed
def test_module_is_loaded_broken_and_its_file_stays(tmp_path: Path) -> None:
    source = "export function least(a, b) { return Math.min(a, b); }"
    (place,) = places_of(tmp_path, source)
    command = [NODE, "--import", (TOOLS / "break.mjs").as_uri(), "--input-type=module", "--eval"]
    script = f'import {{ least }} from "{(tmp_path / "js" / "a.js").as_uri()}"; console.log(least(1, 2));'
    environ = {**os.environ, **broken_environment(place, tmp_path)}
    done = subprocess.run([*command, script], env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, (tmp_path / "js" / "a.js").read_text()) == ("2\n", source), done.stderr


@parsed
def test_places_of_the_scripts_have_names_of_their_own_and_are_drawn_by_seed(every_browser_place: list[BrowserPlace]) -> None:
    places = every_browser_place
    assert len({place.name for place in places}) == len(places)
    assert drawn(places, 20, 1) == drawn(browser_places(), 20, 1) != drawn(places, 20, 2)


@parsed
def test_kept_file_of_scripts_names_places_that_exist(every_browser_place: list[BrowserPlace]) -> None:
    names = [place.name for place in every_browser_place]
    assert [pattern for pattern in read_kept(BROWSER_KEPT) if not any(is_named(name, pattern) for name in names)] == []


@parsed
def test_modules_that_no_test_loads_are_counted_by_folder(tmp_path: Path) -> None:
    places = places_of(tmp_path, "function f(a) { return a < 1; }")
    assert not_loaded(places, frozenset()) == {"js": (1, 2)}
    assert not_loaded(places, frozenset({"js/a.js"})) == {}


def test_tests_of_scripts_that_notice_are_there() -> None:
    assert all(list((ROOT / path).rglob("*.test.mjs")) for path in BROWSER_TESTS)


@parsed
@pytest.mark.slow
def test_broken_script_is_noticed_by_a_test_that_runs_it_and_what_none_runs_by_nobody() -> None:
    noticed, not_reached = "boundary js/base/format.js ageText | minutes < 10 → <=", "* js/keys/sheet.js changed | *"
    files = ["tests/js/base/format.test.mjs", "tests/js/keys/sheet.test.mjs"]
    command = [sys.executable, "manage.py", "mutate", "--browser", "--who", "--jobs", "1", "--sample", "0", noticed, not_reached]
    done = subprocess.run([*command, "--tests", *files], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    who = [line.partition(": ")[2] for line in done.stdout.splitlines() if " | " in line and ": " in line]
    assert who[0].startswith(f"{files[0]}: age is"), done.stdout + done.stderr
    assert set(who[1:]) == {"nobody"} and done.returncode == 1
