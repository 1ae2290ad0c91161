import json

import pytest
import yaml

from simulator.engine import new_world
from simulator.imports import build
from simulator.imports.build import import_text
from simulator.imports.read import read
from tests.imports import kubectl


def test_read_finds_pods_in_documents_when_they_are_not_a_list():
    documents = "\n---\n".join(json.dumps(item) for item in (kubectl.pod(kubectl.running(2)), kubectl.event("Started", "x", 2)))
    found = read(documents)
    assert [len(pod.events) for pod in found.pods] == [1]


def test_read_gives_an_event_to_its_pod_when_it_has_no_uid():
    event = kubectl.event("Started", "x", 2)
    del event["involvedObject"]["uid"]
    assert read(kubectl.listing(kubectl.pod(kubectl.running(2)), event)).pods[0].events


def test_read_leaves_an_event_out_when_it_is_about_an_earlier_pod_of_that_name():
    event = kubectl.event("Started", "x", 2)
    event["involvedObject"]["uid"] = "another"
    found = read(kubectl.listing(kubectl.pod(kubectl.running(2)), event))
    assert found.ok
    assert not found.pods[0].events
    assert [problem.code for problem in found.problems] == ["other-events"]


def test_read_understands_events_of_the_newer_group():
    event = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "shop"},
        "eventTime": "2026-03-01T12:00:00.250000Z",
        "regarding": {"kind": "Pod", "name": "web", "namespace": "shop", "uid": kubectl.UID},
        "reason": "Scheduled",
        "note": "assigned",
        "reportingController": "default-scheduler",
        "series": {"count": 3, "lastObservedTime": "2026-03-01T12:00:09.000000Z"},
        "type": "Normal",
    }
    (found,) = read(kubectl.listing(kubectl.pod(kubectl.running(2)), event)).pods[0].events
    assert (found.message, found.count, found.exact, found.last_ms - found.first_ms) == ("assigned", 3, True, 8750)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"status": None}, "status"),
        ({"metadata": {"name": "web"}}, "metadata"),
        ({"metadata": {"name": "a/b", "creationTimestamp": kubectl.START}}, "metadata.name"),
        ({"metadata": {"name": "web", "namespace": "a/b", "creationTimestamp": kubectl.START}}, "metadata.namespace"),
        ({"spec": {"containers": []}}, "spec.containers"),
        ({"spec": {"containers": [{"name": "<b>"}]}}, "spec.containers[0].name"),
        ({"status": {"containerStatuses": [{"name": "app", "restartCount": "many"}]}}, "status.containerStatuses[0].restartCount"),
        ({"status": {"startTime": "yesterday"}}, "status.startTime"),
        ({"status": {"conditions": [{"status": "True"}]}}, "status.conditions[0]"),
    ],
)
def test_read_names_the_field_when_a_pod_cannot_be_imported(change, path):
    found = read(kubectl.listing({**kubectl.pod(kubectl.running(2)), **change}))
    assert not found.ok
    assert [problem.path for problem in found.problems] == [path]
    assert all(problem.line > 0 for problem in found.problems)


def test_read_says_so_when_there_is_no_pod():
    found = read(kubectl.listing(kubectl.event("Started", "x", 2)))
    assert [problem.code for problem in found.problems] == ["no-pod"]


def test_read_never_keeps_a_secret():
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}, "data": {"password": "aHVzaA=="}}
    found = read(kubectl.listing(kubectl.pod(kubectl.running(2)), secret))
    assert found.ok
    assert not found.companions


def test_read_refuses_a_time_that_no_calendar_has():
    found = read(kubectl.listing(kubectl.pod(kubectl.running(2), metadata={"creationTimestamp": "2026-13-45T12:00:00Z"})))
    assert [problem.path for problem in found.problems] == ["metadata.creationTimestamp"]


