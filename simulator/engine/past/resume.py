"""The moment of import: the cluster's components take over the pods as the text left them, and the simulation continues.

What is set up, and why in this order: back-offs first, since everything after may wait for them; a pod
without a node goes to the scheduler and one whose node is gone to the pod garbage collector; then
images, volumes and processes, since the kubelet finds those; then its worker with the reasons it
remembers; probes on their old grid, because shifting the ticks would change when the next restart falls;
last the deletion or the first sync. For a pod whose node is silent none of this is set up: the node's own
memory is unknown, and nothing there can be observed.
"""

import json

from msgspec.structs import replace

from simulator.engine.controllers import pod_gc
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.units import Key, Seq
from simulator.engine.kubelet.base import pressure, room
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.probes import probe_workers
from simulator.engine.kubelet.pods.sandbox import user_namespaces
from simulator.engine.kubelet.pods.start.pulls import tagged_name
from simulator.engine.kubelet.pods.start.start import find_container, state_of_reason
from simulator.engine.kubelet.pods.status import endings
from simulator.engine.kubelet.pods.volumes.mounts import used_volumes
from simulator.engine.kubelet.pods.volumes.volume_content import Unmountable, contents, volume_key
from simulator.engine.kubelet.pods.volumes.volumes_machine import VOLUMES
from simulator.engine.kubelet.pods.worker.pod_worker_machine import POD_WORKER
from simulator.engine.model.duration import go_duration
from simulator.engine.model.probe import FAILURE, UNKNOWN
from simulator.engine.model.service_account import own_volumes
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.past.document import READ, PastBackoff, PastPod, PastProbe, PastReason, past_of
from simulator.engine.past.occurrences import tokens_left
from simulator.engine.past.processes import revive
from simulator.engine.past.stopping import go_on_stopping
from simulator.engine.scheduler.queue import await_flush
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ProbeTick, SchedulePod, SyncDue, TaintJudge
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Backoff, BackoffEntry, ImageRow, PodRow, PodVolumes, Reason, Seen, Worker

_BEHIND_THE_IMAGE = ("CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff")
"""Reasons for waiting that occur once the image is present."""


def resume_pods(fx: Effects, keys: dict[int, Key]) -> None:
    """Take over every imported pod. ``keys`` are their keys, by position in the header."""
    past = past_of(fx.world.header)
    assert past is not None
    data = (("pods", len(past.pods)),)
    fx.cause = fx.record(
        kind=RecordKind.NOTE.value, subject="run", machine="import", target="resumed", rule="IMPORT-RESUMED", data=data, cause=0
    )
    for subject, text in past.assumed:
        fx.note(subject, "assumed", text, rule="IMPORT-ASSUMED")
    for n, pod in fx.each(enumerate(past.pods)):
        row = fx.tables.pods[keys[n]]
        with fx.because(_end_of_past(fx, row)):
            _take_over(fx, row, pod)


def _end_of_past(fx: Effects, row: PodRow) -> Seq:
    """The record at which the simulation continues, caused by the last one that the text gives about the pod."""
    known = [item.seq for item in fx.tables.instances.get(row.key, ())]
    known = known or [item.seq for item in fx.tables.k8s_events.values() if item.subject == row.subject]
    cause = row.deletion_seq if row.deletion_ms is not None else max(known, default=row.object_seq)
    return fx.record(
        kind=RecordKind.NOTE.value, subject=row.subject, machine="import", target="taken_over", rule="IMPORT-RESUMED", cause=cause
    )


def _read_reason(fx: Effects, row: PodRow, past: PastPod, item: PastReason) -> Reason:
    """Why a container waits, as a record: what the kubelet does next follows from it."""
    instance = find_instance(fx, row.key, item.container)
    held = [back.window_ms for back in past.backoffs if back.kind == "crash" and back.name == item.container]
    data: Data = (("message", item.message or item.reason), ("origin", item.source))
    if held and item.reason == "CrashLoopBackOff":
        data = (*data, ("window", go_duration(held[0])))
    seq = fx.record(
        kind=RecordKind.NOTE.value, subject=f"container/{row.key}/{item.container}", machine="note", target="read_wait", rule=READ,
        data=data, cause=None if instance is None else instance.seq,
    )  # fmt: skip
    return Reason(item.container, item.reason, item.message, seq, state_of_reason(item.reason))


