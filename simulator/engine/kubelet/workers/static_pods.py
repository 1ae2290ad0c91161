"""Static pods: a kubelet runs the manifests in its folder by itself and shows each in the API as a mirror pod.

The containers belong to the file, not to the mirror: a deleted mirror comes back while they run on, and only the removal of
the file ends them. Source: observed on a 1.20.2 node.
"""

import json
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from simulator.engine.apiserver.pods import create_pod, delete_pod, finish_deletion, remove_pod
from simulator.engine.apiserver.publish import publish
from simulator.engine.apiserver.store.surroundings import completed_pod
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.ids import object_uid
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, Key
from simulator.engine.kubelet.node.health import kubelet_works
from simulator.engine.kubelet.status.status import generate
from simulator.engine.kubelet.workers import sync
from simulator.engine.kubelet.workers.beats import next_housekeeping, next_status_beat, with_status_beat
from simulator.engine.machines.static_pod import STATIC_POD
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ExecWake, ProbeTick, ProcessWake, SyncDue
from simulator.engine.world.node_events import StaticSync
from simulator.engine.world.node_rows import StaticPod
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow, Seen

RULES = (
    RuleText(
        "STATIC-PLACED",
        gettext_noop("The kubelet found a manifest in its static pod folder: it runs the pod by itself and mirrors it in the API."),
        "pkg/kubelet/config/file_linux.go",
    ),
    RuleText(
        "STATIC-MIRROR-BACK",
        gettext_noop("Only the mirror was deleted: the containers run on, and the kubelet creates the mirror anew."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "STATIC-REMOVED",
        gettext_noop("The manifest is gone from the folder, so the kubelet stops the pod with its own grace period."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "STATIC-MIRROR-GONE",
        gettext_noop("The mirror stands for no static pod any more, so housekeeping deletes it."),
        "observed on a 1.20.2 node",
    ),
)


def find(fx: Effects, row: PodRow) -> StaticPod | None:
    """The static pod that this pod object mirrors, or None. O(static pods)."""
    for item in fx.tables.static_pods.values():
        if item.pod == row.key:
            return item
    return None


def place(fx: Effects, node: str, document: dict[str, Any], namespace: str) -> None:
    """A manifest appeared in the folder of a node."""
    metadata = document.get("metadata") or {}
    space, name = str(metadata.get("namespace") or namespace), str(metadata["name"])
    text = json.dumps(document)
    uid = blake2b(f"{node}|{text}".encode(), digest_size=16).hexdigest()
    fresh = StaticPod(node=node, namespace=space, name=name, document=text, uid=uid, pod="")
    row, _, fx.cause = fx.become(STATIC_POD, node, fresh, "placed", None, data=(("pod", f"{space}/{name}-{node}"),))
    row = replace(row, seq=fx.cause)
    fx.save_static_pod(row)
    if kubelet_works(fx, node):
        _mirror(fx, row)


def _mirror(fx: Effects, row: StaticPod) -> Key:
    """Create the mirror object, which only shows the pod: what runs is what the file says, with the defaults that both get."""
    document = json.loads(row.document)
    metadata, spec = document.setdefault("metadata", {}), document.setdefault("spec", {})
    metadata["name"] = f"{row.name}-{row.node}"
    metadata["namespace"] = row.namespace
    marks = {"config.hash": row.uid, "config.mirror": row.uid, "config.source": "file"}
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}), **{f"kubernetes.io/{name}": value for name, value in marks.items()}
    }  # fmt: skip
    uid = object_uid(fx.world.header.seed, "Node", row.node)
    metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": row.node, "uid": uid, "controller": True}]
    spec["nodeName"] = row.node
    spec["tolerations"] = [*(spec.get("tolerations") or []), {"operator": "Exists", "effect": "NoExecute"}]
    whole = completed_pod(fx, document, row.namespace, text=json.dumps(document), is_valid=True)
    pod = create_pod(fx, msgspec.json.encode(whole).decode())
    runs = replace(pod.pod, metadata=replace(pod.pod.metadata, uid=row.uid))
    fx.save_static_pod(replace(row, pod=pod.key, runs=runs))
    return pod.key


def take_away(fx: Effects, row: StaticPod) -> None:
    """The manifest is gone from the folder."""
    row, _, fx.cause = fx.become(STATIC_POD, row.node, row, "taken_away", None, data=(("pod", row.pod),))
    fx.save_static_pod(replace(row, seq=fx.cause))
    if kubelet_works(fx, row.node):
        _wind_up(fx, row)


def _wind_up(fx: Effects, row: StaticPod) -> None:
    """Let the worker stop the containers, and housekeeping look after the mirror."""
    if row.pod in fx.tables.workers:
        fx.save_worker(replace(fx.tables.workers[row.pod], calm=None))
        sync.request(fx, row.pod, fx.cause)
    _look_later(fx, row)


def _look_later(fx: Effects, row: StaticPod) -> None:
    fx.check(next_housekeeping(fx, row.node), Lane.HOUSEKEEPING, StaticSync(row.node, row.namespace, row.name))


