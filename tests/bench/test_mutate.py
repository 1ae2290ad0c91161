"""Mutation testing of declarations: what is noticed, what is not, and what the kept file says about it."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.utils.functional import SimpleLazyObject
from msgspec.structs import force_setattr

from simulator.bench.mutate.asked import caches, noting
from simulator.bench.mutate.kept import BadKeptLine, compared, is_named, read_kept
from simulator.bench.mutate.mutants import changed_row, every_mutant
from simulator.bench.mutate.trial import OF_THE_TABLES, TESTS, TOO_SLOW, MutantVerdict
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER
from simulator.engine.versions import resolve
from simulator.engine.versions.rows import value_at

NOTICED, UNNOTICED = "number crash_backoff_reset_ms ÷2", "switch restarts_ago"
ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_mutant_is_noticed_by_the_test_that_depends_on_it_and_another_by_nobody() -> None:
    command = [sys.executable, "manage.py", "mutate", NOTICED, UNNOTICED, "--tests", "tests/engine/test_backoff.py", "--who", "--jobs", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    told = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert told[NOTICED].startswith("tests/engine/test_backoff.py::")  # whichever is fastest at the moment
    assert (told[UNNOTICED], done.returncode) == ("nobody", 1)


@pytest.mark.parametrize("pattern", [*TESTS, *TOO_SLOW, *OF_THE_TABLES])
def test_files_that_are_taken_or_left_out_are_there(pattern: str) -> None:
    assert list(ROOT.glob(pattern))


def test_names_of_mutants_are_unique() -> None:
    names = [each.name for each in every_mutant()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("field", "number", "was"),
    [("restarts_ago", 30, True), ("sidecar_containers", 28, False), ("keep_status_on_kubelet_restart", 35, True)],
)
def test_switch_is_turned_round_in_every_version(field: str, number: int, was: bool) -> None:
    changed = changed_row(field, lambda value: not value)
    assert getattr(resolve(f"1.{number}"), field) is was
    by_gate = {each.value for each in changed.gated}
    assert value_at(changed, number) is not was or by_gate == {not was}


def test_noting_lists_the_fields_and_targets_that_are_read() -> None:
    asked: set[str] = set()
    with noting(asked.add):
        assert resolve("1.30").pod_gc_ms
        assert CONTAINER.rows[0].target
    assert resolve("1.30").watch_ms
    assert {"profile.pod_gc_ms"} < asked and len(asked) == 2
    assert any(key.startswith("machine.container.") for key in asked)


def test_caches_are_found() -> None:
    assert len(caches()) > 10


def test_lazy_objects_that_other_tests_left_are_not_asked() -> None:
    asked: list[int] = []
    lazy = SimpleLazyObject(lambda: asked.append(1))
    assert caches() and asked == [] and type(lazy) is SimpleLazyObject


def test_row_of_a_machine_gets_another_target() -> None:
    row = CONTAINER.rows[0]
    old = row.target
    target = next(state.name for state in CONTAINER.states if state.name != old)
    try:
        next(each for each in every_mutant() if each.name.startswith("row container") and each.name.endswith(f"→ {target}")).make()
        assert row.target == target
    finally:
        force_setattr(row, "target", old)


@pytest.mark.parametrize(
    ("pattern", "name", "is_it"),
    [
        ("number a_ms ×2", "number a_ms ×2", True),
        ("number a_ms *", "number a_ms ÷2", True),
        ("number a_ms *", "number b_ms ÷2", False),
        ("row stop a--b[guard]--c → *", "row stop a--b[guard]--c → d", True),
    ],
)
def test_pattern_names_mutants(pattern: str, name: str, is_it: bool) -> None:
    assert is_named(name, pattern) is is_it


def test_what_is_unnoticed_without_a_reason_is_new_and_a_reason_without_need_is_stale() -> None:
    tried = [MutantVerdict(mutant=name, by=by, asked=1) for name, by in (("switch a", "t"), ("switch b", ""), ("switch c", ""))]
    outcome = compared(tried, ["switch b", "switch a"])
    assert (outcome.new, outcome.stale) == (("switch c",), ("switch a",))


@pytest.mark.parametrize("text", ["switch a", "switch a: ", "switch a: one\nswitch a: two"])
def test_kept_file_gives_a_reason_for_each_name(tmp_path, text: str) -> None:
    path = tmp_path / "kept.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadKeptLine, match="line"):
        read_kept(path)


def test_kept_file_names_no_version_switch_and_only_mutants_that_exist() -> None:
    names = [each.name for each in every_mutant()]
    kept = read_kept()
    assert [pattern for pattern in kept if pattern.startswith("switch ")] == []
    assert [pattern for pattern in kept if not any(is_named(name, pattern) for name in names)] == []
