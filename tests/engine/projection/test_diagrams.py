"""The diagrams of machines: the tables as graphs, with the transitions that fired and the current states."""

from typing import Any

import pytest

from simulator.engine import Record
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.kernel.machine import ANY
from simulator.engine.projection.diagrams import DRAWN, Diagram, diagram_at, recorded_diagram
from simulator.engine.versions import resolve
from tests.engine.stories import all_stories
from tests.engine.worlds import container, header, pod, run

NEVER = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1}
APP, POD = "container/default/p/c1", "pod/default/p"


def told(name: str, subject: str, records: list[Record]) -> Diagram:
    return recorded_diagram(name, subject, records)


def edge(diagram: Diagram, ends: str) -> Any:
    return next(item for item in diagram.edges if item.id == ends)


@pytest.mark.parametrize("name", DRAWN)
def test_every_row_with_a_target_lies_on_an_edge(name: str) -> None:
    diagram = told(name, APP, [])
    on_edges = {(item.source, item.target, row.trigger, row.rule) for item in diagram.edges for row in item.rows}
    for row in DRAWN[name].rows:
        if row.target != ANY:
            assert row.source == ANY or (row.source, row.target, row.trigger, row.rule) in on_edges
            assert any(rule == row.rule and target == row.target for _, target, _, rule in on_edges)


def test_nothing_has_fired_before_the_first_record() -> None:
    diagram = told("container", APP, [])
    assert (diagram.present, diagram.last) == ("waiting", "") and not any(item.firings for item in diagram.edges)


def subject_of(records: list[Record], machine: str) -> str:
    return next(record.subject for record in records if record.machine == machine)


def test_edges_count_what_fired_and_name_the_last() -> None:
    world, records = run(header(pod(container("sleep 2; exit 1"))), 6)
    diagram = diagram_at(world, "container", subject_of(records, "container"), records)
    assert len(edge(diagram, "running--exited").firings) == 2
    assert (diagram.present, diagram.last) == ("backoff", "exited--backoff")
    assert diagram.since_ms == edge(diagram, "exited--backoff").firings[-1].at_ms


def test_rows_that_a_version_does_not_have_are_left_out() -> None:
    old = {item.id for item in recorded_diagram("pod_worker", POD, [], resolve("1.20")).edges}
    new = {item.id for item in recorded_diagram("pod_worker", POD, [], resolve("1.30")).edges}
    assert "syncing--finished" in old - new and "terminating--terminated" in new - old


def test_a_probe_comes_from_the_result_that_stood() -> None:
    probe = {"exec": {"command": ["test", "-f", "/ok"]}, "periodSeconds": 1, "failureThreshold": 1}
    script = "touch /ok; sleep 5; rm /ok; sleep 600"
    world, records = run(header(pod(container(script, readinessProbe=probe))), 12)
    diagram = diagram_at(world, "probe", subject_of(records, "probe"), records)
    assert (diagram.present, diagram.last) == ("failure", "success--failure")


def test_a_stop_begins_again_with_a_new_instance() -> None:
    _, records = run(header(pod(container("trap '' TERM; sleep 600", livenessProbe=NEVER), terminationGracePeriodSeconds=2)), 30)
    subject, targets = subject_of(records, "stop"), [record.target for record in records if record.machine == "stop"]
    assert targets[:3] == ["term", "killed", "stopped"]
    stopped = next(index for index, record in enumerate(records) if record.target == "stopped") + 1
    assert told("stop", subject, records[:stopped]).present == "stopped"
    started = next(index for index, record in enumerate(records) if index > stopped and record.target == "creating") + 1
    assert told("stop", subject, records[:started]).present == "alive"


UNTOLD = {
    ("container", "PULL-NOW"): "an init container that is lost is begun anew",
    ("container", "PULL-PRESENT"): "likewise, and a kubelet that restarts forgets that it held a container back",
    ("container", "STOP-REQUESTED"): "the mirror of a static pod comes back while the pod runs on",
    ("pod_worker", "WORKER-ACCEPTED"): "a kubelet that restarts has forgotten its workers",
    ("pod_worker", "WORKER-STOPPED"): "an orphan is found without a record",
    ("pod_worker", "WORKER-DELETION"): "the mirror of a static pod",
    ("sandbox", "SANDBOX-RECREATE"): "one that was being created when the kubelet ended is abandoned without a record",
    ("sandbox", "SANDBOX-STOP"): "the mirror of a static pod",
}
"""Records that leave a state without recording the way to it."""


def is_untold(record: Record, before: list[Record]) -> bool:
    """Whether a record leaves another state than the one drawn before it."""
    tells = record.machine in DRAWN and record.kind == "transition" and record.source
    return bool(tells) and told(record.machine, record.subject, before).present != record.source


def test_drawings_stand_where_the_next_record_leaves_from() -> None:
    histories = [story.played()[1] for story in all_stories()]
    strange = {
        (record.machine, record.rule) for records in histories for index, record in enumerate(records) if is_untold(record, records[:index])
    }
    assert strange == set(UNTOLD)


def test_a_kubelet_that_has_ended_knows_no_worker() -> None:
    world, records = run(header(pod(container("sleep 600"))), 12, (5, NodeControl(node="node1", kubelet="kill")))
    assert told("pod_worker", POD, records).present == "syncing"
    assert diagram_at(world, "pod_worker", POD, records).present == "unknown"
