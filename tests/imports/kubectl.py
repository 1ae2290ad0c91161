"""Generated kubectl outputs: pods and events of a cluster, in JSON, which YAML parsers also accept."""

import copy
import json
from typing import Any

UID = "0f2c6a3e-9f57-4d6a-8a3e-6f0f7a1b2c3d"
START = "2026-03-01T12:00:00Z"


def at(seconds: int) -> str:
    """Seconds after noon."""
    return f"2026-03-01T{12 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z"


def container(name: str = "app", **more: Any) -> dict[str, Any]:
    return {"name": name, "image": "registry.example/shop:1.4", **more}


def running(since: int, *, name: str = "app", restarts: int = 0, ready: bool = True, last: dict[str, Any] | None = None) -> dict[str, Any]:
    state = {"running": {"startedAt": at(since)}}
    return status(name, state, restarts=restarts, ready=ready, last=last, started=True)


def status(
    name: str, state: dict[str, Any], *, restarts: int = 0, ready: bool = False, last: dict[str, Any] | None = None, started: bool = False
) -> dict[str, Any]:
    return {
        "name": name, "state": state, "lastState": last or {}, "ready": ready, "started": started, "restartCount": restarts,
        "image": "registry.example/shop:1.4", "imageID": "sha256:1", "containerID": "containerd://1",
    }  # fmt: skip


def terminated(start: int, end: int, code: int = 1, reason: str = "Error") -> dict[str, Any]:
    return {
        "terminated": {"startedAt": at(start), "finishedAt": at(end), "exitCode": code, "reason": reason, "containerID": "containerd://0"}
    }


def waiting(reason: str, message: str = "") -> dict[str, Any]:
    return {"waiting": {"reason": reason, **({"message": message} if message else {})}}


def condition(kind: str, value: str, since: int, **more: str) -> dict[str, Any]:
    return {"type": kind, "status": value, "lastTransitionTime": at(since), **more}


def conditions(*, ready: str = "True", since: int = 2) -> list[dict[str, Any]]:
    return [
        condition("Initialized", "True", 0),
        condition("Ready", ready, since),
        condition("ContainersReady", ready, since),
        condition("PodScheduled", "True", 0),
    ]


def pod(*statuses: dict[str, Any], name: str = "web", phase: str = "Running", **more: Any) -> dict[str, Any]:
    """A pod of node worker-1; ``spec`` and ``status`` of ``more`` are merged in, None takes a field out."""
    names = [item["name"] for item in statuses] or ["app"]
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": UID, "creationTimestamp": START, **more.get("metadata", {})},
        "spec": {"nodeName": "worker-1", "containers": [container(item) for item in names], **more.get("spec", {})},
        "status": {
            "phase": phase, "startTime": START, "hostIP": "192.0.2.7", "podIP": "10.42.0.9", "conditions": conditions(),
            "containerStatuses": list(statuses), **more.get("status", {}),
        },
    }  # fmt: skip
    return document


def event(
    reason: str, message: str, first: int, *, last: int | None = None, count: int = 1, of: str = "app", **more: Any
) -> dict[str, Any]:
    about = {"kind": "Pod", "name": "web", "namespace": "shop", "uid": UID}
    if of:
        about["fieldPath"] = f"spec.containers{{{of}}}"
    return {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": f"web.{reason}.{first}", "namespace": "shop"}, "involvedObject": about,
        "reason": reason, "message": message, "type": "Normal", "count": count, "firstTimestamp": at(first),
        "lastTimestamp": at(first if last is None else last), "source": {"component": "kubelet", "host": "worker-1"}, **more,
    }  # fmt: skip


def listing(*objects: dict[str, Any]) -> str:
    """The output of ``kubectl get pod,events -o json``."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": copy.deepcopy(list(objects))})


def crashing(restarts: int = 5) -> str:
    """A pod in CrashLoopBackOff: its newest instance ran from 10:00 to 10:02 of the hour."""
    message = f"back-off 2m40s restarting failed container=app pod=web_shop({UID})"
    app = status("app", waiting("CrashLoopBackOff", message), restarts=restarts, last=terminated(600, 602))
    return listing(
        pod(app, status={"conditions": conditions(ready="False", since=602)}),
        event("Started", "Started container app", 1, last=600, count=restarts + 1),
        event("BackOff", "Back-off restarting failed container app in pod web", 4, last=640, count=30),
    )
