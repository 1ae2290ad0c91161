"""The eviction manager: local storage limits first, then what the node is short of; one pod at a time.

A round goes like this: pods over a limit of their own (emptyDir, ephemeral storage) are evicted, all of them, and the round
ends. Otherwise each signal is compared with its thresholds. A threshold that is met sets the node's condition at once, and the
condition stays for the transition period after it was last met (five minutes), so that a node does not flap. A hard
threshold acts at once, a soft one after it has been met for its grace period. The first that acts, memory before disk,
evicts one pod: the pods are ranked by what the node is short of, and critical ones are skipped.

Then the manager waits for that pod to be cleaned up before it checks again, 30 s at most, since evicting another pod may
not be necessary. This is why evictions come one by one, some ten seconds apart.

Ranking: for memory and disk, pods that use more than they request, then priority, then by how much. The loop runs
only while ``pressure`` has armed it; without the runtime there are no statistics, and the round is skipped.

Source: pkg/kubelet/eviction/eviction_manager.go synchronize, helpers.go rankMemoryPressure.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.apiserver.nodes.conditions import GOOD, set_condition
from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.base.pressure import arm, pressure_of_node, watch_layers
from simulator.engine.kubelet.base.storage_limits import limits_layers
from simulator.engine.kubelet.node import node_oom
from simulator.engine.kubelet.node.critical import is_critical
from simulator.engine.kubelet.node.eviction_rules import (
    CONDITION_OF,
    REASON,
    RESOURCE_OF,
    Candidate,
    low_on,
    over_local_limit,
    pressure_of,
    rank,
)
from simulator.engine.kubelet.node.eviction_signals import available, capacity_of, pods_of_node, spec_of_node, thresholds_of
from simulator.engine.kubelet.node.thresholds import Threshold, signal_amount_text
from simulator.engine.kubelet.node.usage import container_uses, known_uses, layer_bytes, log_bytes, running, use_of, volume_bytes
from simulator.engine.kubelet.pods.status import endings
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import EvictionTick, MeasureLayers, MeasureVolumes
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Ending, MeasuredLayer, MeasuredVolumes, NodePressure, NodeRow, PodRow

_BAD = {
    "MemoryPressure": ("True", "KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
    "DiskPressure": ("True", "KubeletHasDiskPressure", "kubelet has disk pressure"),
    "PIDPressure": ("True", "KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
}


def measure_volumes(fx: Effects, event: MeasureVolumes) -> None:
    """Measure a pod's volumes, which the kubelet does about once a minute; the eviction manager works with that figure."""
    row = fx.tables.pods[event.pod]
    if not _is_active(fx, row):
        return
    fx.save_measured(row.key, MeasuredVolumes(fx.now, volume_bytes(fx, row)))
    arm(fx, row.node)
    period = fx.profile.volume_measure_ms
    again = fx.jitter(f"measure/{row.key}", fx.now // period, period, 100)
    with fx.because(0):
        fx.check(fx.now + again, Lane.HOUSEKEEPING, MeasureVolumes(row.key))


def measure_layers(fx: Effects, event: MeasureLayers) -> None:
    """Measure how much containers have written, as the runtime does. Only pods with a limit of that kind are considered."""
    if event.pod:
        _measure_docker(fx, event)
        return
    limited = [row for row in pods_of_node(fx, event.node) if limits_layers(row.pod.spec) and _is_active(fx, row)]
    for row in limited:
        layers = [
            MeasuredLayer(container=item.container, attempt=item.attempt, size_bytes=layer_bytes(item)) for item in running(fx, row.key)
        ]
        fx.save_layers(row.key, tuple(layers))
    if limited:
        watch_layers(fx, event.node)


def _measure_docker(fx: Effects, event: MeasureLayers) -> None:
    """Measure one container with its log; the figure becomes available with cAdvisor's next statistics."""
    row = fx.tables.pods[event.pod]
    item = next((item for item in running(fx, row.key) if item.container == event.container), None)
    if item is None or not _is_active(fx, row):
        return
    pressure = fx.tables.layers.get(row.key, ())
    before = next((layer for layer in pressure if (layer.container, layer.attempt) == (item.container, item.attempt)), None)
    stream = f"layer/{row.key}/{item.container}"
    layer = MeasuredLayer(
        container=item.container,
        attempt=item.attempt,
        size_bytes=layer_bytes(item) + log_bytes(fx, row.key, item),
        shown_ms=fx.now + fx.uniform(stream, fx.now, 0, fx.profile.docker_layer_shown_ms),
        before_bytes=before.size_bytes if before is not None else 0,
    )
    fx.save_layers(row.key, (*(other for other in pressure if other.container != item.container), layer))
    with fx.because(0):
        fx.check(fx.now + fx.profile.docker_layer_measure_ms, Lane.HOUSEKEEPING, event)


def _is_active(fx: Effects, row: PodRow) -> bool:
    worker = fx.tables.workers.get(row.key)
    return (
        worker is not None
        and worker.state == "syncing"
        and worker.ending is None
        and row.deletion_ms is None
        and row.gone_ms is None
        and not endings.is_ended(row)
    )


def eviction_tick(fx: Effects, event: EvictionTick) -> None:
    """Run one round of the eviction manager."""
    pressure = fx.save_pressure(replace(pressure_of_node(fx, event.node), handle=0))
    node = fx.tables.nodes[event.node]
    life = fx.tables.node_life.get(node.name)
    if life is not None and (life.kubelet != "running" or life.runtime != "up"):  # without the runtime there are no statistics
        arm(fx, node.name)
        return
    if pressure.waits_for and fx.now < pressure.waits_until_ms and not _is_cleaned_up(fx, pressure.waits_for):
        _schedule_next(fx, pressure, fx.profile.eviction_cleanup_poll_ms)
        return
    pressure = fx.save_pressure(replace(pressure, waits_for=""))
    active = [row for row in pods_of_node(fx, node.name) if _is_active(fx, row)]
    if not _evict_for_limits(fx, active):
        _relieve(fx, node, pressure, active)
    pressure = pressure_of_node(fx, node.name)
    if pressure.waits_for:
        _schedule_next(fx, pressure, fx.profile.eviction_cleanup_poll_ms)
    elif pressure.observed or pressure.last_seen or _has_something_to_watch(fx, node, active):
        arm(fx, node.name)


def _schedule_next(fx: Effects, pressure: NodePressure, wait_ms: Ms) -> None:
    handle = fx.schedule(fx.now + wait_ms, Lane.HOUSEKEEPING, EvictionTick(pressure.node), cause=pressure.seq)
    fx.save_pressure(replace(pressure, handle=handle))


def _has_something_to_watch(fx: Effects, node: NodeRow, active: list[PodRow]) -> bool:
    """Whether anything on the node may still run short: a growing process, or files under a limit."""
    if any(limits_layers(row.pod.spec) for row in active):
        return True
    return node_oom.watch(fx, node)


def _is_cleaned_up(fx: Effects, pod: Key) -> bool:
    worker = fx.tables.workers.get(pod)
    if worker is None or worker.state == "finished":
        return True
    sandbox = fx.tables.sandboxes.get(pod)
    stopped = not running(fx, pod) and (sandbox is None or sandbox.state == "stopped")
    return worker.state == "syncing" and stopped and not worker.step


def _evict_for_limits(fx: Effects, active: list[PodRow]) -> bool:
    """Evict every pod that is over a limit of its own; whether there was one."""
    found = False
    for row in active:
        measured = fx.tables.measured.get(row.key)
        text = over_local_limit(row.pod.spec, dict(measured.volumes) if measured else {}, known_uses(fx, row))
        if text:
            with fx.because(max((item.seq for item in running(fx, row.key)), default=row.object_seq)):
                found = evict(fx, row, text, rule="EVICTION-LOCAL", grace_s=fx.profile.eviction_hard_grace_s) or found
    return found


def evict(fx: Effects, row: PodRow, message: str, *, rule: str, grace_s: int) -> bool:
    """Write the Event and end the pod; a critical pod is left alone."""
    if is_critical(fx, row):
        fx.note(row.subject, "not-evicted", "critical pods are never evicted", rule="EVICTION-CRITICAL")
        return False
    fx.cause = emit(fx, row, severity="Warning", reason=REASON, message=message, rule=rule)
    endings.end(fx, row, Ending(REASON, message, rule, grace_s=grace_s, disruption=True))
    return True


def _relieve(fx: Effects, node: NodeRow, pressure: NodePressure, active: list[PodRow]) -> None:
    """Set the node's conditions; if a threshold requires action, evict one pod."""
    left: dict[str, int] = {}
    met = []
    for item in thresholds_of(fx, node):
        if item.signal not in left:
            left[item.signal] = available(fx, node, item.signal)
        if left[item.signal] < item.amount:
            met.append(item)
    since = dict(pressure.observed)
    observed = tuple((item.id, since.get(item.id, fx.now)) for item in met)
    pressure = fx.save_pressure(replace(pressure, observed=observed))
    _turn_conditions(fx, node, pressure, met, left)
    starts = dict(observed)
    driving = [item for item in met if item.soft_ms is None or fx.now - starts[item.id] >= item.soft_ms]
    if driving:
        _evict_one(fx, node, driving[0], left[driving[0].signal], active)


def _turn_conditions(fx: Effects, node: NodeRow, pressure: NodePressure, met: list[Threshold], left: dict[str, int]) -> None:
    """Update the conditions: True from the moment a threshold is met until none has been for the transition period."""
    seen = dict(pressure.last_seen)
    for item in met:
        seen[CONDITION_OF[item.signal]] = fx.now
    for kind, last_ms in tuple(seen.items()):
        with fx.because(pressure.seq):
            if fx.now - last_ms >= fx.profile.eviction_pressure_transition_ms:
                del seen[kind]
                set_condition(fx, node.name, kind, GOOD[kind], trigger="relieved")
            elif last_ms == fx.now:
                set_condition(fx, node.name, kind, _BAD[kind])
    fx.save_pressure(replace(pressure_of_node(fx, node.name), last_seen=tuple(seen.items())))


def report_conditions(fx: Effects, node: str) -> None:
    """Write the node's pressure conditions as the kubelet has them."""
    seen = dict(pressure_of_node(fx, node).last_seen) if node in fx.tables.pressures else {}
    for kind in _BAD:
        with fx.aside():
            if kind in seen:
                set_condition(fx, node, kind, _BAD[kind])
            else:
                set_condition(fx, node, kind, GOOD[kind], trigger="relieved")


def _evict_one(fx: Effects, node: NodeRow, threshold: Threshold, left: int, active: list[PodRow]) -> None:
    """Rank the pods by what the node is short of and evict the first one possible."""
    signal = threshold.signal
    resource = RESOURCE_OF[signal]
    names = signal_amount_text(signal, threshold.amount), signal_amount_text(signal, left)
    fx.cause = pressure_of_node(fx, node.name).seq
    text = f"Attempting to reclaim {resource}"
    fx.cause = emit_node(
        fx, node.name, component="kubelet", severity="Warning", reason="EvictionThresholdMet", message=text, rule="EVICTION-PRESSURE"
    )
    by_key = {row.key: row for row in active}
    ranked = rank([Candidate(name=row.key, spec=row.pod.spec, use=use_of(fx, row)) for row in active], pressure_of(signal))
    if not ranked:
        return
    fx.cause = fx.record(
        kind=RecordKind.DECISION.value,
        subject=f"node/{node.name}",
        machine="eviction",
        target=ranked[0].name,
        rule="EVICTION-RANK",
        data=(("resource", resource), ("threshold", names[0]), ("available", names[1]), *_uses(ranked, resource)),
    )
    for item in fx.each(ranked):
        row = by_key[item.name]
        style = fx.profile.eviction_text
        message = low_on(signal, row.pod.spec, container_uses(fx, row), threshold=names[0], available=names[1], style=style)
        if evict(fx, row, message, rule="EVICTED", grace_s=_grace_s(fx, node, row, threshold)):
            pressure = pressure_of_node(fx, node.name)
            until = fx.now + fx.profile.eviction_cleanup_wait_ms
            fx.save_pressure(replace(pressure, waits_for=row.key, waits_until_ms=until))
            return


def _uses(ranked: list[Candidate], resource: str) -> tuple[tuple[str, int], ...]:
    """The candidates with their usage of the resource, for the record."""
    field = {"memory": "memory_bytes", "ephemeral-storage": "disk_bytes", "inodes": "inodes", "pids": "processes"}[resource]
    return tuple((item.name, getattr(item.use, field)) for item in ranked[:10] if item.use is not None)


def _grace_s(fx: Effects, node: NodeRow, row: PodRow, threshold: Threshold) -> int:
    """The grace period of an eviction: minimal for a hard threshold, the configured one for a soft one."""
    if threshold.soft_ms is None:
        return fx.profile.eviction_hard_grace_s
    configured = spec_of_node(fx, node.name).eviction_max_pod_grace_s
    own = row.pod.spec.termination_grace_period_seconds
    return configured if fx.profile.eviction_soft_grace == "configured" or own is None else min(configured, own)


def set_load(fx: Effects, node: NodeRow, signal: str, wanted: int | None) -> None:
    """Add usage from outside the pods so that ``wanted`` is left now; None removes it."""
    pressure = pressure_of_node(fx, node.name)
    others = tuple(item for item in pressure.loads if item[0] != signal)
    bare = fx.save_pressure(replace(pressure, loads=others))
    if wanted is not None:
        load = available(fx, node, signal) - wanted
        capacity = capacity_of(node)[signal]
        others = (*others, (signal, min(load, capacity)))
    fx.save_pressure(replace(bare, loads=others, seq=fx.cause))
    arm(fx, node.name)
