"""In-place resize at the kubelet: accept or reject it, change the running containers, report it.

A change is first allocated (admission on this node once more), then actuated by a sync, and done when every running container has
what was allocated. The three happen at different times: allocation when the kubelet learns of the change, outside any sync;
actuation as an action of the next sync's program, or as a kill if the resizePolicy asks for a restart; and completion is detected at
the beginning of a later sync.

From acceptance on the new figures count on the node (``room.hold``), before any container has them: otherwise the kubelet could
allocate the same resources twice. A memory limit below what the container uses is rejected by the runtime and retried by later syncs.

How it is shown depends on the version: status.resize until 1.32, two conditions from 1.33 on.

Source: pkg/kubelet/allocation, kuberuntime doPodResizeAction.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.units import Seq
from simulator.engine.kubelet.base import room
from simulator.engine.kubelet.pods.containers.instances import carry_out, find_instance, host_of
from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.facts.allocated import with_resources
from simulator.engine.kubelet.pods.resize.resize_machine import RESIZE
from simulator.engine.kubelet.pods.start.launch import memory_bounds
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quantity import value
from simulator.engine.model.status import TERMINAL_PHASES, PodStatus
from simulator.engine.model.system import system_of
from simulator.engine.policies.resize_rules import changed_resources, needs_restart, resources_by_name, with_allocated
from simulator.engine.policies.room import EMPTY, Shortage, need_of, shortages
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Action, Instance, PodRow, Resize, Worker
from simulator.engine.world.watch import CHANGED, Watch

PENDING, PROGRESS = "PodResizePending", "PodResizeInProgress"
_WORDS = {"proposed": "Proposed", "deferred": "Deferred", "infeasible": "Infeasible", "in_progress": "InProgress", "error": "InProgress"}


def _pod_written(fx: Effects, old: PodRow, row: PodRow) -> None:
    """The API server has stored different resources for a pod that this kubelet runs."""
    if row.key in fx.tables.workers and fx.profile.in_place_resize and resources_by_name(row.pod.spec) != resources_by_name(old.pod.spec):
        begin(fx, row, old.pod.spec)


WATCHES = (Watch("kubelet", "Pod", CHANGED, _pod_written),)


def begin(fx: Effects, row: PodRow, before: PodSpec) -> None:
    """The API server has stored new resources; until the kubelet accepts them, those of ``before``, the previous spec, are allocated."""
    resize = fx.tables.resizes.get(row.key)
    allocated = resize.allocated if resize is not None else resources_by_name(before)
    fresh = Resize(allocated=allocated, state=RESIZE.initial if resize is None else resize.state)
    asked, _, fx.cause = fx.become(RESIZE, row.key, fresh, "asked", None)
    fx.save_resize(row.key, replace(asked, seq=fx.cause))


def _move(fx: Effects, row: PodRow, resize: Resize, trigger: str, message: str = "", **changes: Any) -> tuple[PodRow, str]:
    """Let the resize take its next step, count the pod accordingly and publish it; returns the pod and the rule."""
    data = (("message", message),) if message else ()
    resize, step, cause = fx.become(RESIZE, row.key, resize, trigger, None, data=data, message=message, **changes)
    assert step is not None
    if row.key in fx.tables.admitted:
        room.hold(fx, row)
    return _publish(fx, row, resize, step.rule, cause), step.rule


def consider(fx: Effects, row: PodRow) -> PodRow:
    """Compare the requested resources with the allocated ones and accept, defer or reject them, as the kubelet does."""
    resize = fx.tables.resizes.get(row.key)
    if resize is None or row.deletion_ms is not None or row.status.phase in TERMINAL_PHASES:
        return row
    if resize.state not in ("proposed", "deferred", "infeasible"):
        return row
    if with_allocated(row.pod.spec, resize.allocated) == row.pod.spec:  # a second request that reverts the first has proposed it again
        return _move(fx, row, resize, "taken_back")[0]
    need = need_of(row.pod.spec)
    node = fx.tables.nodes[row.node]
    if not system_of(node.os).resizes_in_place:
        return _hold(fx, row, resize, "never_fits", "In-place pod resize is not supported on Windows")
    impossible = shortages(node, EMPTY, need)
    if impossible:
        item = impossible[0]
        text = f"Node didn't have enough capacity: {item.resource}, requested: {item.requested}, capacity: {item.capacity}"
        return _hold(fx, row, resize, "never_fits", text)
    lacking = shortages(node, room.without(fx, row.node, [row.key]), need)
    if lacking:
        return _hold(fx, row, resize, "no_room", _lacks(lacking[0]))
    return _allocate(fx, row, resize)


def _lacks(item: Shortage) -> str:
    numbers = f"requested: {item.requested}, used: {item.used}, capacity: {item.capacity}"
    return f"Node didn't have enough resource: {item.resource}, {numbers}"


def _hold(fx: Effects, row: PodRow, resize: Resize, trigger: str, message: str) -> PodRow:
    """Defer the resize, or mark it infeasible."""
    step = RESIZE.pick(resize.state, trigger, None)
    assert step is not None
    if (resize.state, resize.message) == (step.target, message):
        return row
    row, rule = _move(fx, row, resize, trigger, message)
    if fx.profile.resize_events:
        word = _WORDS[step.target]
        emit(fx, row, severity="Warning", reason=f"Resize{word}", message=f"Pod resize {word}: {message}", rule=rule)
    return row


def _allocate(fx: Effects, row: PodRow, resize: Resize) -> PodRow:
    """Accept the resize."""
    row, rule = _move(fx, row, resize, "agreed", allocated=resources_by_name(row.pod.spec))
    if fx.profile.resize_events:
        emit(fx, row, reason="ResizeStarted", message=f"Pod resize started: {_json(row)}", rule=rule)
    return row


def _json(row: PodRow) -> str:
    """The allocated resources as the Events show them."""
    containers = [
        {"name": item.name, "resources": {"limits": item.resources.limits, "requests": item.resources.requests}}
        for item in row.pod.spec.containers
    ]
    return json.dumps({"containers": containers, "generation": row.generation}, separators=(",", ":"))


def _publish(fx: Effects, row: PodRow, resize: Resize, rule: str, cause: Seq) -> PodRow:
    """Publish the state of the resize in the version's form; ``cause`` is the record of its step."""
    status = _status(fx, row, resize)
    fx.cause = cause
    return publish(fx, fx.tables.pods[row.key], status, rule=rule, draft=Draft(status, {PENDING: rule, PROGRESS: rule}))


