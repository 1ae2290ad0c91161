"""The grace period left after a preStop hook, by version: from 1.22 to 1.27 the period starts again after the hook."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.nodes.pressure import SetNodePressure
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.ledger import ledger
from simulator.engine.rules.explain import why
from tests.engine.worlds import container, header, moment, pod, run

DEAF = "trap '' TERM; while true; do sleep 1; done"
SLOW = "trap 'sleep 10; exit 0' TERM; while true; do sleep 1 & wait $!; done"
OLD, AGAIN, NEW = "1.21", ("1.22", "1.27"), "1.28"
UNSET, AT_ONCE = ("1.22", "1.30"), "1.31"


def hooked(script: str, seconds: int, grace: int, **more: Any) -> dict[str, Any]:
    """A pod whose preStop hook takes this many seconds."""
    hook = {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}
    return pod(container(script, lifecycle=hook, **more), terminationGracePeriodSeconds=grace)


def deleted(document: dict[str, Any], version: str, seconds: float = 150, **how: Any) -> list[Record]:
    """The records of the pod, deleted at 10 s."""
    return run(header(document, kubernetes=version), seconds, (10, DeletePod(target="default/p", **how)))[1]


def end(records: list[Record]) -> tuple[int, object]:
    """Whole seconds from the deletion to the end of the process, and its exit code."""
    (exited,) = [record for record in records if record.machine == "container" and record.target == "exited"]
    return (exited.at_ms - 10_000) // 1000, exited.get("exit_code")


@pytest.mark.parametrize(("version", "expected"), [(OLD, (60, 137)), *((item, (65, 0)) for item in AGAIN), (NEW, (60, 137))])
def test_process_that_needs_ten_seconds_after_a_hook_of_fifty_five(version: str, expected: tuple[int, int]) -> None:
    assert end(deleted(hooked(SLOW, 55, 60), version)) == expected


@pytest.mark.parametrize(("version", "expected"), [(OLD, (62, 137)), *((item, (120, 137)) for item in AGAIN), (NEW, (62, 137))])
def test_hook_that_hangs_is_given_up_when_the_grace_is_over(version: str, expected: tuple[int, int]) -> None:
    records = deleted(hooked(DEAF, 999, 60), version)
    assert moment(records, machine="stop", target="term") == pytest.approx(70, abs=0.1)
    assert end(records) == expected


@pytest.mark.parametrize(("version", "expected"), [(OLD, 2), *((item, 1) for item in AGAIN), (NEW, 2)])
def test_two_seconds_are_not_the_least_where_the_grace_of_the_deletion_has_the_last_word(version: str, expected: int) -> None:
    document = pod(container(DEAF))
    assert end(deleted(document, version, grace_s=1))[0] == expected


@pytest.mark.parametrize(("version", "expected"), [(OLD, 5), *((item, 5) for item in AGAIN), (NEW, 5)])
def test_grace_of_a_stop_that_is_no_end_of_the_pod_is_one_budget_in_every_version(version: str, expected: int) -> None:
    """A liveness kill passes no grace period of its own, so nothing replaces what the hook has left."""
    probe = {"exec": {"command": ["false"]}, "periodSeconds": 5, "failureThreshold": 1, "initialDelaySeconds": 10}
    document = hooked(DEAF, 3, 5, livenessProbe=probe)
    records = run(header(document, kubernetes=version), 40)[1]
    begun, killed = (moment(records, machine="stop", target=target) for target in ("pre_stop", "killed"))
    assert round(killed - begun) == expected


def evicted(version: str) -> list[Record]:
    """The records of a pod with a hook of three seconds that is evicted because of memory pressure."""
    act = SetNodePressure(node="node1", signal="memory.available", available="50Mi")
    document = hooked(DEAF, 3, 10)
    return run(header(document, kubernetes=version), 60, (12, act))[1]


@pytest.mark.parametrize(
    ("version", "hook_s", "process_s"),
    [(OLD, 3, 0), *((item, 3, 10) for item in AGAIN), (NEW, 3, 7), (UNSET[1], 3, 7), (AT_ONCE, 1, 2)],
)
def test_hook_of_an_evicted_pod_has_the_grace_of_the_pod_until_1_30(version: str, hook_s: int, process_s: int) -> None:
    records = evicted(version)
    begun, killed = (moment(records, machine="stop", target=target) for target in ("pre_stop", "killed"))
    asked = moment(records, machine="stop", target="term") if process_s else killed
    assert (round(asked - begun), round(killed - asked)) == (hook_s, process_s)


@pytest.mark.parametrize(("version", "hook_s", "process_s"), [(OLD, 3, 5), *((item, 3, 5) for item in AGAIN), (NEW, 3, 2)])
def test_grace_that_a_shutdown_gives_counts_from_the_end_of_the_hook_until_1_27(version: str, hook_s: int, process_s: int) -> None:
    act = ShutdownNode(node="node1", grace_s=20, critical_s=0)
    records = run(header(hooked(DEAF, 3, 5), kubernetes=version), 60, (12, act))[1]
    begun, asked, killed = (moment(records, machine="stop", target=target) for target in ("pre_stop", "term", "killed"))
    assert (round(asked - begun), round(killed - asked)) == (hook_s, process_s)


def test_ledger_says_that_the_grace_has_begun_again() -> None:
    found = ledger(deleted(hooked(DEAF, 20, 15), "1.24"), "container/default/p/app")
    assert found is not None
    assert [(entry.who, ((entry.end_ms or 0) - entry.begin_ms) // 1000) for entry in found.entries] == [
        ("hook", 15),
        ("again", 15),
        ("kill", 0),
    ]


@pytest.mark.parametrize(
    ("seconds", "sentence"),
    [
        (5, "The preStop hook has finished; the runtime sent TERM, and the process gets 15 s, however long the hook took."),
        (99, "The preStop hook used up the grace period; the process gets TERM and another 15 s, as if there had been no hook."),
    ],
)
def test_words_do_not_speak_of_what_is_left(seconds: int, sentence: str) -> None:
    records = deleted(hooked(DEAF, seconds, 15), "1.24")
    (term,) = [record for record in records if record.machine == "stop" and record.target == "term"]
    assert (why(records, term.seq)[0].text, term.get("left_s")) == (sentence, 15)


@pytest.mark.parametrize(("version", "word"), [("1.24", "not deducted from the process’s own"), ("1.30", "its time counts against")])
def test_words_of_the_hook_say_whose_time_it_takes(version: str, word: str) -> None:
    records = deleted(hooked(DEAF, 5, 15), version)
    told = [why(records, record.seq)[0].text for record in records if record.machine in ("hook", "stop")]
    assert [word in text for text in told[:2]] == [True, True]


BY_FORCE = [(OLD, 2), *((item, 20) for item in UNSET), (AT_ONCE, 2)]


@pytest.mark.parametrize(("version", "expected"), BY_FORCE)
def test_force_delete_leaves_the_process_its_full_grace_from_1_22_to_1_30(version: str, expected: int) -> None:
    document = pod(container(DEAF), terminationGracePeriodSeconds=20)
    assert end(deleted(document, version, force=True)) == (expected, 137)


@pytest.mark.parametrize(("version", "expected"), [(OLD, 0), *((item, 20) for item in UNSET), (AT_ONCE, 2)])
def test_pod_over_a_limit_of_its_own_ends_as_one_that_a_full_node_evicts(version: str, expected: int) -> None:
    script = f"dd if=/dev/zero of=/tmp/x bs=1M count=9; {DEAF}"
    document = pod(container(script, resources={"limits": {"ephemeral-storage": "5Mi"}}), terminationGracePeriodSeconds=20)
    records = run(header(document, kubernetes=version), 60)[1]
    begun, killed = moment(records, machine="container", target="stopping"), moment(records, machine="stop", target="killed")
    assert round(killed - begun) == expected


@pytest.mark.parametrize("version", [UNSET[1], AT_ONCE])
def test_grace_of_one_second_is_one_whatever_becomes_of_none(version: str) -> None:
    document = pod(container(DEAF), terminationGracePeriodSeconds=20)
    assert end(deleted(document, version, grace_s=1))[0] == 2


@pytest.mark.parametrize("version", [UNSET[0], UNSET[1], AT_ONCE])
def test_pod_whose_own_grace_is_nothing_gets_the_least_in_every_version(version: str) -> None:
    document = pod(container(DEAF), terminationGracePeriodSeconds=0)
    assert end(deleted(document, version, force=True))[0] == (1 if version == UNSET[0] else 2)