def is_ended(fx: Effects, row: PodRow) -> bool:
    """Whether the pod is a mirror whose file is gone, so that its worker has to stop everything."""
    static = find(fx, row)
    return static is not None and static.removed


def mirror_changed(fx: Effects, row: PodRow) -> bool:
    """The kubelet sees a change of a mirror object. Returns whether that was all: a deletion is answered by a new mirror."""
    static = find(fx, row)
    if static is None or static.removed or (row.deletion_ms is None and row.gone_ms is None):
        return False
    _replace_mirror(fx, static, row)
    return True


def _replace_mirror(fx: Effects, static: StaticPod, row: PodRow) -> None:
    """Finish the deletion of the old mirror and create a new one, once the pod's worker is free."""
    worker = fx.tables.workers.get(row.key)
    if worker is not None and worker.step:
        fx.check(fx.now + SECOND, Lane.KUBELET, StaticSync(static.node, static.namespace, static.name))
        return
    if row.gone_ms is None:
        finish_deletion(fx, row.key)
        if fx.tables.pods[row.key].gone_ms is None:
            remove_pod(fx, row.key, rule="STATIC-MIRROR-BACK")
    static, _, fx.cause = fx.become(STATIC_POD, static.node, static, "mirror_lost", None, data=(("pod", row.key),))
    key = _mirror(fx, static)
    _move(fx, row.key, key)
    kubelet = with_status_beat(fx, fx.tables.kubelets[static.node], fx.now)
    fx.save_kubelet(kubelet)
    due = next_status_beat(fx, kubelet)
    fx.check(due, Lane.HOUSEKEEPING, StaticSync(static.node, static.namespace, static.name))


def _move(fx: Effects, old: Key, new: Key) -> None:
    """What runs on the node goes by the new mirror's key from here on, with everything that is queued for it."""
    fx.rename_pod(old, new)
    for item in fx.tables.instances.get(new, ()):
        fx.cancel(item.wake)
        wake = 0
        if item.wake_ms is not None and item.runs:
            wake = fx.schedule(max(item.wake_ms, fx.now), Lane.RUNTIME, ProcessWake(new, item.container, item.attempt), cause=item.seq)
        fx.save_instance(new, replace(item, wake=wake))
    for key, held in tuple(fx.tables.probes.items()):
        if key[0] == new:
            fx.cancel(held.handle)
            due = next_beat(fx.now, held.first_ms, held.period_ms)
            fx.save_probe(key, replace(held, busy=False, handle=fx.schedule(due, Lane.PROBE, ProbeTick(*key))))
    for n, row in tuple(fx.tables.execs.items()):
        if row.pod == new and row.wake == 0:
            fx.schedule(fx.now, Lane.RUNTIME, ExecWake(n))
    worker = fx.tables.workers.get(new)
    if worker is not None and worker.sync_due_ms is not None:
        fx.cancel(worker.sync_handle)
        fx.save_worker(replace(worker, calm=None, sync_handle=fx.schedule(worker.sync_due_ms, Lane.KUBELET, SyncDue(new))))
    elif worker is None and new in fx.tables.instances:
        fx.save_seen(new, Seen(fx.now, fx.tables.sandboxes.get(new), fx.tables.instances[new], fx.cause))


def static_sync(fx: Effects, event: StaticSync) -> None:
    """Look after a static pod: bring the mirror back, publish its status, or delete it after the file."""
    static = fx.tables.static_pods.get((event.node, event.namespace, event.name))
    if static is None or not kubelet_works(fx, event.node):
        return
    row = fx.tables.pods[static.pod]
    fx.cause = static.seq
    if static.removed:
        _clear_mirror(fx, static, row)
    elif row.deletion_ms is not None or row.gone_ms is not None:
        _replace_mirror(fx, static, row)
    else:
        worker = fx.tables.workers.get(row.key)
        if worker is not None:
            draft = generate(fx, row, worker)
            publish(fx, row, draft.status, rule=draft.rules["phase"], draft=draft)


def _clear_mirror(fx: Effects, static: StaticPod, row: PodRow) -> None:
    """Delete the mirror of a file that is gone; from 1.22 on only when its containers have ended."""
    running = any(item.runs for item in fx.tables.instances.get(static.pod, ()))
    if running and fx.profile.pod_worker_states:
        _look_later(fx, static)
        return
    if row.gone_ms is None:
        static, _, fx.cause = fx.become(STATIC_POD, static.node, static, "mirror_left", None, data=(("pod", static.pod),))
        delete_pod(fx, row, 0)
    if running:
        _look_later(fx, static)
    elif static.removed:
        fx.save_static_pod(static, gone=True)


def kubelet_returns(fx: Effects, node: str) -> None:
    """A kubelet came up: it reads its folder, and finds what was deleted meanwhile."""
    for static in tuple(fx.tables.static_pods.values()):
        if static.node != node:
            continue
        with fx.because(static.seq):
            if not static.pod:
                _mirror(fx, static)
            elif static.removed:
                _wind_up(fx, static)
            else:
                mirror_changed(fx, fx.tables.pods[static.pod])
