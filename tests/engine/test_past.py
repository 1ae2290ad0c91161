"""A past carried by a header: facts at their moments, then the take-over."""

import json

import pytest

from simulator.engine import RunHeader, advance, new_world
from simulator.engine.model.status import Waiting
from simulator.engine.past.document import Past, PastContainer, PastFact, PastPod, PastState
from simulator.engine.rules.explain import why
from simulator.engine.world.cluster import ClusterSpec, NodeSpec
from tests.engine.worlds import words

DOCUMENT = json.dumps({
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"},
    "spec": {"containers": [{"name": "app", "image": "registry.example/shop:1.4"}], "terminationGracePeriodSeconds": 5},
})  # fmt: skip
RUNNING = PastContainer(group="app", state=PastState(kind="running", started_ms=1000), ready=True, started=True)
LIVED = (
    PastFact(at_ms=0, do="created", source="metadata.creationTimestamp"),
    PastFact(at_ms=10, do="bound", name="worker-1"),
    PastFact(at_ms=100, do="accepted", data={"host_ip": "192.0.2.7", "start_ms": 0}),
    PastFact(at_ms=500, do="sandbox", name="ready", rule="IMPORT-FOLLOWS", data={"ip": "10.42.0.9"}),
    PastFact(at_ms=1000, do="node", name="app", data={"to": "running", "instance": 0, "group": "app"}),
    PastFact(at_ms=1000, do="container", name="app", rule="IMPORT-FOLLOWS", container=RUNNING),
    PastFact(at_ms=1000, do="phase", name="Running", rule="IMPORT-FOLLOWS"),
    PastFact(at_ms=2000, do="event", name="Started", data={"component": "kubelet", "count": 3, "field_path": "spec.containers{app}"}),
    PastFact(at_ms=3000, do="attempt", name="app/liveness", rule="IMPORT-SPREAD", data={"outcome": "failure"}),
)
ENDED = PastContainer(group="app", state=PastState(kind="terminated", reason="Completed", started_ms=1000, finished_ms=3000))
END = (
    PastFact(at_ms=3000, do="node", name="app", data={"to": "exited", "instance": 0, "group": "app"}),
    PastFact(at_ms=3000, do="container", name="app", rule="IMPORT-FOLLOWS", container=ENDED),
    PastFact(at_ms=3000, do="phase", name="Succeeded", rule="IMPORT-FOLLOWS"),
)
DELETED = PastFact(at_ms=4000, do="deleted", rule="IMPORT-STATE", data={"grace_s": 5, "deadline_ms": 9000})


def world_of(*facts, until_ms=10_000, resume_ms=5000, version="1.33", **more):
    pod = PastPod(document=DOCUMENT, namespace="shop", name="web", uid="u-1", created_ms=0, facts=facts, **more)
    past = Past(resume_ms=resume_ms, pods=(pod,), assumed=(("container/shop/web/app", "it keeps running"),))
    header = RunHeader(kubernetes=version, cluster=ClusterSpec(nodes=(NodeSpec(name="worker-1"),)), past=past)
    world = new_world(header)
    records = [*world.first_records, *advance(world, until_ms=until_ms).records]
    return world, records


def test_facts_change_the_world_at_their_moments():
    world, _ = world_of(*LIVED, until_ms=600)
    row = world.tables.pods["shop/web"]
    assert (row.node, row.status.pod_ip, row.status.host_ip, row.status.phase) == ("worker-1", "10.42.0.9", "192.0.2.7", "Pending")


def states(*facts, machine, **more):
    """The states of a machine in the records of the past, in order."""
    _, records = world_of(*facts, until_ms=5000, **more)
    return [record.target for record in records if record.machine == machine and record.rule.startswith("IMPORT-")]


def told(at_ms, do, name, **data):
    return PastFact(at_ms=at_ms, do=do, name=name, data=data)


@pytest.mark.parametrize(
    ("machine", "facts", "expected"),
    [
        ("object", (*LIVED, DELETED), ["present", "terminating"]),
        ("phase", (*LIVED, *END), ["Pending", "Running", "Succeeded"]),
        ("condition", (*LIVED, told(4000, "condition", "Ready", status="True")), ["True"]),
        ("condition", (*LIVED, told(4000, "condition", "Ready", status="False")), ["False"]),
        ("container", (*LIVED[:4], told(600, "node", "app", to="pulling"), *LIVED[4:], *END), ["pulling", "running", "exited"]),
        ("sandbox", (*LIVED, *END, told(4000, "sandbox", "stopped")), ["ready", "stopped"]),
        ("probe", (*LIVED, told(4000, "result", "app/readiness", result="success")), ["success"]),
        ("probe", (*LIVED, told(4000, "result", "app/readiness", result="failure")), ["failure"]),
    ],
)
def test_facts_become_the_state(machine, facts, expected):
    assert states(*facts, machine=machine) == expected


@pytest.mark.parametrize(("facts", "container", "sandbox"), [((), "running", "ready"), (END, "exited", "ready")])
def test_node_has_what_is_told_of_it(facts, container, sandbox):
    world, _ = world_of(*LIVED, *facts, until_ms=4900)
    assert (world.tables.instances["shop/web"][0].state, world.tables.sandboxes["shop/web"].state) == (container, sandbox)


def test_stop_that_had_begun_stands_where_the_stop_signal_was_sent():
    world, _ = world_of(*LIVED, DELETED, until_ms=5000, stop_ms=4000)
    instance = world.tables.instances["shop/web"][0]
    assert (instance.state, instance.stop.state) == ("stopping", "term")


