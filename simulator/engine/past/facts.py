"""Facts of the past, each as a change of the world at its moment: the object, its status, and the reality on the node.

Facts go through the engine's machines (``fx.fire``, ``fx.become``, ``publish``) with the trigger
``imported``, so a state unknown to the machines cannot be stored. What the text says may skip
states; guards are not consulted, because it has happened. Each record is caused by the previous one about
the same thing, as far as that is known, so that Why chains lead through the past.
"""

import json
from collections.abc import Callable

from msgspec.structs import replace

from simulator.engine.apiserver.publish import Draft, columns_of, pod_facts, publish
from simulator.engine.apiserver.store.surroundings import imported_pod
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.units import Key, Ms, Seq, Subject
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.kubelet.pods.start.pulls import tagged_name
from simulator.engine.kubelet.pods.start.start import find_container
from simulator.engine.machines.object import OBJECT
from simulator.engine.machines.status_word import STATUS_WORD
from simulator.engine.model.manifest import stored_pod
from simulator.engine.model.qos import qos_class
from simulator.engine.model.status import ContainerState, ContainerStatus, PodCondition, PodStatus, Running, Terminated, Waiting
from simulator.engine.past.document import PastContainer, PastFact, PastPod, PastState
from simulator.engine.past.effects import PastEffects
from simulator.engine.past.occurrences import attempt_fact, event_fact, result_fact
from simulator.engine.world.rows import Instance, PodRow, Sandbox

_STATE_RULE = "IMPORT-STATE"
"""The rule by which phase and conditions are what the text says; the records name the rule of the fact instead."""


def create(fx: PastEffects, past: PastPod) -> Key:
    """Create the object under its own uid. Returns its key."""
    document = imported_pod(fx, json.loads(past.document), past.namespace, past.name)
    text = json.dumps(document, ensure_ascii=False)
    pod = stored_pod(text)
    n = fx.count(f"pod/{past.namespace}/{past.name}")
    # A name may have been used before, as by a StatefulSet's pod.
    key = f"{past.namespace}/{past.name}" if n == 1 else f"{past.namespace}/{past.name}#{n}"
    status = PodStatus(qos_class=qos_class(pod.spec, pod_level=fx.profile.pod_level_resources))
    row = PodRow(
        key=key, namespace=past.namespace, name=past.name, uid=past.uid, pod=pod, document=text,
        created_ms=past.created_ms, status=status,
    )  # fmt: skip
    data = (("uid", row.uid), ("node", ""))
    _, seq = fx.fire(OBJECT, row.subject, "absent", "imported", "", word="present", data=data)
    row = replace(row, object_seq=seq)
    fx.add_pod(row)
    fx.cause = seq
    publish(fx, row, row.status, rule=_STATE_RULE, first=True)
    return key


def apply_fact(fx: PastEffects, key: Key, fact: PastFact) -> None:
    """Apply a fact to the world."""
    _FACTS[fact.do](fx, fx.tables.pods[key], fact)