def _take_over(fx: Effects, row: PodRow, past: PastPod) -> None:
    for held in past.backoffs:
        _remember_backoff(fx, row, held)
    if not row.node:
        _schedule(fx, row)
        return
    if row.node not in fx.tables.nodes:
        pod_gc.expect(fx, row.node)
        return
    _spend_tokens(fx, row)
    for item in fx.tables.instances.get(row.key, ()):
        fx.image_on_disk(row.node, tagged_name(item.image))
    for reason in past.reasons:
        if reason.reason in _BEHIND_THE_IMAGE:
            fx.image_on_disk(row.node, tagged_name(find_container(row.pod.spec, reason.container).image))
    # No worker is set up for it: its kubelet only waits for the object to be removed.
    if _is_over(row) and not _runs(fx, row.key):
        _finish(fx, row)
        return
    if past.silent:
        return
    _mount(fx, row)
    revive(fx, row)
    row = fx.tables.pods[row.key]
    worker, _, seq = fx.become(POD_WORKER, row.key, Worker(pod=row.key, node=row.node), "accepted", False, data=(("node", row.node),))
    fx.cause = seq
    seen = Seen(fx.now, fx.tables.sandboxes.get(row.key), fx.tables.instances.get(row.key, ()), seq)
    fx.save_seen(row.key, seen)
    reasons = tuple(_read_reason(fx, row, past, item) for item in past.reasons)
    worker = fx.save_worker(replace(worker, syncs=1, seq=seq, reasons=reasons, looked=seen, is_probed=True))
    if row.status.phase not in TERMINAL_PHASES:
        room.hold(fx, row)
    probe_workers.ensure(fx, row)
    _put_on_grid(fx, row)
    _settle_ended(fx, row)
    for probe in past.probes:
        _remember_probe(fx, row, probe)
    if row.deletion_ms is not None:
        if not _runs(fx, row.key):
            _first_sync(fx, row, past)  # what it says about the pod may differ from the text, which holds for the moment of import
            return
        with fx.acting("kubelet"):
            go_on_stopping(fx, row, worker, past.stop_ms)
        return
    endings.arm_deadline(fx, row)
    pressure.watch_pod(fx, row)
    if any(taint[2] == "NoExecute" for taint in fx.tables.nodes[row.node].taints):
        # The taint was there before the watch that would have reported it.
        fx.schedule(fx.now, Lane.CONTROLLER, TaintJudge(row.key))
    _first_sync(fx, row, past)


def _is_over(row: PodRow) -> bool:
    """Whether its kubelet is done with a pod that no longer runs: it has ended, or only finalizers keep its deleted object."""
    if row.deletion_ms is None:
        return row.status.phase in TERMINAL_PHASES
    return bool((json.loads(row.document).get("metadata") or {}).get("finalizers"))


def _runs(fx: Effects, key: Key) -> bool:
    return any(item.runs for item in fx.tables.instances.get(key, ()))


def _schedule(fx: Effects, row: PodRow) -> None:
    """A pod without a node: if it could not be placed it waits for a change; otherwise it is scheduled now."""
    known = row.status.condition("PodScheduled")
    # It is in the unschedulable pool; only an event or the flush brings it back.
    if row.deletion_ms is None and known is not None and known.reason == "Unschedulable":
        fx.set_unscheduled(row.key, waiting=True)
        fx.set_nominated(row.key, waiting=bool(row.status.nominated_node))
        fx.note_try(row.key)
        await_flush(fx, row.key)
    else:
        fx.schedule(fx.now, Lane.CONTROLLER, SchedulePod(row.key))


def _finish(fx: Effects, row: PodRow) -> None:
    """A finished pod that nobody has deleted keeps its object; its kubelet has released everything."""
    sandbox = fx.tables.sandboxes.get(row.key)
    seen = Seen(fx.now, sandbox, fx.tables.instances.get(row.key, ()), fx.cause)
    fx.save_seen(row.key, seen)
    worker = Worker(pod=row.key, node=row.node, syncs=1, released=True, killed=True, seq=fx.cause)
    fx.become(POD_WORKER, row.key, worker, "imported_ended", False)


def _remember_backoff(fx: Effects, row: PodRow, held: PastBackoff) -> None:
    if held.kind == "image":
        fx.save_image(tagged_name(held.name), ImageRow(available=False, pull_ms=fx.profile.unlisted_pull_ms, problem=held.problem))
        key = ("image", row.key, held.name)
    else:
        key = ("crash", row.key, f"{held.name}@{find_container(row.pod.spec, held.name).image}")
    if held.window_ms:
        fx.save_backoff(key, Backoff(BackoffEntry(held.window_ms, held.updated_ms), fx.cause, held.problem))


