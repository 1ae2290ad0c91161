"""Steps of a sync that kill containers: one of them, or all in parallel and then the sandbox.

All containers of a pod are stopped at the same time, each with its own hook and signal, and the worker waits
for the last; sidecars hold themselves back (``stop_machine``). The stops begin in spec order, which
is the order of the Events. Only instances in the last view of the runtime are stopped: one that has started since
is found by the next sync. A kill that is ``quiet`` or bypasses a busy worker takes what is running now.

Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainersWithSyncResult.
"""

from msgspec.structs import replace

from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.sandbox import sandbox_steps
from simulator.engine.kubelet.pods.stop import stop
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Action, Instance, PodRow, Worker


def _spec_position(row: PodRow, item: Instance) -> int:
    """The container's position in the spec: init, then app, then ephemeral containers."""
    spec = row.pod.spec
    names = [container.name for container in (*spec.init_containers, *spec.containers, *spec.ephemeral_containers)]
    return names.index(item.container) if item.container in names else len(names)


def kill_one(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Kill one container and wait for its end."""
    row = fx.tables.pods[worker.pod]
    instance = find_instance(fx, worker.pod, action.container)
    if instance is None or not instance.runs:
        return worker
    container = instance.spec
    grace = stop.grace_for(fx, row, worker, container, action.reason)
    with fx.aside():
        stop.begin_stop(fx, row, instance, container, stop.StopOrder(message=action.message, reason=action.reason, grace_ms=grace))
    return _wait_for_ends(fx, worker, ((instance.container, instance.attempt),), "kill")


def kill_all(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Stop every running container in parallel, then the sandbox."""
    seen = fx.tables.seen.get(worker.pod)
    known = {(item.container, item.attempt) for item in seen.instances if item.runs} if seen is not None else set()
    waits = _stop_running(fx, worker, known=None if action.quiet else known, quiet=action.quiet)
    worker = replace(worker, killed=True)
    return _wait_for_ends(fx, worker, waits, "kill_pod") if waits else sandbox_steps.begin_stop(fx, worker)


def _stop_running(fx: Effects, worker: Worker, *, known: set[tuple[str, int]] | None, quiet: bool) -> tuple[tuple[str, int], ...]:
    """Begin to stop what runs (of the ``known`` instances, if given), in spec order; returns what to wait for."""
    row = fx.tables.pods[worker.pod]
    waits = []
    for instance in fx.each(sorted(fx.tables.instances.get(worker.pod, ()), key=lambda item: _spec_position(row, item))):
        identity = (instance.container, instance.attempt)
        if not instance.runs or (known is not None and identity not in known):
            continue
        grace = stop.grace_for(fx, row, worker, instance.spec, "")
        message = f"Stopping container {instance.container}"
        override = stop.override_of(fx, worker)
        order = stop.StopOrder(message=message, reason="pod", grace_ms=grace, quiet=quiet, ordered=True, override_ms=override)
        stop.begin_stop(fx, row, instance, instance.spec, order)
        waits.append(identity)
    return tuple(waits)


def stop_while_busy(fx: Effects, worker: Worker, *, quiet: bool) -> tuple[tuple[str, int], ...]:
    """Stop what runs while the worker is busy, as the pod killer of 1.20 does; returns what to wait for."""
    return _stop_running(fx, worker, known=None, quiet=quiet)


def _wait_for_ends(fx: Effects, worker: Worker, waits: tuple[tuple[str, int], ...], step: str) -> Worker:
    return replace(worker, step=step, waits_for=waits)