def _bound(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    data = (("node", fact.name),)
    kind = RecordKind.DECISION.value
    fx.cause = fx.record(kind=kind, subject=row.subject, machine="scheduling", target=fact.name, rule="", data=data)
    publish(fx, replace(row, node=fact.name), row.status, rule=_STATE_RULE)


def _accepted(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """The kubelet wrote its first status: that moment counts as the pod's start."""
    host_ip = str(fact.data.get("host_ip") or "")
    node = fx.tables.nodes.get(row.node)
    if node is not None and host_ip and node.ip != host_ip:
        fx.save_node(replace(node, ip=host_ip))
    start_ms = fact.data.get("start_ms")
    publish(fx, row, replace(row.status, start_ms=int(start_ms) if start_ms is not None else fx.now, host_ip=host_ip), rule=_STATE_RULE)


def _sandbox(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    ip, attempt, target = str(fact.data.get("ip") or ""), int(fact.data.get("attempt") or 0), fact.name
    old = fx.tables.sandboxes.get(row.key)
    data = (("attempt", attempt), ("ip", ip))
    if target == "stopped" and old is not None:
        _, _, fx.cause = fx.become(SANDBOX, row.key, old, "imported", None, word=target, data=data, stopped_ms=fx.now)
        return
    fresh = Sandbox(attempt=attempt, state=SANDBOX.initial if old is None else old.state, created_ms=fx.now, ip=ip)
    _, _, fx.cause = fx.become(SANDBOX, row.key, fresh, "imported", None, word=target, data=data)
    if ip and ip != row.status.pod_ip:
        publish(fx, row, replace(row.status, pod_ip=ip), rule=_STATE_RULE)


def _condition(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    reason, message = str(fact.data.get("reason") or ""), str(fact.data.get("message") or "")
    item = PodCondition(type=fact.name, status=str(fact.data["status"]), reason=reason, message=message)
    known = [held.type for held in row.status.conditions]
    if fact.name in known:
        conditions = tuple(item if held.type == fact.name else held for held in row.status.conditions)
    else:
        conditions = (*row.status.conditions, item)
    status = replace(row.status, conditions=conditions)
    publish(fx, row, status, rule=_STATE_RULE, draft=Draft(status, {fact.name: _STATE_RULE}))
    _record_readiness(fx, row)
    _date(fx, row.key, fact)


def _record_readiness(fx: PastEffects, before: PodRow) -> None:
    """If only the pod's readiness has changed, record the same word again with it."""
    row = fx.tables.pods[before.key]
    columns, facts = columns_of(fx, row), pod_facts(row)
    if columns.status == "Running" and row.status_word == before.status_word and facts != pod_facts(before):
        data: Data = (("ready", columns.ready), ("restarts", columns.restarts), *facts)
        fx.fire(STATUS_WORD, row.subject, columns.status, "imported", "", data=data)


def _date(fx: PastEffects, key: Key, fact: PastFact) -> None:
    """Give a condition the transition time stated in the text, which may lie before the run."""
    at_ms = fact.data.get("transition_ms")
    if at_ms is None:
        return
    row = fx.tables.pods[key]
    dated = tuple(replace(item, transition_ms=int(at_ms)) if item.type == fact.name else item for item in row.status.conditions)
    fx.save_pod(replace(row, status=replace(row.status, conditions=dated)))


def _phase(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    reason, message = str(fact.data.get("reason") or ""), str(fact.data.get("message") or "")
    publish(fx, row, replace(row.status, phase=fact.name, reason=reason, message=message), rule=_STATE_RULE)


def _container(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """A container's entry in the status changes."""
    container = fact.container
    assert container is not None
    image = find_container(row.pod.spec, fact.name).image
    item = _status(fact.name, image, container)
    field = {"init": "init_containers", "app": "containers", "ephemeral": "ephemeral_containers"}[container.group]
    held: tuple[ContainerStatus, ...] = getattr(row.status, field)
    if any(old.name == fact.name for old in held):
        items = tuple(item if old.name == fact.name else old for old in held)
    else:
        items = (*held, item)
    publish(fx, row, replace(row.status, **{field: items}), rule=_STATE_RULE)


def _status(name: str, image: str, container: PastContainer) -> ContainerStatus:
    runs = container.state.kind != "waiting"
    attempt = container.restarts
    return ContainerStatus(
        name=name,
        state=_state(name, attempt, container.state),
        # A waiting container has not begun its next attempt: its last state belongs to the attempt that the count names.
        last_state=None if container.last is None else _state(name, attempt - 1 if runs else attempt, container.last),
        ready=container.ready,
        started=container.started,
        restart_count=container.restarts,
        image=image,
        image_id=image if container.made else "",
        container_id=f"{name}#{attempt}" if container.made else "",
    )


def _state(name: str, attempt: int, state: PastState) -> ContainerState:
    if state.kind == "running":
        return Running(state.started_ms)
    if state.kind == "waiting":
        return Waiting(state.reason, state.message)
    return Terminated(
        state.exit_code, state.reason, state.message, started_ms=state.started_ms, finished_ms=state.finished_ms,
        container_id=f"{name}#{max(attempt, 0)}",
    )  # fmt: skip


def _node(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """Change the container's state on the node: pulling, creating, running, exited or backing off."""
    data, target = fact.data, str(fact.data["to"])
    attempt = int(data.get("instance") or 0)
    newest = find_instance(fx, row.key, fact.name)
    source = CONTAINER.initial if newest is None else newest.state
    subject = f"container/{row.key}/{fact.name}"
    # A restart follows from the end of the previous attempt; anything else from its own attempt.
    if newest is not None and (target == "running" or newest.attempt == attempt):
        fx.cause = newest.seq
    if "read" in data:
        fx.cause = _read(fx, subject, fact)
    details: Data = tuple((name, data[name]) for name in ("instance", "group", "exit_code", "reason", "window", "until_ms") if name in data)
    if target == "pulling":
        details = (*details, ("image", find_container(row.pod.spec, fact.name).image))
    if target in ("creating", "running") and row.node:
        fx.image_on_disk(row.node, tagged_name(find_container(row.pod.spec, fact.name).image))
    if target == "running":
        fresh = _instance(fx, row, fact, attempt, source)
        _, _, fx.cause = fx.become(CONTAINER, row.key, fresh, "imported", StartFacts(), word=target, data=details)
    elif target == "exited":
        ended = find_instance(fx, row.key, fact.name, attempt) or replace(_instance(fx, row, fact, attempt, source), started_ms=None)
        _, _, fx.cause = fx.become(CONTAINER, row.key, ended, "imported", StartFacts(), word=target, data=details, **_end(fact))
    else:
        # Only the record keeps the state; the worker that would hold it does not exist yet.
        _, fx.cause = fx.fire(CONTAINER, subject, source, "imported", StartFacts(), word=target, data=details)
        if newest is not None:
            fx.save_instance(row.key, replace(newest, seq=fx.cause))


def _read(fx: PastEffects, subject: Subject, fact: PastFact) -> Seq:
    """A note of what the text says about the cause, and where: at the fact, unless it names another place."""
    data = fact.data
    details: Data = tuple((name, data[name]) for name in ("exit_code", "limit") if name in data)
    if "read_message" in data:
        details = (*details, ("message", data["read_message"]))
    return fx.read(subject, str(data["read"]), details, str(data.get("read_source") or fact.source))


def _moment(fact: PastFact, name: str) -> Ms:
    value = fact.data.get(name)
    return fact.at_ms if value is None else int(value)


def _instance(fx: PastEffects, row: PodRow, fact: PastFact, attempt: int, state: str) -> Instance:
    """A new instance, about to leave ``state``; of the older ones of its container only the newest is kept."""
    kept, before = [], False
    for item in fx.tables.instances.get(row.key, ()):
        if item.container != fact.name or not before:
            kept.append(item)
        before = before or item.container == fact.name
    spec = find_container(row.pod.spec, fact.name)
    sandbox = fx.tables.sandboxes.get(row.key)
    started = _moment(fact, "started_ms")
    fx.save_instances(row.key, tuple(kept))
    return Instance(
        container=fact.name, group=str(fact.data.get("group") or "app"), attempt=attempt, state=state, spec=spec, image=spec.image,
        created_ms=started, started_ms=started, sandbox=sandbox.attempt if sandbox is not None else 0,
    )  # fmt: skip


def _end(fact: PastFact) -> dict[str, int | str]:
    """How an instance ended, according to the text."""
    data = fact.data
    return {
        "finished_ms": _moment(fact, "finished_ms"),
        "exit_code": int(data.get("exit_code") or 0),
        "reason": str(data.get("reason") or ""),
        "message": str(data.get("message") or ""),
    }


def _deleted(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """The object was marked for deletion."""
    deadline_ms, grace_s = int(fact.data.get("deadline_ms") or 0), int(fact.data.get("grace_s") or 0)
    data = (("grace_s", grace_s), ("deadline_ms", deadline_ms))
    _, seq = fx.fire(OBJECT, row.subject, "present", "imported", "", word="terminating", data=data)
    fx.cause = seq
    marked = replace(
        row, deletion_ms=deadline_ms, deletion_asked_ms=fx.now, grace_s=grace_s, generation=row.generation + 1, deletion_seq=seq
    )
    publish(fx, marked, marked.status, rule=_STATE_RULE)


_FACTS: dict[str, Callable[[PastEffects, PodRow, PastFact], None]] = {
    "bound": _bound,
    "accepted": _accepted,
    "sandbox": _sandbox,
    "condition": _condition,
    "phase": _phase,
    "container": _container,
    "node": _node,
    "event": event_fact,
    "attempt": attempt_fact,
    "result": result_fact,
    "deleted": _deleted,
}
