"""The reality of a pod's containers on the node: instances, stops, starts in progress and the back-offs that hold them.

The order of the checks is that of a container's life: a start in progress, a process that runs, a
back-off that holds the next start, else the last end. A back-off in effect says nothing by itself; it
holds a container only if the kubelet intends to start it again.
"""

from simulator.engine.containers.images.reference import with_default_tag
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.model.container import Container
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.policies.backoff import in_backoff, in_backoff_since_update
from simulator.engine.policies.restart_policy import restarts_after
from simulator.engine.projection.model import BackoffView, NodeSide, StopView
from simulator.engine.world.rows import BackoffEntry, Instance, PodRow, Stop, Worker
from simulator.engine.world.world import World


def newest_instance(world: World, key: Key, container: str) -> Instance | None:
    """The newest instance of a container in the runtime, or None."""
    for item in world.tables.instances.get(key, ()):
        if item.container == container:
            return item
    return None


def has_ghost(world: World, row: PodRow) -> bool:
    """Whether the object is gone while one of its processes still runs."""
    return row.gone_ms is not None and any(item.runs for item in world.tables.instances.get(row.key, ()))


def node_side(world: World, row: PodRow, container: Container, backoffs: tuple[BackoffView, ...]) -> NodeSide:
    """What is true of the container on its node at the moment for which ``backoffs`` were read."""
    instance = newest_instance(world, row.key, container.name)
    worker = world.tables.workers.get(row.key)
    if worker is not None and worker.start is not None and worker.start.container == container.name:
        state = worker.start.state
        if state != "running":
            return NodeSide(state=state, reason=_reason(worker, container.name), instance=worker.start.attempt)
    if instance is not None and instance.runs:
        return _running(instance)
    held = next((item for item in backoffs if item.container == container.name and item.until_ms is not None), None)
    if held is not None and _will_start(world, row, container, instance):
        return _ended(instance, "backoff", "CrashLoopBackOff" if held.kind == "crash" else "ImagePullBackOff", held)
    return _ended(instance, "exited" if instance is not None else "waiting", _reason(worker, container.name), None)


def _running(instance: Instance) -> NodeSide:
    stop = stop_view(instance.stop)
    return NodeSide(
        state="stopping" if stop is not None else "running",
        until_ms=stop.deadline_ms if stop is not None and stop.state != "killed" else None,
        instance=instance.attempt,
        started_ms=instance.started_ms,
        stop=stop,
        is_hung=instance.process is not None and instance.process.hung,
    )


def _ended(instance: Instance | None, state: str, reason: str, held: BackoffView | None) -> NodeSide:
    until_ms, window_ms = (held.until_ms, held.window_ms) if held is not None else (None, 0)
    if instance is None:
        return NodeSide(state=state, reason=reason, until_ms=until_ms, window_ms=window_ms)
    return NodeSide(
        state=state,
        reason=reason or instance.reason,
        until_ms=until_ms,
        window_ms=window_ms,
        instance=instance.attempt,
        started_ms=instance.started_ms,
        finished_ms=instance.finished_ms,
        exit_code=instance.exit_code,
    )


def stop_view(stop: Stop | None) -> StopView | None:
    """A stop in progress."""
    if stop is None:
        return None
    return StopView(stop.state, stop.reason, stop.began_ms, stop.deadline_ms, stop.grace_ms, stop.term_ms)


def _reason(worker: Worker | None, container: str) -> str:
    """Why the last attempt to start the container failed."""
    reasons = worker.reasons if worker is not None else ()
    return next((item.reason for item in reasons if item.container == container), "")


def _will_start(world: World, row: PodRow, container: Container, instance: Instance | None) -> bool:
    """Whether the kubelet intends to start the container again."""
    if row.deletion_ms is not None or row.gone_ms is not None or row.status.phase in TERMINAL_PHASES:
        return False
    if instance is None:
        return True
    rules = world.profile.container_restart_rules
    return restarts_after(container, row.pod.spec.restart_policy, instance.exit_code, restart_rules=rules)


def backoff_views(world: World, row: PodRow, now_ms: Ms) -> tuple[BackoffView, ...]:
    """The back-off entries of a pod, crash loops first; with their end if they are in effect. O(containers)."""
    spec = row.pod.spec
    containers = (*spec.init_containers, *spec.containers, *spec.ephemeral_containers)
    crashes = (_crash(world, row, container, now_ms) for container in containers)
    pulls = (_pull(world, row, container, now_ms) for container in containers)
    return tuple(item for item in (*crashes, *pulls) if item is not None)


def _crash(world: World, row: PodRow, container: Container, now_ms: Ms) -> BackoffView | None:
    held = world.tables.backoffs.get(("crash", row.key, f"{container.name}@{container.image}"))
    if held is None:
        return None
    entry, profile, until_ms = held.entry, world.profile, None
    instance = newest_instance(world, row.key, container.name)
    if instance is not None and instance.finished_ms is not None:
        ended_ms = instance.finished_ms
        if in_backoff(entry, ended_ms, now_ms, max_ms=profile.crash_backoff_max_ms, reset_ms=profile.crash_backoff_reset_ms):
            until_ms = ended_ms + entry.backoff_ms
    # Housekeeping drops an entry that was not used for twice the maximum wait.
    dropped_ms = _dropped_ms(world, row.node, entry)
    if now_ms >= dropped_ms:
        return None
    if until_ms is not None:
        until_ms = min(until_ms, dropped_ms)
    return BackoffView("crash", container.name, container.image, entry.backoff_ms, entry.last_update_ms, until_ms)


def _dropped_ms(world: World, node: str, entry: BackoffEntry) -> Ms:
    """The round of housekeeping that drops the entry if it is not advanced before."""
    profile = world.profile
    return next_beat(
        entry.last_update_ms + profile.crash_backoff_reset_ms, world.tables.kubelets[node].housekeeping_phase_ms, profile.housekeeping_ms
    )


def _pull(world: World, row: PodRow, container: Container, now_ms: Ms) -> BackoffView | None:
    held = world.tables.backoffs.get(("image", row.key, container.image))
    if held is None:
        return None
    entry, profile, until_ms = held.entry, world.profile, None
    # An image that has arrived in another way ends the wait: the kubelet finds it on the disk.
    present = (row.node, with_default_tag(container.image)) in world.tables.present
    if not present and in_backoff_since_update(entry, now_ms, max_ms=profile.image_backoff_max_ms):
        until_ms = entry.last_update_ms + entry.backoff_ms
    return BackoffView("image", container.name, container.image, entry.backoff_ms, entry.last_update_ms, until_ms)
