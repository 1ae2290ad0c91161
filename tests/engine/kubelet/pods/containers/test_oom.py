"""Which process a memory limit kills, and what then counts as failed, by version."""

from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.engine.projection.text import Text
from simulator.engine.rules.explain import headline, why
from tests.engine.worlds import container, header, pod, run, words

LIMIT = {"resources": {"limits": {"memory": "64Mi"}}}
CHILD, AT_ONCE = "1.27", "1.28"


def init_oom(policy: str, version: str, seconds: float = 40) -> tuple[World, list[Record]]:
    """A pod whose init container loses a child process to its memory limit and still exits with 0."""
    init = container("tail /dev/zero; exit 0", name="stress", **LIMIT)
    return run(header(pod(container("sleep 60"), initContainers=[init], restartPolicy=policy), kubernetes=version), seconds)


def phase_of(world: World) -> str:
    return world.tables.pods["default/p"].status.phase


def starts(records: list[Record], name: str) -> int:
    return sum(record.machine == "container" and record.target == "running" and record.subject.endswith(name) for record in records)


@pytest.mark.parametrize(
    ("version", "phase", "app_starts"), [("1.22", "Running", 1), ("1.23", "Pending", 0), ("1.26", "Pending", 0), ("1.27", "Failed", 0)]
)
def test_init_container_killed_for_memory_has_failed_from_1_23_although_it_ended_with_0(version: str, phase: str, app_starts: int) -> None:
    world, records = init_oom("Never", version)
    assert (phase_of(world), starts(records, "/app"), starts(records, "/stress")) == (phase, app_starts, 1)


@pytest.mark.parametrize("policy", ["Always", "OnFailure"])
@pytest.mark.parametrize(("version", "again"), [("1.22", False), ("1.23", True), ("1.27", True)])
def test_such_an_init_container_is_started_again_where_the_policy_lets_it(version: str, again: bool, policy: str) -> None:
    world, records = init_oom(policy, version)
    assert (starts(records, "/app") == 0, starts(records, "/stress") > 1) == (again, again)
    assert phase_of(world) == ("Pending" if again else "Running")


def test_kubectl_takes_its_exit_code_for_success_and_shows_what_the_app_waits_for() -> None:
    _, records = init_oom("Always", "1.24")
    assert words(records)[-1] == "PodInitializing"


def test_init_container_that_dies_as_a_whole_has_failed_by_its_exit_code() -> None:
    world, records = init_oom("Never", "1.28")
    assert (phase_of(world), words(records)[-1]) == ("Failed", "Init:OOMKilled")


def app_oom(script: str, version: str, seconds: float, **spec: Any) -> tuple[World, list[Record]]:
    return run(header(pod(container(script, **LIMIT), **spec), kubernetes=version), seconds)


def log_of(world: World) -> list[str]:
    return [line[3] for line in world.tables.logs.get(("default/p", "app"), ())]


@pytest.mark.parametrize(("version", "log", "code"), [(CHILD, ["Killed", "cleaned up"], 0), (AT_ONCE, [], 137)])
def test_no_process_outlives_another_that_is_killed_for_memory_from_1_28(version: str, log: list[str], code: int) -> None:
    world, records = app_oom("tail /dev/zero; echo cleaned up", version, 1.2, restartPolicy="OnFailure")
    assert log_of(world) == log
    ends = [record.get("exit_code") for record in records if record.machine == "container" and record.target == "exited"]
    assert set(ends) == {code}


@pytest.mark.parametrize(("version", "phase"), [(CHILD, "Succeeded"), (AT_ONCE, "Running")])
def test_a_pod_that_is_to_be_run_until_it_succeeds_goes_on_by_the_exit_code(version: str, phase: str) -> None:
    world, _ = app_oom("tail /dev/zero; echo cleaned up", version, 20, restartPolicy="OnFailure")
    assert phase_of(world) == phase


@pytest.mark.parametrize(("version", "count"), [(CHILD, 0), (AT_ONCE, 1)])
def test_command_run_from_outside_counts_with_the_container(version: str, count: int) -> None:
    document = pod(container("sleep 3600", **LIMIT))
    act = ExecInContainer(target="default/p", container="app", command=("tail", "/dev/zero"))
    world, records = run(header(document, kubernetes=version), 8, (3, act))
    assert sum(record.machine == "container" and record.target == "exited" for record in records) == count
    assert world.tables.pods["default/p"].status.containers[0].restart_count == count


def told_end(version: str) -> tuple[Text, str]:
    """The headline of the container's end, and the sentence of its rule."""
    records = app_oom("tail /dev/zero; exit 0", version, 1.2, restartPolicy="Never")[1]
    (end,) = [record for record in records if record.machine == "container" and record.target == "exited"]
    return headline(end), why(records, end.seq)[0].text


def test_words_do_not_say_that_the_main_process_was_killed_where_it_ended_by_itself() -> None:
    line, sentence = told_end(CHILD)
    assert line.english == "The process of app exited with code 0"
    killed = "the kernel had killed another process at the memory limit: OOMKilled."
    assert sentence == f"The main process exited on its own with code 0, but {killed}"
    line, sentence = told_end(AT_ONCE)
    assert line.english == "The kernel killed app because of its memory: exit code 137"
    assert sentence.startswith("The kernel killed")
