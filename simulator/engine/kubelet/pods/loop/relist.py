"""The relist (PLEG): once a second the kubelet learns which containers and sandboxes have changed since it last looked.

It learns of them in no other way. A container that crashes between two relists is still running to the kubelet, and one
that starts and ends between two is only seen as ended. A relist without a change is not an event here: the first
change on a node queues its next one (``mark_dirty``), and only pods that have changed are looked at.

Order: the new view is stored first, then a sync that has waited for this relist begins, and then each change
requests one more. Those requests fall into a running sync or wait for the next relist, since the worker needs
a view newer than its last sync. So a sandbox and a container seen together cause two syncs, a second apart.

Source: pkg/kubelet/pleg/generic.go Relist. From 1.36 on a sync that acted is followed immediately by a relist of
its pod (``on_demand_relist``).
"""

from msgspec.structs import replace

from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.status import endings
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import Relist
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.rows import Instance, Sandbox, Seen, Worker


def relist(fx: Effects, event: Relist) -> None:
    """Look at every pod of the node whose containers have changed, and wake its worker once per change."""
    if event.pod:
        look(fx, event.pod)
        return
    kubelet = fx.tables.kubelets[event.node]
    # Cleared before looking: what a sync started from here starts or stops belongs to the next relist.
    fx.save_kubelet(replace(kubelet, relist_due_ms=None, dirty=()))
    for pod in kubelet.dirty:
        look(fx, pod)


def look(fx: Effects, pod: Key) -> None:
    """Compare one pod with the previous view. A worker that waits for this relist goes first; the changes then wake it again."""
    worker = fx.tables.workers.get(pod)
    if worker is None:
        return
    if worker.rests:
        worker = fx.awaken(pod)
    before = fx.tables.seen.get(pod)
    sandbox = fx.tables.sandboxes.get(pod)
    instances = fx.tables.instances.get(pod, ())
    changes = _changes(before, sandbox, instances)
    cause = max([0, *changes])
    fx.save_seen(pod, Seen(fx.now, sandbox, instances, cause or (before.seq if before else 0)))
    if not fx.profile.pod_worker_states:
        _report_deaths(fx, worker, before, fx.tables.seen[pod])
    if worker.sync_due_ms == fx.now:
        fx.cancel(worker.sync_handle)
        sync.begin_sync(fx, pod, worker.pending_seq)
    for seq in changes:  # the first may begin a sync at once, and the others then request one more
        sync.request(fx, pod, seq)


def wake_for_found(fx: Effects, pod: Key) -> None:
    """Wake the worker once for each container and sandbox found by a kubelet's first relist: to a new kubelet all are changes."""
    seen = fx.tables.seen.get(pod)
    if seen is not None:
        for seq in _changes(None, seen.sandbox, seen.instances):
            sync.request(fx, pod, seq)


def _report_deaths(fx: Effects, worker: Worker, before: Seen | None, after: Seen) -> None:
    """Let a kubelet until 1.21 compute the pod's status for each container or sandbox that died, to see which records it may drop."""
    row = fx.tables.pods[worker.pod]
    if pod_on_node(fx.tables, row).spec.active_deadline_seconds is None or row.gone_ms is not None:
        return
    known = {(item.container, item.attempt) for item in before.instances if not item.runs} if before is not None else set()
    deaths = sum(not item.runs and (item.container, item.attempt) not in known for item in after.instances)
    old, new = before.sandbox if before is not None else None, after.sandbox
    if new is not None and new.state == "stopped" and (old is None or (old.attempt, old.state) != (new.attempt, new.state)):
        deaths += 1
    for _ in range(deaths):
        endings.report_deadline(fx, row, worker, by_death=True)


def _changes(before: Seen | None, sandbox: Sandbox | None, instances: tuple[Instance, ...]) -> list[int]:
    """The records behind every change that is an event of its own: a started or died container or sandbox."""
    known = {(item.container, item.attempt): item.runtime_state for item in before.instances} if before is not None else {}
    # Instances are newest first; changes are reported in the order in which they happened.
    changes = [item.seq for item in reversed(instances) if known.get((item.container, item.attempt)) != item.runtime_state]
    old = before.sandbox if before is not None else None
    if (
        sandbox is not None
        and sandbox.state != "creating"
        and (old is None or (old.attempt, old.state) != (sandbox.attempt, sandbox.state))
    ):
        changes.append(sandbox.seq)
    return changes
