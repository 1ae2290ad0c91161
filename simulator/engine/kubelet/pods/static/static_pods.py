"""Static pods: a kubelet runs the manifests in its folder by itself and shows each in the API as a mirror pod.

The containers belong to the file, not to the mirror: a deleted mirror comes back while they keep running, and
only removing the file ends them. Each has its own lifecycle, so several things wait for each other:

* A mirror that the API server rejects is retried with the pod's regular sync. A real kubelet would
  run the pod nevertheless, unseen; that is not simulated, and such a manifest is not placed.
* A lost mirror is replaced only when the worker is free, since everything queued for the pod moves
  to the new key (``_move``): wake-ups of processes, probe ticks, execs, the next sync.
* A mirror whose file is gone is deleted by housekeeping: at once until 1.21, from 1.22 on only when the
  containers have ended.
* A replacement file waits as ``following`` until nothing is left of the previous content.

None of this happens while the kubelet is down or cut off; it checks its folder when it
comes up (``kubelet_returns``) or reaches the API server again (``look_again``).

Source: observed on a 1.20.2 node; pkg/kubelet/kubelet.go SyncPod, pkg/kubelet/pod/mirror_client.go.
"""

import json
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from simulator.engine.apiserver.answer import ApiError, already_exists
from simulator.engine.apiserver.pods import create_pod, delete_pod, finish_deletion, remove_pod
from simulator.engine.apiserver.publish import publish
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.apiserver.store.creation import check_namespace
from simulator.engine.apiserver.store.surroundings import completed_pod
from simulator.engine.kubelet.pods.facts.mirrored import is_manifest_gone, static_pod_of
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.ids import object_uid
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, Key
from simulator.engine.kubelet.base.health import has_running_kubelet
from simulator.engine.kubelet.pods.status.pod_status import generate
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.kubelet.base.beats import next_housekeeping, next_status_beat, with_status_beat
from simulator.engine.kubelet.pods.static.static_pod_machine import STATIC_POD
from simulator.engine.model.references import api_reference, restricted_reference
from simulator.engine.model.times import format_time_nano
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ExecWake, ProbeTick, ProcessWake, StaticSync, SyncDue
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow, Seen, StaticPod