def _spend_tokens(fx: Effects, row: PodRow) -> None:
    """Charge the spam filter of the pod for all Events already written."""
    mine = (item for item in fx.tables.k8s_events.values() if item.subject == row.subject and item.component == "kubelet")
    burst, refill = fx.profile.event_spam_burst, fx.profile.event_spam_refill_ms
    left = tokens_left(burst, refill, age_ms=fx.now - row.created_ms, written=sum(item.count for item in mine))
    fx.save_bucket(("kubelet", row.key), (left, fx.now))


def _mount(fx: Effects, row: PodRow) -> None:
    """The volumes of a pod that has a sandbox are mounted."""
    if row.key not in fx.tables.sandboxes:
        return
    user_namespaces.acquire(fx, row)
    for volume in used_volumes(row):
        try:
            fx.save_volumes(((volume_key(row, volume), contents(fx, row, volume)),))
        except Unmountable:
            # The pod ran with it, so it was mounted; its contents are unknown.
            fx.save_volumes(((volume_key(row, volume), {}),))
    if own_volumes(row.pod.spec):
        fx.become(VOLUMES, row.key, PodVolumes(), "all_there", None)


def _put_on_grid(fx: Effects, row: PodRow) -> None:
    """Keep the probes on the grid since their kubelet accepted the pod: the next tick is theirs, not the moment of import."""
    if row.status.start_ms is None:
        return
    for key, held in [(key, held) for key, held in fx.tables.probes.items() if key[0] == row.key]:
        fx.cancel(held.handle)
        began = row.status.start_ms + held.first_ms - fx.now
        first = next_beat(fx.now, began, held.period_ms)
        handle = fx.schedule(first, Lane.PROBE, ProbeTick(*key))
        fx.save_probe(key, replace(held, first_ms=first, handle=handle, is_asleep=began > fx.now))


def _settle_ended(fx: Effects, row: PodRow) -> None:
    """Tell the probes of a container that has ended."""
    for key, held in [(key, held) for key, held in fx.tables.probes.items() if key[0] == row.key]:
        instance = find_instance(fx, row.key, key[1])
        if instance is not None and not instance.runs:
            worker = replace(held.worker, container_id=f"{instance.container}#{instance.attempt}", result=FAILURE)
            fx.save_probe(key, replace(held, worker=worker))


def _remember_probe(fx: Effects, row: PodRow, past: PastProbe) -> None:
    """Set a probe worker to the state implied by the status and the Events; its grid goes through the dated attempt."""
    key = (row.key, past.container, past.kind)
    held = fx.tables.probes.get(key)
    instance = find_instance(fx, row.key, past.container)
    if held is None or instance is None:
        return
    result = past.result or None
    last = FAILURE if past.failures else result or UNKNOWN
    worker = replace(
        held.worker,
        container_id=f"{instance.container}#{instance.attempt}",
        result=result,
        last=last,
        run=past.failures or int(result is not None),
        on_hold=past.kind == "startup" and past.result == "Success" and fx.world.options.probes.holds_after_startup,
    )
    if past.last_ms is not None:
        fx.cancel(held.handle)
        first = next_beat(fx.now, past.last_ms, held.period_ms)
        held = replace(held, first_ms=first, handle=fx.schedule(first, Lane.PROBE, ProbeTick(*key)))
    fx.save_probe(key, replace(held, worker=worker))


def _first_sync(fx: Effects, row: PodRow, past: PastPod) -> None:
    """The next sync: the retry that an Event of the last one announces, else the one at the next look at the containers.

    In versions where a probe's success waits for the regular sync, that sync comes at a random time within its period.
    """
    worker, profile = fx.tables.workers[row.key], fx.profile
    kubelet = fx.tables.kubelets[row.node]
    due = next_beat(fx.now, kubelet.relist_phase_ms, profile.relist_ms)
    if not worker.reasons and not profile.startup_result_syncs and row.status.phase == "Running":
        due += fx.uniform(f"resync/{row.key}", 0, 0, profile.sync_frequency_ms)
    if past.sync_ms is not None and worker.reasons and not profile.requeue_at_backoff_expiry:
        wait = fx.jitter(f"resync/{row.key}", worker.syncs, profile.error_requeue_ms, profile.error_jitter_permille // 10)
        due = max(due, next_beat(past.sync_ms + wait, kubelet.tick_phase_ms, profile.sync_tick_ms))
    handle = fx.schedule(due, Lane.KUBELET, SyncDue(row.key))
    fx.save_worker(replace(worker, sync_due_ms=due, sync_handle=handle))