@pytest.mark.parametrize(
    "companion",
    [
        {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "x"}, "spec": {"selector": 7}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": ["x"]}},
        {"apiVersion": 7, "kind": "Service", "metadata": {"name": "x"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": "x"},
    ],
)
def test_import_leaves_an_object_out_when_it_cannot_be_decoded(companion):
    found = import_text(kubectl.listing(kubectl.pod(kubectl.running(2)), companion), kubernetes="1.33")
    assert found.ok and "left-out" in [problem.code for problem in found.problems]
    assert new_world(found.header).header.manifests == ()


def test_import_is_refused_when_no_world_can_begin_with_it(monkeypatch):
    def fails(header):
        raise KeyError("no such thing")

    monkeypatch.setattr(build, "new_world", fails)
    found = import_text(kubectl.listing(kubectl.pod(kubectl.running(2))))
    assert not found.ok and [problem.code for problem in found.problems] == ["not-understood"]


DESCRIBED = (
    "Name:         web\nNamespace:    shop\nNode:         worker-1/192.0.2.7\nContainers:\n  app:\n    State:  Waiting\n      Reason:  X\n"
)
FOR_PEOPLE = {
    "describe": (DESCRIBED, "kubectl get pod,events -n shop -o yaml", 1),
    "describe after a prompt": (f"$ kubectl describe pod web\n{DESCRIBED}", "kubectl get pod,events -n shop -o yaml", 2),
    "describe of Windows": (DESCRIBED.replace("\n", "\r\n"), "kubectl get pod,events -n shop -o yaml", 1),
    "table": ("NAME   READY   STATUS    RESTARTS   AGE\nweb    1/1     Running   0          3m\n", "kubectl get pod,events -o yaml", 1),
    "table of all namespaces": ("NAMESPACE  NAME  READY  STATUS  RESTARTS  AGE\nshop  web  1/1  Running  0  3m\n", "pod,events -o yaml", 1),
    "events": ("LAST SEEN   TYPE     REASON    OBJECT    MESSAGE\n3m   Normal  Pulled  pod/web  x\n", "kubectl get pod,events -o yaml", 1),
    "error": ('Error from server (NotFound): pods "web" not found\n', "kubectl get pod,events -o yaml", 1),
}


@pytest.mark.parametrize("case", FOR_PEOPLE)
def test_output_for_people_is_answered_with_the_line_to_type(case):
    text, line, at = FOR_PEOPLE[case]
    (problem,) = read(text).problems
    assert line in problem.message
    assert (problem.code, problem.line) == ("for-people", at)


def test_a_pod_whose_annotation_quotes_a_table_is_not_a_table():
    pod = kubectl.pod(kubectl.running(2), metadata={"annotations": {"note": "\nNAME READY STATUS\nName: web\n"}})
    assert read(kubectl.listing(pod)).ok


def test_read_names_the_first_event_that_is_about_another_object():
    mine, other = kubectl.event("Started", "x", 2), kubectl.event("Pulled", "x", 1)
    other["involvedObject"]["uid"] = "another"
    (problem,) = read("\n---\n".join(json.dumps(item) for item in (kubectl.pod(kubectl.running(2)), mine, other))).problems
    assert (problem.code, problem.line) == ("other-events", 5)


def test_read_names_it_although_another_event_cannot_be_read():
    bad, mine, other = kubectl.event("Started", "x", 2), kubectl.event("Started", "x", 2), kubectl.event("Pulled", "x", 1)
    bad["firstTimestamp"], other["involvedObject"]["uid"] = "noon", "another"
    text = "\n---\n".join(json.dumps(item) for item in (kubectl.pod(kubectl.running(2)), bad, mine, other))
    assert [(problem.code, problem.line) for problem in read(text).problems] == [("bad-event", 3), ("other-events", 7)]


@pytest.mark.parametrize("missing", [False, True])
def test_import_makes_up_what_a_pod_refers_to_unless_its_state_says_that_it_is_missing(missing):
    spec = {"containers": [kubectl.container(envFrom=[{"configMapRef": {"name": "settings"}}])]}
    app = kubectl.status("app", kubectl.waiting("CreateContainerConfigError", 'configmap "settings" not found' if missing else ""))
    header = import_text(kubectl.listing(kubectl.pod(app, phase="Pending", spec=spec))).header
    assert [json.loads(text)["metadata"]["name"] for text in header.manifests] == ([] if missing else ["settings"])


def test_import_makes_nothing_up_that_the_text_has():
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": {"a": "b"}}
    spec = {"containers": [kubectl.container(envFrom=[{"configMapRef": {"name": "settings"}}])]}
    header = import_text(kubectl.listing(kubectl.pod(kubectl.running(2), spec=spec), settings)).header
    assert [json.loads(text)["data"] for text in header.manifests] == [{"a": "b"}]


def test_imported_pods_and_related_objects_are_shown_as_manifests():
    settings = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": {"a": "b"}}
    header = import_text(kubectl.listing(kubectl.pod(kubectl.running(2)), settings)).header
    assert [item["kind"] for item in yaml.safe_load_all(build.manifests_of(header))] == ["Pod", "ConfigMap"]


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({}, 1),
        ({"count": 2, "series": {"count": 5}}, 5),
        ({"count": 7, "series": {"count": 5}}, 7),
        ({"deprecatedCount": 4, "count": 1}, 4),
        ({"count": True}, 1),
        ({"count": -3}, 1),
    ],
)
def test_event_counts_as_often_as_any_of_its_fields_says(counts, told):
    event = {**kubectl.event("Pulled", "Container image already present", 5), "count": None, **counts}
    (found,) = read(kubectl.listing(kubectl.pod(kubectl.running(2)), event)).pods[0].events
    assert found.count == told
