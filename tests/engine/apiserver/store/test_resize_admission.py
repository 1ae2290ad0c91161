"""The PodResizeValidator: since 1.36 the API server refuses a resize that the pod's node could never carry out."""

from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.apiserver.documents.pod import pod_document
from tests.engine.apiserver.store.requests import accepted, after, refused, world_of
from tests.engine.worlds import container, pod

SMALL = {"requests": {"cpu": "100m", "memory": "100Mi"}, "limits": {"cpu": "200m", "memory": "200Mi"}}
LINUX = [{"name": "one", "allocatable": {"cpu": "2", "memory": "1Gi"}}]
WINDOWS = [{"name": "one", "os": "windows"}]


def world(version: str, nodes: list[dict[str, Any]], **spec: Any) -> World:
    image = {"image": "mcr.microsoft.com/windows/nanoserver:ltsc2022"} if nodes is WINDOWS else {}
    return world_of(pod({**container(resources=SMALL), **image}, **spec), kubernetes=version, nodes=nodes)


def asked(**amounts: str) -> ResizePod:
    return ResizePod(target="default/p", container="app", requests=amounts, limits={"cpu": "300", "memory": "30Gi"})


def message(record: Record) -> str:
    return str(record.get("message"))


@pytest.mark.parametrize(
    ("amounts", "words"),
    [
        ({"cpu": "2001m"}, "cpu, requested: 2001, allocatable: 2000"),
        ({"memory": "2Gi"}, "memory, requested: 2147483648, allocatable: 1073741824"),
        (
            {"cpu": "20", "memory": "2Gi"},
            "cpu, requested: 20000, allocatable: 2000; memory, requested: 2147483648, allocatable: 1073741824",
        ),
    ],
)
def test_resize_beyond_the_node_is_forbidden_from_1_36(amounts: dict[str, str], words: str) -> None:
    record = refused(world("1.36", LINUX), asked(**amounts))
    assert (record.get("code"), record.get("reason"), record.rule) == (403, "Forbidden", "RESIZE-NODE-CAPACITY")
    assert message(record) == f'pods "p" is forbidden: node didn\'t have enough allocatable resources: {words}'


def test_all_requests_of_the_pod_count() -> None:
    both = pod(container(resources=SMALL), container(name="other", resources={"requests": {"cpu": "1"}}))
    record = refused(world_of(both, kubernetes="1.36", nodes=LINUX), asked(cpu="1500m"))
    assert "cpu, requested: 2500, allocatable: 2000" in message(record)


def test_resize_to_all_that_the_node_has_is_taken() -> None:
    accepted(world("1.36", LINUX), asked(cpu="2"))


def test_refused_resize_leaves_the_pod_as_it_was() -> None:
    held = world("1.36", LINUX)
    before = pod_document(held, "default/p")["spec"]
    refused(held, asked(cpu="20"))
    assert pod_document(held, "default/p")["spec"] == before


def test_kubelet_decides_until_1_35() -> None:
    held = world("1.35", LINUX)
    accepted(held, asked(cpu="20"))
    found = [record.target for record in after(held, 2) if record.machine == "resize"]
    assert found == ["infeasible"]


def test_resize_of_a_pod_on_windows_is_forbidden_from_1_36() -> None:
    record = refused(world("1.36", WINDOWS), asked(cpu="150m"))
    assert record.rule == "RESIZE-NODE-PLATFORM"
    assert message(record) == 'pods "p" is forbidden: pod resize is only supported on linux nodes, node "one" is "windows"'


def test_operating_system_is_named_before_the_capacity() -> None:
    assert "only supported on linux nodes" in message(refused(world("1.36", WINDOWS), asked(cpu="200")))


def test_resize_of_a_pod_whose_node_is_gone_is_forbidden() -> None:
    held = world("1.36", LINUX)
    accepted(held, DeleteNode(node="one"))
    record = refused(held, asked(cpu="150m"))
    assert (record.rule, message(record)) == ("RESIZE-NODE-GONE", 'pods "p" is forbidden: node "one" not found')


def test_pod_without_a_node_may_ask_for_more_than_any_has() -> None:
    accepted(world("1.36", LINUX, nodeSelector={"no": "where"}), asked(cpu="20"))


def test_resize_that_changes_nothing_is_not_judged() -> None:
    held = world("1.36", WINDOWS)
    accepted(held, ResizePod(target="default/p", container="app", requests={"cpu": "100m"}))


def test_patch_of_the_subresource_is_judged_too() -> None:
    body = '{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"20"},"limits":{"cpu":"21"}}}]}}'
    record = refused(world("1.36", LINUX), PatchPod(target="default/p", patch=body, subresource="resize"))
    assert "node didn't have enough allocatable resources: cpu" in message(record)