def _status(fx: Effects, row: PodRow, resize: Resize) -> PodStatus:
    status = with_resources(fx, row, fx.tables.pods[row.key].status)
    if fx.profile.resize_status == "field":
        return replace(status, resize=_WORDS.get(resize.state, ""))
    kept = tuple(item for item in status.conditions if item.type not in (PENDING, PROGRESS))
    word = _WORDS.get(resize.state, "")
    if resize.state in ("deferred", "infeasible"):
        kept = (*kept, condition_of(fx, row, PENDING, "True", word, resize.message))
    elif resize.state in ("in_progress", "error"):
        reason = "Error" if resize.state == "error" else ""
        kept = (*kept, condition_of(fx, row, PROGRESS, "True", reason, resize.message))
    return replace(status, conditions=kept)


def marked(fx: Effects, row: PodRow, records: dict[str, RuntimeContainer]) -> dict[str, RuntimeContainer]:
    """The runtime's containers, marking those that need a restart to take up their new resources; a record says so."""
    resize = fx.tables.resizes.get(row.key)
    if resize is None or resize.state not in ("in_progress", "error"):
        return records
    restarted = [item for item in _behind(fx, row, resize) if _restarts(item, resize) and item.container in records]
    for item in restarted:
        subject, data = f"container/{row.key}/{item.container}", (("instance", item.attempt),)
        step, _ = fx.fire(RESIZE, subject, RESIZE.initial, DECIDED, "KILL-RESIZE", data=data)
        if step is not None and step.target == "restart":
            records = {**records, item.container: replace(records[item.container], resize_restarts=True)}
    return records


