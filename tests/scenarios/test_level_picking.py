"""Checks made from records that an author points at."""

import msgspec
import pytest

from simulator.engine.kernel.records import Record
from simulator.engine.rules import explain
from simulator.levels.level import Level, Solution
from simulator.levels.picking import (
    PickedRecord,
    check_of,
    free_id,
    is_notable,
    is_state,
    lineage_of,
    pattern_of,
    sentence_without_names,
)
from simulator.levels.playing import play_level
from simulator.levels.reading import level_of
from simulator.scenarios.grading.patterns import Range

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: app, image: "busybox:1.36", command: [sleep, "3600"]}]
"""


def records_of(manifests, *acts, seed=42):
    table = {"title": "t", "manifests": manifests, "horizon": "120s", "check": [{"id": "a", "never": {"machine": "stop"}}]}
    level: Level = level_of(table)
    solution = Solution(name="s", expect="pass", acts=acts)
    return play_level(level, solution.steps(), seed=seed).records


def first(records, machine, target):
    return next(record for record in records if (record.machine, record.target) == (machine, target))


@pytest.mark.parametrize(
    ("machine", "target", "subject"), [("phase", "Running", "pod/default/*"), ("container", "running", "container/default/*/app")]
)
def test_pod_of_a_deployment_is_any_pod_of_that_deployment(machine, target, subject):
    records = records_of(DEPLOYMENT)
    pattern = pattern_of(first(records, machine, target), lineage_of(records))
    assert (pattern.subject, pattern.owner) == (subject, "deployment/default/web")


def test_pattern_means_the_same_at_another_seed():
    records, other = records_of(DEPLOYMENT), records_of(DEPLOYMENT, seed=7)
    pattern, lineage = pattern_of(first(records, "phase", "Running"), lineage_of(records)), lineage_of(other)
    assert sum(pattern.matches(record, lineage) for record in other) == 2


def test_pattern_has_what_belongs_to_its_record_and_nothing_empty():
    records = records_of(DEPLOYMENT)
    lineage = lineage_of(records)
    waiting, running = first(records, "container_status", "waiting"), first(records, "container_status", "running")
    assert pattern_of(waiting, lineage).data == {"reason": waiting.get("reason")} != {"reason": ""}
    assert pattern_of(msgspec.structs.replace(running, data=(("reason", ""), ("other", "x"))), lineage).data == {}


def test_name_that_differs_from_seed_to_seed_is_not_in_the_sentence():
    records = records_of(DEPLOYMENT)
    record = first(records, "phase", "Running")
    text = sentence_without_names(explain.headline(record).english, record, lineage_of(records))
    assert text == "Phase of pod web-…: Pending → Running"


def test_pod_that_is_made_again_is_meant_too():
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: app, image: 'busybox:1.36', command: [sleep, '9']}]}"
    )
    again = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"one"},"spec":{"containers":[{"name":"app","image":"busybox:1.36"}]}}'
    gone = {"at": "3s", "do": "delete_pod", "target": "default/one", "grace_s": 0}
    records = records_of(pod, gone, {"at": "30s", "do": "apply", "documents": [again]})
    pattern = pattern_of(first(records, "object", "gone"), lineage_of(records))
    later = [record for record in records if record.machine == "object" and "#2" in record.subject]
    assert pattern.subject == "pod/default/one#*" and later and pattern.is_about(later[0])


def test_names_of_checks_do_not_come_twice():
    records = records_of(DEPLOYMENT)
    record = first(records, "phase", "Running")
    picked = PickedRecord(record=record, pattern=pattern_of(record, lineage_of(records)), text="x")
    assert check_of("never", picked, text="t", taken=["phase-running"], from_ms=20_500) == {
        "id": "phase-running-2",
        "text": "t",
        "never": {"machine": "phase", "subject": "pod/default/*", "owner": "deployment/default/web", "target": "Running"},
        "from": "20.5s",
    }


def test_notable_records_are_a_small_part():
    records = records_of(DEPLOYMENT)
    notable = [record for record in records if is_notable(record)]
    assert 0 < len(notable) < len(records) / 2
    assert {"phase", "object", "container", "condition"} <= {record.machine for record in notable}


def made(machine, target, *, subject="container/default/a/app", source="", kind="transition", **data):
    return Record(1, 0, kind, subject, machine, source, "", target, 0, "RULE", tuple(data.items()))


@pytest.mark.parametrize(
    ("record", "pattern"),
    [
        (made("container", "running", instance=2), {"target": "running", "data": {"instance": Range(min=2)}}),
        (made("container", "running", instance=0), {"target": "running", "data": {}}),
        (made("container", "exited", instance=2, exit_code=0), {"target": "exited", "data": {"exit_code": 0}}),
        (made("hook", "running", instance=2, hook="pre_stop"), {"target": "running", "data": {"hook": "pre_stop"}}),
        (made("container_status", "waiting", reason=""), {"target": "waiting", "data": {}}),
        (made("scheduling", "node1", node="node1"), {"target": "", "rule": "RULE"}),
        (made("scheduling", "unschedulable", node=""), {"target": "unschedulable", "rule": ""}),
        (made("phase", "node1", node="node1"), {"target": "node1", "rule": ""}),
        (made("x", "", kind="note"), {"target": "", "rule": "RULE", "kind": "note"}),
        (made("command", "accepted", kind="command", do="apply"), {"subject": "", "data": {"do": "apply"}, "kind": "command"}),
    ],
)
def test_pattern_of_a_record_has_what_belongs_to_its_machine(record, pattern):
    found = pattern_of(record, lineage_of([]))
    assert {name: getattr(found, name) for name in pattern} == pattern


@pytest.mark.parametrize(
    ("record", "notable"),
    [
        (made("condition", "True", subject="condition/default/a/Ready", source="False"), True),
        (made("condition", "True", subject="condition/default/a/Ready", source="True"), False),
        (made("condition", "True", subject="condition/default/a/Initialized", source="False"), False),
        (made("api_object", "present"), True),
        (made("api_object", "present", source="present"), False),
        (made("k8s_event", "Failed", type="Warning"), True),
        (made("k8s_event", "Pulled", type="Normal"), False),
        (made("container_status", "waiting", reason="CrashLoopBackOff"), True),
        *((made("container_status", "waiting", reason=reason), False) for reason in ("", None, "ContainerCreating", "PodInitializing")),
        (made("container_status", "terminated"), True),
        (made("container_status", "running"), False),
        (made("status_word", "Running"), True),
        (made("status_word", ""), False),
        (made("phase", "Running"), True),
        (made("stop", "term"), True),
        (made("stop", "grace"), False),
        (made("image", "pulled"), False),
    ],
)
def test_records_that_levels_are_about_are_notable(record, notable):
    assert is_notable(record) is notable


@pytest.mark.parametrize(("taken", "name"), [([], "a"), (["b"], "a"), (["a"], "a-2"), (["a", "a-2", "a-4"], "a-3")])
def test_name_of_a_check_is_the_first_that_is_free(taken, name):
    assert free_id("a", taken) == name


@pytest.mark.parametrize(
    ("record", "is_lasting"),
    [(made("phase", "Running"), True), (made("phase", ""), False), (made("command", "accepted", kind="command"), False)],
)
def test_only_what_lasts_is_a_state(record, is_lasting):
    assert is_state(PickedRecord(record=record, pattern=pattern_of(record, lineage_of([])), text="x")) is is_lasting
