"""Golden pasts: everything that an import rebuilds from a text, record by record.

The texts are moments of pods of real clusters (``data/moments.json``), one pod of each kind, and pods with what the others
lack. A changed line of ``golden/pasts.txt`` is a change of what a run of an imported pod shows; ``make golden`` writes it.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from simulator.engine import advance, new_world
from simulator.engine.kernel.records import Record
from simulator.imports.build import Imported, import_text
from tests.imports import kubectl
from tests.imports.kubectl import condition, conditions, container, event, listing, pod, running, status, terminated, waiting
from tests.imports.test_history import KINDS, NOT_READY

HERE = Path(__file__).parent
MOMENTS = json.loads((HERE / "data" / "moments.json").read_text(encoding="utf-8"))
HTTP = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 10, "failureThreshold": 3}
UNREADY_40 = {"conditions": conditions(ready="False", since=40)}
CARDS = {"requests": {"cpu": "2", "example.com/card": "3"}, "limits": {"example.com/card": "3"}}
LATER_MS = 1_772_366_400_000 + 700_000
"""Eleven minutes and forty seconds after noon."""


def probing(*kinds: str, **more: Any) -> dict[str, Any]:
    return {"containers": [container(**{f"{kind}Probe": HTTP for kind in kinds}, **more)]}


def unhealthy(kind: str, words: str, first: int, last: int, count: int) -> dict[str, Any]:
    return event("Unhealthy", f"{kind} probe failed: {words}", first, last=last, count=count, type="Warning")


def node(**more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": "worker-1", "labels": {"zone": "a"}},
        "spec": {"taints": [{"key": "dedicated", "value": "shop", "effect": "NoSchedule"}]},
        "status": {
            "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
            "nodeInfo": {"kubeletVersion": "v1.29.4", "osImage": "Debian 12", "kernelVersion": "6.1", "containerRuntimeVersion": "containerd://1.7"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
        **more,
    }  # fmt: skip


PULLED = 'Successfully pulled image "registry.example/shop:1.4" in 2.5s'
BACKING_OFF = "Back-off restarting failed container app in pod web"
MADE = {
    "a crash loop of two restarts": kubectl.crashing(2),
    "a start with each of its events": listing(
        pod(running(6), status={"conditions": conditions(since=6)}),
        event("Scheduled", "Successfully assigned shop/web to worker-1", 1, of=""),
        event("Pulling", 'Pulling image "registry.example/shop:1.4"', 2),
        event("Pulled", PULLED, 5),
        event("Created", "Created container app", 5),
        event("Started", "Started container app", 6),
    ),
    "a restart that is running although its wait was told last": listing(
        pod(running(60, restarts=1, last=terminated(2, 40))), event("BackOff", BACKING_OFF, 41, last=55, count=2)
    ),
    "a wait that the status no longer names": listing(
        pod(status("app", waiting("Error"), restarts=2, last=terminated(30, 40)), status=UNREADY_40),
        event("BackOff", BACKING_OFF, 41, last=50, count=2),
    ),
    "a pull that is backed off": listing(
        pod(status("app", waiting("ErrImagePull", "not found")), phase="Pending", status=NOT_READY),
        event("Failed", 'Failed to pull image "registry.example/shop:1.4": not found', 3, last=20, count=2, type="Warning"),
        event("BackOff", 'Back-off pulling image "registry.example/shop:1.4"', 4, last=40, count=3),
    ),
    "a readiness probe that failed and fails": listing(
        pod(running(2, ready=False), spec=probing("readiness"), status=UNREADY_40),
        unhealthy("Readiness", "HTTP probe failed with statuscode: 503", 12, 40, 4),
    ),
    "probes that failed more than once": listing(
        pod(running(2, ready=False), spec=probing("readiness", "liveness"), status=UNREADY_40),
        unhealthy("Readiness", "HTTP probe failed with statuscode: 503", 12, 40, 4),
        unhealthy("Readiness", "context deadline exceeded", 20, 690, 9),
        unhealthy("Liveness", "HTTP probe failed with statuscode: 503", 600, 690, 2),
        unhealthy("Liveness", "HTTP probe failed with statuscode: 500", 400, 410, 2),
    ),
    "a sandbox that a condition dates": listing(
        pod(running(5), status={"conditions": [condition("PodReadyToStartContainers", "True", 3), *conditions(since=5)]})
    ),
    "a sandbox that is not ready": listing(
        pod(
            status("app", waiting("ContainerCreating")), phase="Pending",
            status={"podIP": None, "conditions": [condition("PodReadyToStartContainers", "False", 3), *conditions(ready="False", since=0)]},
        )
    ),
    "other kinds and events about others": listing(
        pod(running(2)),
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "shop"}, "data": {"a": "b"}},
        event("Started", "of another kind", 20, involvedObject={"kind": "Deployment", "name": "web", "namespace": "shop"}),
        event("Started", "of another name", 21, involvedObject={"kind": "Pod", "name": "other", "namespace": "shop"}),
        event("Started", "of another namespace", 22, involvedObject={"kind": "Pod", "name": "web", "namespace": "default"}),
        event("Started", "of an earlier pod", 23, involvedObject={"kind": "Pod", "name": "web", "namespace": "shop", "uid": "x"}),
    ),
    "a liveness probe that kills": listing(
        pod(running(50, restarts=1, last=terminated(2, 45, 137)), spec=probing("liveness", "readiness")),
        unhealthy("Liveness", "Get \"http://10.42.0.9:80/\": dial tcp 10.42.0.9:80: connect: connection refused", 20, 40, 3),
        event("Killing", "Container app failed liveness probe, will be restarted", 40),
    ),
    "a startup probe that has not passed": listing(
        pod({**running(2, ready=False), "started": False}, spec=probing("startup"), status=NOT_READY),
        unhealthy("Startup", "HTTP probe failed with statuscode: 500", 12, 22, 2),
    ),
    "a container that was stopped with a hook": listing(
        pod(
            running(90, restarts=1, last=terminated(2, 85, 0, "Completed")),
            spec={"containers": [container(lifecycle={"preStop": {"exec": {"command": ["sleep", "5"]}}})]},
        ),
        event("Killing", "Stopping container app", 70, last=80, count=2),
    ),
    "two containers and an init container": listing(
        pod(
            running(9), running(10, name="side", restarts=1, last=terminated(5, 8, 3)),
            spec={"initContainers": [container("init")], "containers": [container(), container("side")]},
            status={"initContainerStatuses": [status("init", terminated(1, 4, 0, "Completed"), ready=True)]},
        )
    ),
    "a pod that waits for a node": listing(
        pod(
            phase="Pending", spec={"nodeName": None},
            status={
                "startTime": None, "podIP": None, "hostIP": None, "containerStatuses": [],
                "conditions": [condition("PodScheduled", "False", 0, reason="Unschedulable", message="0/1 nodes are available")],
            },
        ),
        event("FailedScheduling", "0/1 nodes are available: 1 Insufficient cpu.", 0, last=300, count=5, of="", type="Warning"),
    ),
    "events that nobody signed": listing(
        pod(running(6), status={"conditions": conditions(since=6)}),
        event("Scheduled", "Successfully assigned shop/web to worker-1", 1, of="", source={}),
        event("Preempted", "by another pod", 3, of="", source={}),
        event("Started", "Started container app", 6, source={}),
        event("Valid", "of a controller", 7, of="", source={"component": "controller"}),
    ),
    "ends that are told of the pod": listing(
        pod(
            status("app", kubectl.terminated(6, 60, 143), ready=False), phase="Failed",
            status={"reason": "Evicted", "message": "low on memory", "conditions": conditions(ready="False", since=60)},
        ),
        event("Evicted", "The node was low on resource: memory.", 58, of="", type="Warning"),
        event("Killing", "Stopping the pod", 59, of=""),
        event("NodeNotReady", "Node is not ready", 59, of="", type="Warning"),
    ),
    "nodes that say little": listing(
        pod(running(2)), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-1"}},
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-2"}, "status": {"nodeInfo": {"containerRuntimeVersion": "docker://20.10"}}},
    ),
    "four pods": listing(*(pod(running(2), name=name, metadata={"name": name, "uid": name}) for name in "abcd")),
    "three pods": listing(*(pod(running(2), name=name, metadata={"name": name, "uid": name}) for name in "abc")),
    "a pod of a node that is in the text": listing(pod(running(2)), node()),
    "a pod of a node that does not report": listing(
        pod(running(2, ready=False), status={"conditions": conditions(ready="False", since=300)}),
        node(status={"conditions": [{"type": "Ready", "status": "Unknown"}]}),
    ),
    "a pod that asks for what its node must have": listing(
        pod(
            running(2),
            spec={
                "nodeSelector": {"disk": "ssd"},
                "containers": [container(resources=CARDS)],
            },
        )
    ),
    "a pod with a readiness gate": listing(
        pod(
            running(2), spec={"readinessGates": [{"conditionType": "example.com/up"}]},
            status={"conditions": [*conditions(since=30), condition("example.com/up", "True", 30)]},
        )
    ),
    "a container that ran out of memory": listing(
        pod(
            status("app", waiting("CrashLoopBackOff"), restarts=1, last=terminated(60, 70, 137, "OOMKilled")),
            spec={"containers": [container(resources={"limits": {"memory": "64Mi"}})]},
            status={"conditions": conditions(ready="False", since=70)},
        )
    ),
}  # fmt: skip


def pasts() -> Iterator[tuple[str, Imported]]:
    """Each text by its title, imported."""
    for moment in MOMENTS:
        text = json.dumps({"apiVersion": "v1", "kind": "List", "items": moment["objects"]})
        yield moment["title"], import_text(text, now_ms=moment["now_ms"], kubernetes="1.20")
    for word, document in KINDS.items():
        yield word, import_text(listing(document))
    for title, text in MADE.items():
        yield title, import_text(text, now_ms=LATER_MS)


def told(imported: Imported) -> Iterator[str]:
    """Lines about an import: what it is called and assumes, then its records up to the moment of the text."""
    assert imported.header is not None, imported.problems
    yield f"{imported.title} at {imported.resume_ms / 1000:.3f} s of {imported.header.epoch_s}, {imported.kubernetes}"
    for node in imported.header.cluster.nodes:
        yield f"node {msgspec.json.encode(node).decode()}"
    for problem in imported.problems:
        yield f"{problem.severity} {problem.code} {problem.path}: {problem.message}"
    for key, entries in imported.assumed.items():
        yield from (f"assumed {key} {msgspec.json.encode(entry).decode()}" for entry in entries)
    world = new_world(imported.header)
    records = [*world.first_records, *advance(world, until_ms=imported.resume_ms).records]
    # The conditions of nodes are the same in every past.
    yield from (line_of(record) for record in records if record.machine != "node_condition")


def line_of(record: Record) -> str:
    data = " ".join(f"{name}={value!r}" for name, value in record.data)
    return f"{record.at_ms / 1000:10.3f} {record.machine} {record.subject} {record.target} {record.rule} {data}".rstrip()


def test_the_past_of_each_text_is_rebuilt_record_by_record(golden: Callable[[Path, str], None]) -> None:
    text = "\n\n".join("\n".join((f"== {title}", *told(imported))) for title, imported in pasts())
    golden(HERE / "golden" / "pasts.txt", f"{text}\n")
