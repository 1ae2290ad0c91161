"""Random pods are imported as they were exported; and an incorrect import would be noticed."""

import copy
from typing import Any

import pytest
from msgspec.structs import replace

from simulator.bench import import_fuzz
from simulator.bench.import_fuzz import Contradicted, fuzz_imports, random_moment
from simulator.bench.import_judge import contradictions, differences, rows_of
from simulator.bench.import_sequel import is_determined, sequel_problems
from simulator.engine import Course, World
from simulator.engine.model.status import PodCondition, Terminated
from simulator.imports.build import Imported, import_text
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"


def world_of(seconds: float = 20) -> World:
    world, _ = run(header(pod(container())), seconds)
    return world


def changed(world: World, **changes: Any) -> list[str]:
    """The contradictions found for a pod whose status was changed against its own document."""
    document = rows_of(world)["p"]
    row = world.tables.pods[KEY]
    row = replace(row, status=replace(row.status, **changes))
    return list(contradictions(document, row, world, restarts={}))


def test_quiet_moments_have_every_act_whose_effect_the_text_shows() -> None:
    moments = [moment for moment in map(random_moment, range(200)) if import_fuzz._is_quiet(moment)]
    acts = {type(stamped.command).__name__ for moment in moments for stamped in moment.commands}
    assert acts == {"DeletePod", "EvictPod", "SignalContainer", "ExitContainer", "OomContainer", "ApplyManifest"}


def test_random_pods_are_imported_as_they_were_exported() -> None:
    tally = fuzz_imports(40)
    assert tally.imports > 30
    assert tally.looks > 10_000
    assert tally.determined > 0


def test_equal_numbers_give_equal_moments_and_others_other_ones() -> None:
    assert random_moment(7) == random_moment(7) != random_moment(8)


def test_import_that_says_something_else_says_how_to_play_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(text: str, *, now_ms: int, **options: Any) -> Imported:
        return import_text(text, now_ms=now_ms + 60_000, **options)

    monkeypatch.setattr(import_fuzz, "import_text", late)
    with pytest.raises(Contradicted, match=r"import 2 .*(.|\n)*bench fuzz --documents 0 --runs 0 --imports 1 --first 2"):
        fuzz_imports(1, first=2)


def test_a_refusal_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_fuzz, "import_text", lambda *_args, **_options: Imported())
    with pytest.raises(Contradicted, match="the text is refused"):
        fuzz_imports(1, first=2)


def test_a_pod_does_not_contradict_itself() -> None:
    assert changed(world_of()) == []


def test_condition_after_its_last_change_is_noticed() -> None:
    found = changed(world_of(), conditions=(PodCondition(type="PodScheduled", status="False"),))
    assert "PodScheduled is not True after its last change" in found
    assert "Initialized is not True after its last change" in found


def test_phase_that_has_not_come_is_noticed() -> None:
    assert "Failed though it has not ended" in changed(world_of(), phase="Failed")


def test_container_that_is_not_ready_is_noticed() -> None:
    world = world_of()
    (app,) = world.tables.pods[KEY].status.containers
    found = changed(world, containers=(replace(app, ready=False),))
    assert found == ["a container is not ready after the last change of ContainersReady to True"]


def test_end_that_is_still_to_come_is_noticed() -> None:
    world = world_of()
    (app,) = world.tables.pods[KEY].status.containers
    found = changed(world, containers=(replace(app, last_state=Terminated(finished_ms=90_000)),))
    assert found == ["app: lastState tells of a moment that is still to come"]


def test_restarts_of_which_the_text_knows_nothing_are_noticed() -> None:
    world = world_of()
    (app,) = world.tables.pods[KEY].status.containers
    assert "app: it has restarted 3 times, the text says 0" in changed(world, containers=(replace(app, restart_count=3),))


def test_restart_count_that_falls_is_noticed() -> None:
    world = world_of()
    (found,) = contradictions(rows_of(world)["p"], world.tables.pods[KEY], world, restarts={("p", "app"): 2})
    assert found == "app has restarted 0 times after 2"


def test_difference_of_a_status_names_its_path() -> None:
    document = rows_of(world_of())["p"]
    other = copy.deepcopy(document)
    other["status"]["containerStatuses"][0]["ready"] = False
    other["metadata"]["uid"] = "other"
    assert [item.partition(":")[0] for item in differences(document, other)] == ["status.containerStatuses[app].ready", "metadata.uid"]


def test_sequel_that_goes_otherwise_is_noticed() -> None:
    course = Course(header(pod(container(command=["sh", "-c", "sleep 30; exit 1"]))), ())
    course.drive(20_000)
    documents = rows_of(course.world)
    world = world_of()
    assert is_determined(documents["p"])
    documents["p"]["metadata"]["uid"] = world.tables.pods[KEY].uid
    (problem,) = sequel_problems(course, world, documents, is_quiet=True)
    assert problem.startswith("after the import p: ")


def test_ended_pod_that_begins_to_live_is_noticed() -> None:
    course = Course(header(pod(container(command=["sh", "-c", "exit 0"]), restartPolicy="Never")), ())
    course.drive(20_000)
    documents = rows_of(course.world)
    world, _ = run(header(pod(container(command=["sh", "-c", "sleep 30; exit 1"]))), 20)
    documents["p"]["metadata"]["uid"] = world.tables.pods[KEY].uid
    (problem,) = sequel_problems(course, world, documents, is_quiet=False)
    assert "it has ended, but becomes" in problem