def test_facts_keep_the_uid_of_the_text():
    world, records = world_of(*LIVED)
    assert world.tables.pods["shop/web"].uid == "u-1"
    assert next(record for record in records if record.machine == "object").get("uid") == "u-1"


def test_inferred_facts_are_marked_and_name_their_origin():
    _, records = world_of(*LIVED)
    sandbox = next(record for record in records if record.machine == "sandbox")
    created = next(record for record in records if record.machine == "object")
    assert (sandbox.rule, sandbox.get("inferred")) == ("IMPORT-FOLLOWS", True)
    assert (created.rule, created.get("inferred"), created.get("origin")) == ("IMPORT-RECORDED", None, "metadata.creationTimestamp")


def test_an_event_has_the_count_of_the_text_at_once():
    world, _ = world_of(*LIVED)
    (event,) = [held for held in world.tables.k8s_events.values() if held.reason == "Started"]
    assert (event.count, event.last_ms) == (3, 2000)


def test_take_over_says_so_and_what_is_assumed():
    _, records = world_of(*LIVED)
    told = {record.rule: record.at_ms for record in records if record.rule in ("IMPORT-RESUMED", "IMPORT-ASSUMED")}
    assert told == {"IMPORT-RESUMED": 5000, "IMPORT-ASSUMED": 5000}


def test_a_container_that_runs_has_its_process_from_the_take_over_on():
    before, _ = world_of(*LIVED, until_ms=4999)
    after, _ = world_of(*LIVED, until_ms=5000)
    assert before.tables.instances["shop/web"][0].process is None
    assert after.tables.instances["shop/web"][0].process is not None


def test_the_pod_stays_as_it_was_when_nothing_is_wrong():
    _, records = world_of(*LIVED, until_ms=300_000)
    changes = [record for record in records if record.at_ms > 5000 and record.machine in ("status_word", "container_status", "phase")]
    assert [(record.machine, record.target) for record in changes if record.machine != "container_status"] == []


def test_a_pod_that_was_being_deleted_is_killed_when_its_grace_is_spent():
    _, records = world_of(*LIVED, DELETED, until_ms=60_000, stop_ms=4000)
    killed = next(record for record in records if record.machine == "stop" and record.target == "killed")
    gone = next(record for record in records if record.machine == "object" and record.target == "gone")
    assert killed.at_ms == 9000 < gone.at_ms


def test_kubelet_goes_on_to_stop_a_pod_whose_stop_had_begun():
    _, records = world_of(*LIVED, DELETED, until_ms=60_000, stop_ms=4000)
    assert words(records, machine="pod_worker", subject="pod/shop/web") == ["syncing", "terminated", "finished"]


@pytest.mark.parametrize(("version", "state"), [("1.21", "syncing"), ("1.22", "finished"), ("1.33", "finished")])
def test_kubelet_has_done_with_a_pod_that_had_ended(version, state):
    world, records = world_of(*LIVED, *END, until_ms=60_000, version=version)
    assert world.tables.workers["shop/web"].state == state
    assert not [record for record in records if record.at_ms >= 5000 and record.machine in ("pod_worker", "object", "sandbox")]


@pytest.mark.parametrize("version", ["1.20", "1.22", "1.33"])
def test_a_pod_that_had_ended_and_was_being_deleted_goes(version):
    _, records = world_of(*LIVED, *END, DELETED, until_ms=60_000, version=version)
    assert words(records, machine="object", subject="pod/shop/web") == ["present", "terminating", "gone"]


def test_a_container_that_waited_is_shown_with_its_reason():
    waits = PastContainer(group="app", state=PastState(kind="waiting", reason="ErrImagePull"), made=False)
    world, records = world_of(*LIVED[:3], PastFact(at_ms=900, do="container", name="app", container=waits), until_ms=1000)
    (told,) = (record for record in records if record.machine == "container_status")
    assert (told.target, told.get("reason")) == ("waiting", "ErrImagePull")
    assert world.tables.pods["shop/web"].status.containers[0].state == Waiting("ErrImagePull")


def test_nothing_happens_to_a_pod_whose_node_does_not_answer():
    _, records = world_of(*LIVED, DELETED, until_ms=600_000, stop_ms=4000, silent=True)
    assert not [record for record in records if record.at_ms > 5000 and record.subject.endswith("shop/web")]


def test_status_is_reported_again_when_ready_alone_changes():
    ready = PastFact(at_ms=1500, do="condition", name="Ready", data={"status": "True", "transition_ms": 1000})
    facts = sorted((*LIVED, ready), key=lambda fact: fact.at_ms)
    _, records = world_of(*facts, until_ms=1600)
    told = [(record.target, record.get("pod_ready")) for record in records if record.machine == "status_word"]
    assert told[-2:] == [("Running", None), ("Running", True)]


def test_why_shows_where_the_imported_past_ends():
    _, records = world_of(*LIVED)
    resumed = next(record for record in records if record.machine == "import")
    (step,) = why(records, resumed.seq)
    assert step.what == "The imported past ends here"
    assert step.text.startswith("Imported here")


def test_why_of_an_inferred_fact_names_its_origin():
    inferred = PastFact(at_ms=500, do="sandbox", name="ready", rule="IMPORT-FOLLOWS", source="status.podIP", data={"ip": "10.42.0.9"})
    _, records = world_of(*LIVED[:3], inferred)
    sandbox = next(record for record in records if record.machine == "sandbox")
    assert "it belongs to something whose time is given (status.podIP)" in why(records, sandbox.seq)[0].text