RULES = (
    RuleText(
        "STATIC-PLACED",
        gettext_noop("The kubelet found a manifest in its static pod directory: it runs the pod on its own and mirrors it in the API."),
        "pkg/kubelet/config/file_linux.go",
    ),
    RuleText(
        "STATIC-MIRROR-BACK",
        gettext_noop("Only the mirror was deleted: the containers keep running, and the kubelet recreates the mirror."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "STATIC-REMOVED",
        gettext_noop("The manifest is gone from the directory or has changed, so the kubelet stops the pod with its own grace period."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "STATIC-MIRROR-GONE",
        gettext_noop("The mirror no longer represents a static pod, so housekeeping deletes it."),
        "observed on a 1.20.2 node",
    ),
    RuleText(
        "STATIC-MIRROR-REFUSED",
        gettext_noop("The API server rejects the mirror ({text}). The kubelet retries with the pod’s next regular sync."),
        "pkg/kubelet/kubelet.go SyncPod, pkg/kubelet/pod/mirror_client.go CreateMirrorPod",
    ),
    RuleText(
        "STATIC-UNSEEN",
        gettext_noop(
            "The API server would reject the mirror of this static pod: {message}. Its kubelet would run it "
            "invisibly, which is not simulated, so the manifest is not placed."
        ),
        "pkg/kubelet/kubelet.go SyncPod",
    ),
    RuleText(
        "STATIC-REFERS",
        gettext_noop("The kubelet does not accept the manifest: static pods may not reference {message}"),
        "pkg/kubelet/config/common.go tryDecodeSinglePod",
        "1.34",
    ),
)




def check(fx: Effects, node: str, document: Json, namespace: str) -> None:
    """Refuse a manifest that the kubelet does not accept, or whose mirror the API server rejects. Raises Refusal.

    An existing mirror of the same name is not a reason: its static pod gives way to the new manifest.
    """
    if node in fx.tables.held_objects:
        raise Refusal("STATIC-UNSEEN", (("message", "the node is cut off"),))
    reference = api_reference(document.get("spec") or {})
    if reference and fx.world.release.has("PreventStaticPodAPIReferences"):
        raise Refusal("STATIC-REFERS", (("message", reference),))
    why = _admitted(fx, _new(node, document, namespace))[1]
    if why:
        raise Refusal("STATIC-UNSEEN", (("message", why),))


def place(fx: Effects, node: str, document: Json, namespace: str) -> None:
    """Add a manifest to a node's folder."""
    fresh = _new(node, document, namespace)
    row, _, fx.cause = fx.become(STATIC_POD, node, fresh, "placed", None, data=(("pod", f"{fresh.namespace}/{fresh.name}-{node}"),))
    works = has_running_kubelet(fx, node)
    row = replace(row, seq=fx.cause, seen_ms=fx.now if works else None)
    fx.save_static_pod(row)
    if works:
        _first_mirror(fx, row)


def _new(node: str, document: Json, namespace: str) -> StaticPod:
    metadata = document.get("metadata") or {}
    space, name = str(metadata.get("namespace") or namespace), str(metadata["name"])
    text = json.dumps(document)
    uid = blake2b(f"{node}|{text}".encode(), digest_size=16).hexdigest()
    return StaticPod(node=node, namespace=space, name=name, document=text, uid=uid, pod="")


def _first_mirror(fx: Effects, row: StaticPod) -> None:
    """The kubelet has read the file. Running without a mirror is not simulated: it waits until the API server accepts one."""
    text, why = _mirror_of(fx, row)
    if why:
        _refused(fx, row, why)
    else:
        _create(fx, row, text)


def _refused(fx: Effects, row: StaticPod, why: str) -> None:
    """The API server rejects the mirror: record it once, and retry with the next regular sync."""
    if why != row.refusal:
        row = replace(row, refusal=why)
        fx.save_static_pod(row)
        fx.note(f"node/{row.node}", f"{row.namespace}/{row.name}-{row.node}", why, rule="STATIC-MIRROR-REFUSED")
    fx.check(fx.now + fx.profile.sync_frequency_ms, Lane.KUBELET, StaticSync(row.node, row.namespace, row.name))


def _mirror_of(fx: Effects, row: StaticPod) -> tuple[str, str]:
    """The mirror as the API server would store it now, as JSON text, and why it would reject it; one of them is empty."""
    name = f"{row.name}-{row.node}"
    if fx.world.live_pod(row.namespace, name) is not None:
        return "", already_exists("pods", name).answer.message
    return _admitted(fx, row)


def _admitted(fx: Effects, row: StaticPod) -> tuple[str, str]:
    """The same, whether or not the name is taken."""
    document = _as_sent(fx, row)
    try:
        check_namespace(fx, document, row.namespace)
        whole = completed_pod(fx, document, row.namespace, text=json.dumps(document), is_valid=True)
    except ApiError as error:
        return "", error.answer.message
    except Refusal as refusal:
        return "", str(dict(refusal.data)["message"])
    why = _restricted(fx, row, whole)
    return ("", why) if why else (msgspec.json.encode(whole).decode(), "")


def _restricted(fx: Effects, row: StaticPod, document: Json) -> str:
    """Why a node may not create this pod, as the plug-in NodeRestriction (enabled in every kubeadm cluster) says; "" if it may.

    What the plug-in ServiceAccount rejects has been rejected before. Source: plugin/pkg/admission/noderestriction admitPodCreate.
    """
    reference = restricted_reference(document["spec"])
    if not reference:
        return ""
    said = fx.profile.mirror_reference_text.format(node=row.node, reference=reference)
    return f'pods "{document["metadata"]["name"]}" is forbidden: {said}'


def _as_sent(fx: Effects, row: StaticPod) -> Json:
    """The mirror object, which only displays the pod: what runs is what the file says, with the defaults that both get."""
    document: Json = json.loads(row.document)
    metadata, spec = document.setdefault("metadata", {}), document.setdefault("spec", {})
    metadata["name"] = f"{row.name}-{row.node}"
    metadata["namespace"] = row.namespace
    seen_ms = fx.now if row.seen_ms is None else row.seen_ms
    seen = format_time_nano(fx.world.header.epoch_s * SECOND + seen_ms)
    marks = {"config.hash": row.uid, "config.mirror": row.uid, "config.seen": seen, "config.source": "file"}
    metadata["annotations"] = {
        **(metadata.get("annotations") or {}), **{f"kubernetes.io/{name}": value for name, value in marks.items()}
    }  # fmt: skip
    uid = object_uid(fx.world.header.seed, "Node", row.node)
    metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": row.node, "uid": uid, "controller": True}]
    spec["nodeName"] = row.node
    spec["tolerations"] = [*(spec.get("tolerations") or []), {"operator": "Exists", "effect": "NoExecute"}]
    return document


def _create(fx: Effects, row: StaticPod, text: str) -> Key:
    """Store a mirror that the API server accepts."""
    pod = create_pod(fx, text)
    runs = replace(pod.pod, metadata=replace(pod.pod.metadata, uid=row.uid))
    fx.save_static_pod(replace(row, pod=pod.key, runs=runs, refusal=""))
    return pod.key


def take_away(fx: Effects, row: StaticPod) -> None:
    """Remove the manifest from the folder."""
    if row.removed:  # the previous content is stopping anyway, and now nothing follows
        fx.save_static_pod(replace(row, following=""))
        return
    row, _, fx.cause = fx.become(STATIC_POD, row.node, row, "taken_away", None, data=(("pod", row.pod),))
    fx.save_static_pod(replace(row, seq=fx.cause))
    if has_running_kubelet(fx, row.node):
        _wind_up(fx, row)


def replace_manifest(fx: Effects, row: StaticPod, document: Json) -> None:
    """Change the file's content: that is another pod by its uid. The old one stops with its own grace period, then the new one begins.

    Source: pkg/kubelet/config/config.go (the source removes one pod and adds another), pod_workers.go allowPodStart.
    """
    text = json.dumps(document)
    if not row.removed and text == row.document:
        return
    row = replace(row, following=text)
    fx.save_static_pod(row)
    if not row.removed:
        take_away(fx, row)


def _forget(fx: Effects, row: StaticPod) -> None:
    """Nothing is left of the file's previous content; if it has new content, that begins."""
    fx.save_static_pod(row, gone=True)
    if row.following:
        place(fx, row.node, json.loads(row.following), row.namespace)


def _wind_up(fx: Effects, row: StaticPod) -> None:
    """Let the worker stop the containers, and housekeeping take care of the mirror."""
    if row.pod in fx.tables.workers:
        fx.save_worker(replace(fx.tables.workers[row.pod], calm=None))
        sync.request(fx, row.pod, fx.cause)
    _check_later(fx, row)


def _check_later(fx: Effects, row: StaticPod) -> None:
    fx.check(next_housekeeping(fx, row.node), Lane.HOUSEKEEPING, StaticSync(row.node, row.namespace, row.name))




def mirror_changed(fx: Effects, row: PodRow) -> bool:
    """The kubelet sees a change of a mirror. Whether that settles it: a deletion is answered by a new mirror."""
    static = static_pod_of(fx, row)
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
    text, why = _mirror_of(fx, static)
    if why:
        row = fx.tables.pods[row.key]
        fx.save_pod(replace(row, deletion_ms=None, grace_s=None))  # the mirror was deleted; what keeps running was not
        _refused(fx, static, why)
        return
    static, _, fx.cause = fx.become(STATIC_POD, static.node, static, "mirror_lost", None, data=(("pod", row.key),))
    key = _create(fx, static, text)
    _move(fx, row.key, key)
    kubelet = with_status_beat(fx, fx.tables.kubelets[static.node], fx.now)
    fx.save_kubelet(kubelet)
    due = next_status_beat(fx, kubelet)
    fx.check(due, Lane.HOUSEKEEPING, StaticSync(static.node, static.namespace, static.name))


def _move(fx: Effects, old: Key, new: Key) -> None:
    """Move what runs on the node to the new mirror's key, with everything queued for it."""
    fx.rename_pod(old, new)
    for item in fx.tables.instances.get(new, ()):
        fx.cancel(item.wake)
        wake = 0
        if item.wake_ms is not None and item.runs:
            wake = fx.schedule(max(item.wake_ms, fx.now), Lane.RUNTIME, ProcessWake(new, item.container, item.attempt), cause=item.seq)
        fx.save_instance(new, replace(item, wake=wake))
    for key, probe_row in tuple(fx.tables.probes.items()):
        if key[0] == new and not probe_row.is_stopping:
            fx.cancel(probe_row.handle)
            due = next_beat(fx.now, probe_row.first_ms, probe_row.period_ms)
            fx.save_probe(key, replace(probe_row, busy=False, missed=False, poked=False, handle=fx.schedule(due, Lane.PROBE, ProbeTick(*key))))
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
    """Take care of a static pod: recreate the mirror, publish its status, or delete it after the file."""
    static = fx.tables.static_pods.get((event.node, event.namespace, event.name))
    if static is None or not has_running_kubelet(fx, event.node) or fx.is_cut_off:
        return
    fx.cause = static.seq
    if not static.pod:
        _first_look(fx, static)
        return
    row = fx.tables.pods[static.pod]
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
    """Delete the mirror of a removed file; from 1.22 on only when its containers have ended."""
    running = any(item.runs for item in fx.tables.instances.get(static.pod, ()))
    if running and fx.profile.pod_worker_states:
        _check_later(fx, static)
        return
    if row.gone_ms is None:
        static, _, fx.cause = fx.become(STATIC_POD, static.node, static, "mirror_left", None, data=(("pod", static.pod),))
        delete_pod(fx, row, 0)
    if running:
        _check_later(fx, static)
    elif static.removed:
        _forget(fx, static)


def _first_look(fx: Effects, static: StaticPod) -> None:
    """Handle a file that has no mirror yet; one that was removed before then leaves nothing."""
    if static.removed:
        _forget(fx, static)
    else:
        _first_mirror(fx, static)


def check_mirrors(fx: Effects, node: str) -> None:
    """The kubelet reaches the API server again: check each mirror of the node. O(static pods)."""
    for static in fx.tables.static_pods.values():
        if static.node == node:
            fx.check(fx.now, Lane.KUBELET, StaticSync(node, static.namespace, static.name))


def kubelet_returns(fx: Effects, node: str) -> None:
    """The kubelet is up: it reads its folder, and finds what was deleted meanwhile."""
    for static in tuple(fx.tables.static_pods.values()):
        if static.node != node:
            continue
        static = replace(static, seen_ms=fx.now)
        fx.save_static_pod(static)
        with fx.because(static.seq):
            if not static.pod:
                _first_look(fx, static)
            elif static.removed:
                _wind_up(fx, static)
            else:
                mirror_changed(fx, fx.tables.pods[static.pod])
