"""What is due next for a pod: known moments, not promises, since an act may change them all.

Only moments that are already set: a queue entry, the end of a back-off, a deadline. What depends on a
program's behaviour is not predicted.
"""

from simulator.engine.containers.images.reference import with_default_tag
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.units import Ms
from simulator.engine.projection.model import BackoffView, ContainerView, NextThing
from simulator.engine.world.rest import up_to_now
from simulator.engine.world.rows import PodRow, Worker
from simulator.engine.world.world import World


def upcoming(
    world: World, row: PodRow, containers: tuple[ContainerView, ...], backoffs: tuple[BackoffView, ...], *, now_ms: Ms
) -> tuple[NextThing, ...]:
    """The next things after ``now_ms``, soonest first."""
    found = [*_of_containers(row, containers, backoffs), *_of_kubelet(world, row)]
    if row.deletion_ms is not None and row.gone_ms is None:
        found.append(NextThing("grace_deadline", row.deletion_ms, row.subject))
    ahead = (item for item in found if item.at_ms > now_ms)
    return tuple(sorted(ahead, key=lambda item: item.at_ms))


def _of_containers(row: PodRow, containers: tuple[ContainerView, ...], backoffs: tuple[BackoffView, ...]) -> list[NextThing]:
    found: list[NextThing] = []
    for container in containers:
        found += [NextThing("probe_tick", probe.next_ms, probe.subject) for probe in container.probes if probe.next_ms is not None]
        if container.stop is not None and container.stop.state != "killed":
            found.append(NextThing("stop_deadline", container.stop.deadline_ms, container.subject))
        elif container.node_state == "backoff" and container.node_until_ms is not None:
            # The card does not say which back-off holds it; its end does.
            crash = any(item.kind == "crash" and item.until_ms == container.node_until_ms for item in backoffs)
            found.append(NextThing("backoff_end" if crash else "image_backoff_end", container.node_until_ms, container.subject))
    return found


def _of_kubelet(world: World, row: PodRow) -> list[NextThing]:
    found: list[NextThing] = []
    worker, kubelet = world.tables.workers.get(row.key), world.tables.kubelets.get(row.node)
    if worker is not None:
        worker = up_to_now(world, worker)
    if worker is not None and worker.sync_due_ms is not None:
        found.append(NextThing("sync", worker.sync_due_ms, row.subject, _sync_rule(world, worker, worker.sync_due_ms)))
    if worker is None or kubelet is None:
        return found
    if kubelet.relist_due_ms is not None and row.key in kubelet.dirty:
        found.append(NextThing("relist", kubelet.relist_due_ms, f"node/{kubelet.node}", "RELIST"))
    head = kubelet.pulls[0] if kubelet.pulls else None
    # Only the pull at the head of the queue has begun: pulls are serial.
    if head is not None and head.pod == row.key and head.began_ms is not None:
        found.append(NextThing("pull_end", head.began_ms + _pull_ms(world, head.image), f"container/{head.pod}/{head.container}"))
    return found


def _sync_rule(world: World, worker: Worker, due_ms: Ms) -> str:
    """Why the next sync comes then: at the first look at the containers, soon after an error, or just because it is time."""
    if due_ms <= next_beat(worker.busy_until_ms, world.tables.kubelets[worker.node].relist_phase_ms, world.profile.relist_ms):
        return "SYNC-AFTER-RELIST"
    return "SYNC-RETRY" if worker.failed else "SYNC-RESYNC"


def _pull_ms(world: World, image: str) -> Ms:
    """How long the registry takes to answer for the image."""
    known = world.tables.images.get(with_default_tag(image))
    if known is None:
        return world.profile.unlisted_pull_ms if world.header.cluster.unlisted_images == "pullable" else world.profile.failed_pull_ms
    return known.pull_ms if known.available else world.profile.failed_pull_ms