def _restarts(item: Instance, resize: Resize) -> bool:
    wanted = resize.of(item.container) or item.spec.resources
    return needs_restart(item.spec, changed_resources(item.spec.resources, wanted))


def actions(fx: Effects, row: PodRow) -> tuple[Action, ...]:
    """The actions of a sync for containers that take up their new resources while they run."""
    resize = fx.tables.resizes.get(row.key)
    if resize is None or resize.state not in ("in_progress", "error"):
        return ()
    live = [item for item in _behind(fx, row, resize) if not _restarts(item, resize)]
    return tuple(Action("resize", item.container, item.group, rule="RESIZE-LIVE") for item in live)


def _behind(fx: Effects, row: PodRow, resize: Resize) -> list[Instance]:
    """The running instances that do not have their allocated resources yet, in spec order."""
    order = [name for name, _ in resize.allocated]
    running = [item for item in fx.tables.instances.get(row.key, ()) if item.runs and item.container in order]
    return sorted(
        (item for item in running if changed_resources(item.spec.resources, resize.of(item.container) or item.spec.resources)),
        key=lambda item: order.index(item.container),
    )


def actuate(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Change the limits of a running container. A memory limit below its usage cannot be set."""
    row = fx.tables.pods[worker.pod]
    resize = fx.tables.resizes[worker.pod]
    item = find_instance(fx, worker.pod, action.container)
    wanted = resize.of(action.container)
    if item is None or item.process is None or not item.runs or wanted is None:
        return worker
    limit = value(str(wanted.limits["memory"])) if "memory" in wanted.limits else None
    used = behaviour.memory_bytes(item.process, fx.now)
    if limit is not None and used > limit:
        return _refuse(fx, worker, row, f"attempting to set pod memory limit ({limit}) below current usage ({used})")
    subject = f"container/{worker.pod}/{item.container}"
    step, seq = fx.fire(RESIZE, subject, RESIZE.initial, DECIDED, "RESIZE-LIVE", data=(("instance", item.attempt),))
    if step is None or step.target != "live":
        return worker
    launch = replace(item.process.launch, memory_limit_bytes=limit)
    if fx.profile.memory_qos:
        memory_min, memory_high = memory_bounds(fx, row, wanted)
        launch = replace(launch, memory_min_bytes=memory_min, memory_high_bytes=memory_high)
    process = replace(item.process, launch=launch)
    item = fx.save_instance(worker.pod, replace(item, spec=replace(item.spec, resources=wanted), process=process))
    carry_out(fx, worker.pod, item, behaviour.resume(process, host_of(fx, worker.pod, item.container)))
    return replace(worker, pending=True, pending_seq=seq)


def _refuse(fx: Effects, worker: Worker, row: PodRow, text: str) -> Worker:
    resize = fx.tables.resizes[row.key]
    if (resize.state, resize.message) != ("error", text):
        row, rule = _move(fx, row, resize, "refused", text)
        if fx.profile.resize_events:
            emit(fx, row, severity="Warning", reason="ResizeError", message=f"Pod resize error: {text}", rule=rule)
    return replace(worker, failed=True)


def settle(fx: Effects, row: PodRow) -> PodRow:
    """At the beginning of a sync: finish a resize that every running container has taken up."""
    resize = fx.tables.resizes.get(row.key)
    if resize is None or resize.state not in ("in_progress", "error") or _behind(fx, row, resize):
        return row
    if not any(item.runs for item in fx.tables.instances.get(row.key, ())):
        return row
    with fx.aside():
        row, rule = _move(fx, row, resize, "taken_up")
        if fx.profile.resize_events:
            emit(fx, row, reason="ResizeCompleted", message=f"Pod resize completed: {_json(row)}", rule=rule)
    return row
