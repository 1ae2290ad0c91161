"""Random runs of random pods never violate the invariants of runs; and a violation would be noticed."""

from typing import Any

import pytest
from msgspec.structs import replace

from simulator.bench.random_runs import random_run
from simulator.bench.run_fuzz import Broken, Watcher, fuzz_runs, stuck
from simulator.engine import World
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.world.rows import PodRow
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"


def world_of(*acts: Any, seconds: float = 10) -> World:
    world, _ = run(header(pod(container())), seconds, *acts)
    return world


def changed(world: World, **changes: Any) -> PodRow:
    """Put a row into the world that the engine would not write."""
    row = replace(world.tables.pods[KEY], **changes)
    world.tables.pods[KEY] = row
    return row


def test_random_runs_do_nothing_that_no_run_may_do() -> None:
    tally = fuzz_runs(60)
    assert tally.runs == 60
    assert tally.records > 60 * 100


def test_equal_numbers_give_equal_runs_and_others_other_ones() -> None:
    assert random_run(7) == random_run(7) != random_run(8)


def test_run_that_breaks_says_how_to_play_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simulator.bench.run_fuzz.QUEUED_MAX", -1)
    with pytest.raises(Broken, match=r"run 3 .*are queued(.|\n)*bench fuzz --documents 0 --runs 1 --first 3"):
        fuzz_runs(1, first=3)


def test_exception_names_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watcher, "problems", lambda *args: 1 / 0)
    with pytest.raises(Broken, match="run 5 .*ZeroDivisionError"):
        fuzz_runs(1, first=5)


def test_final_phase_that_is_left_is_noticed() -> None:
    world, watcher = world_of(), Watcher()
    status = world.tables.pods[KEY].status
    changed(world, status=replace(status, phase="Failed"))
    assert list(watcher.problems(world, [])) == []
    changed(world, status=replace(status, phase="Running"))
    assert list(watcher.problems(world, [])) == ["pod/default/p has left Failed for Running"]


def test_restart_count_that_falls_is_noticed() -> None:
    world, watcher = world_of(), Watcher()
    status = world.tables.pods[KEY].status
    for count in (3, 2):
        changed(world, status=replace(status, containers=(replace(status.containers[0], restart_count=count),)))
        told = list(watcher.problems(world, []))
    assert told == ["pod/default/p app has restarted 3 times, then 2"]


def test_pod_that_stays_terminating_is_noticed_and_a_finalizer_is_a_reason() -> None:
    world = world_of()
    row = changed(world, deletion_ms=5_000)
    assert len(list(stuck(world))) == 1
    changed(world, document=row.document.replace('"name"', '"finalizers": ["a.b/c"], "name"', 1))
    assert list(stuck(world)) == []


def test_pod_of_a_kubelet_that_works_goes() -> None:
    assert list(stuck(world_of((5, DeletePod(target=KEY)), seconds=60))) == []
