"""Columns of objects that stories rarely have, as in ``printers.go`` of Kubernetes."""

from types import SimpleNamespace

import pytest

from simulator.engine.kernel.json_text import Json
from simulator.kubectl.describe import _toleration
from simulator.kubectl.tables.cluster import NAMESPACES, NODES, node_roles
from simulator.kubectl.tables.model import Column
from simulator.kubectl.tables.named import INGRESSES
from simulator.kubectl.tables.workloads import JOBS

NOON_MS = 1_767_268_800_000
SIGHT = SimpleNamespace(epoch_now_ms=NOON_MS)


def cell(columns: tuple[Column, ...], head: str, document: Json) -> str:
    """The value of one column of an object at noon."""
    return next(column.cell for column in columns if column.head == head)(document, SIGHT)


def ready(status: str, **more: object) -> Json:
    conditions = [{"type": "MemoryPressure", "status": "True"}, {"type": "Ready", "status": status}]
    return {"spec": more, "status": {"conditions": conditions}}


@pytest.mark.parametrize(
    ("node", "status"),
    [
        (ready("True"), "Ready"),
        (ready("False"), "NotReady"),
        (ready("Unknown"), "NotReady"),
        ({"status": {"conditions": [{"type": "MemoryPressure", "status": "True"}]}}, "Unknown"),
        ({}, "Unknown"),
        (ready("True", unschedulable=True), "Ready,SchedulingDisabled"),
        (ready("False", unschedulable=True), "NotReady,SchedulingDisabled"),
    ],
)
def test_node_says_whether_it_is_ready_and_takes_pods(node: Json, status: str) -> None:
    assert cell(NODES, "STATUS", node) == status


@pytest.mark.parametrize(
    ("labels", "roles"),
    [
        ({}, "<none>"),
        ({"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": ""}, "control-plane,worker"),
        ({"node-role.kubernetes.io/": "x", "kubernetes.io/role": ""}, "<none>"),
        ({"kubernetes.io/role": "agent", "role": "no"}, "agent"),
    ],
)
def test_roles_of_a_node_are_those_of_its_labels(labels: Json, roles: str) -> None:
    assert node_roles({"metadata": {"labels": labels}}) == roles


def test_addresses_of_a_node_stand_by_their_kind() -> None:
    node = {"status": {"addresses": [{"type": "Hostname", "address": "n"}, {"type": "InternalIP", "address": "10.0.0.1"}]}}
    assert (cell(NODES, "INTERNAL-IP", node), cell(NODES, "EXTERNAL-IP", node)) == ("10.0.0.1", "<none>")


@pytest.mark.parametrize(
    ("namespace", "status"),
    [({}, "Active"), ({"metadata": {"deletionTimestamp": "x"}}, "Terminating"), ({"status": {"phase": "Active"}}, "Active")],
)
def test_namespace_says_its_phase_or_whether_it_is_deleted(namespace: Json, status: str) -> None:
    assert cell(NAMESPACES, "STATUS", namespace) == status


@pytest.mark.parametrize(
    ("spec", "succeeded", "completions"),
    [
        ({"completions": 3}, 2, "2/3"),
        ({"completions": 0}, None, "0/0"),
        ({"parallelism": 2}, 1, "1/1 of 2"),
        ({"parallelism": 1}, 1, "1/1"),
        ({}, None, "0/1"),
    ],
)
def test_job_says_how_many_pods_of_how_many_succeeded(spec: Json, succeeded: int | None, completions: str) -> None:
    assert cell(JOBS, "COMPLETIONS", {"spec": spec, "status": {"succeeded": succeeded}}) == completions


@pytest.mark.parametrize(
    ("status", "duration"),
    [
        ({}, ""),
        ({"startTime": "2026-01-01T11:59:00Z"}, "60s"),
        ({"startTime": "2026-01-01T11:50:00Z", "completionTime": "2026-01-01T11:50:09Z"}, "9s"),
    ],
)
def test_job_says_how_long_it_took_or_has_taken(status: Json, duration: str) -> None:
    assert cell(JOBS, "DURATION", {"status": status}) == duration


@pytest.mark.parametrize(
    ("toleration", "text"),
    [
        ({"key": "a", "value": "b", "effect": "NoSchedule"}, "a=b:NoSchedule"),
        ({"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}, "a:NoExecute op=Exists for 300s"),
        ({"key": "a", "operator": "Exists", "tolerationSeconds": 0}, "a op=Exists for 0s"),
        ({"operator": "Exists"}, "op=Exists"),
        ({"key": "a"}, "a"),
    ],
)
def test_toleration_says_what_it_tolerates_and_for_how_long(toleration: Json, text: str) -> None:
    assert _toleration(toleration) == text


@pytest.mark.parametrize(
    ("spec", "ports", "hosts"),
    [
        ({}, "80", "*"),
        ({"tls": [{"secretName": "s"}], "rules": [{"host": "a"}, {}]}, "80, 443", "a"),
        ({"rules": [{"host": name} for name in "abc"]}, "80", "a,b,c"),
        ({"rules": [{"host": name} for name in "abcde"]}, "80", "a,b,c + 2 more..."),
    ],
)
def test_ingress_says_its_ports_and_three_hosts(spec: Json, ports: str, hosts: str) -> None:
    assert (cell(INGRESSES, "PORTS", {"spec": spec}), cell(INGRESSES, "HOSTS", {"spec": spec})) == (ports, hosts)
