"""The persistent volume controller: binds claims to volumes, provisions and reclaims volumes.

Two kinds are kept in step. A claim requests (size, class, access modes, perhaps a volume's name); a
volume offers. Both are watched, each has its own sync, and either may come first.

An unbound claim takes, in this order: the volume it names; the smallest existing volume that fits;
a new one from its StorageClass' provisioner. If none of these works it waits, with an Event that
says why, and is checked again every 15 s (``volume_resync_ms``). That resync, not a watch, is
also what pairs a waiting claim with a volume created later: the controller does not search the
claims when a volume appears.

Binding takes two writes, and their order matters. The volume's claimRef is written first: that
reserves the volume, and should the second write fail, the next sync finds the reservation and
completes it. Only then does the claim get its volumeName. A volume whose claimRef has no uid has
been reserved by hand and waits for a claim of that name.

A class with WaitForFirstConsumer reverses the initiative. The claim must not be bound before a pod
is scheduled, since the volume decides where the pod can run; the scheduler's VolumeBinding plugin
either reserves a volume or writes the chosen node into an annotation (``SELECTED_NODE``), and the
change of the claim brings it back here.

When the claim is gone the volume becomes Released, never Available: the claimRef with the old uid
stays, so no other claim gets the old data. With the reclaim policy Delete it is then deleted,
provided something can do it: its provisioner, or for a hostPath the plugin that accepts nothing
outside /tmp. Otherwise it becomes Failed.

Every provisioner other than ``kubernetes.io/no-provisioner`` is assumed to exist and to work; how
long it takes (``volume_provision_ms``) is our choice.

Source: pkg/controller/volume/persistentvolume/pv_controller.go; for the finalizer of volumes
pkg/controller/volume/pvprotection.
"""

import re

from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.store.additions import VOLUME_FINALIZER
from simulator.engine.apiserver.store.objects import create_object, delete_object, update_object
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ClaimSync, ProvisionDone, VolumeSync
from simulator.engine.world.queue import Lane
from simulator.engine.world.storage import (
    BIND_COMPLETED,
    CLAIM,
    NO_PROVISIONER,
    PROVISIONED_BY,
    VOLUME,
    ClaimFacts,
    ClassFacts,
    best_volume,
    claim_facts,
    class_named,
    is_kept_for,
    volume_facts,
    volume_mismatch,
    waits_for_node,
)
from simulator.engine.world.watch import ADDED, CHANGED, DELETING, GONE, Queue, Watch
from simulator.engine.world.world import ApiObject

COMPONENT = "persistentvolume-controller"
QUEUE = Queue("persistentvolume-binder-controller", Lane.CONTROLLER, "volume_binder_ms")
_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
_PROVISIONER = "volume.beta.kubernetes.io/storage-provisioner"
_SOURCE = "pkg/controller/volume/persistentvolume/pv_controller.go"

RULES = (
    RuleText("VOLUME-AVAILABLE", gettext_noop("The volume belongs to no claim: it is Available."), f"{_SOURCE} syncVolume"),
    RuleText(
        "VOLUME-BOUND",
        gettext_noop(
            "The claim asks for {asked} and gets volume {volume} of {size}: the smallest that is large enough "
            "and matches its class and access modes."
        ),
        f"{_SOURCE} syncUnboundClaim, bind",
    ),
    RuleText(
        "VOLUME-MADE",
        gettext_noop("No volume exists for the claim, so the provisioner of class {storage_class} creates one."),
        f"{_SOURCE} provisionClaim",
    ),
    RuleText(
        "CLAIM-NO-CLASS",
        gettext_noop("No volume exists for the claim, and its StorageClass does not exist: it waits."),
        f"{_SOURCE} provisionClaim",
    ),
    RuleText(
        "CLAIM-NO-PROVISIONER",
        gettext_noop("No volume exists for the claim, and its StorageClass creates none: it waits until someone creates one."),
        f"{_SOURCE} findProvisionablePlugin",
    ),
    RuleText(
        "CLAIM-NO-VOLUME",
        gettext_noop("No volume exists for the claim, which does not name a class: it waits."),
        f"{_SOURCE} syncUnboundClaim",
    ),
    RuleText(
        "CLAIM-VOLUME-MISMATCH",
        gettext_noop("The claim names a volume that does not meet what it asks for: it waits, and takes no other."),
        f"{_SOURCE} checkVolumeSatisfyClaim",
    ),
    RuleText(
        "CLAIM-VOLUME-TAKEN",
        gettext_noop("The claim names a volume that is kept for another claim, perhaps for an earlier one of the same name: it waits."),
        f"{_SOURCE} syncUnboundClaim",
    ),
    RuleText(
        "CLAIM-WAITS-FOR-POD",
        gettext_noop("The claim’s class waits for the first consumer: a volume is chosen once the scheduler has chosen a node for a pod."),
        f"{_SOURCE} emitEventForUnboundDelayBindingClaim",
    ),
    RuleText(
        "VOLUME-RELEASED",
        gettext_noop("The volume’s claim is gone: it is Released, and will not be bound to another claim until its claimRef is removed."),
        f"{_SOURCE} syncVolume",
    ),
    RuleText(
        "VOLUME-DELETED",
        gettext_noop("The volume’s claim is gone, and its reclaim policy is Delete: it is deleted."),
        f"{_SOURCE} reclaimVolume",
    ),
    RuleText(
        "VOLUME-NOT-DELETED",
        gettext_noop(
            "The volume’s claim is gone and its reclaim policy is Delete, but it was not created by a "
            "provisioner and nothing else can delete it."
        ),
        f"{_SOURCE} deleteVolumeOperation",
    ),
)


def _claim_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    if not claim_facts(row).is_bound:
        fx.enqueue(QUEUE, ClaimSync(row.namespace, row.name))


def _claim_gone(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    fx.uncheck(ClaimSync(row.namespace, row.name))
    found = claim_facts(row)
    if found.volume:
        fx.enqueue(QUEUE, VolumeSync(found.volume))


def _volume_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    fx.enqueue(QUEUE, VolumeSync(row.name))


WATCHES = (
    Watch(QUEUE.name, CLAIM, ADDED | CHANGED, _claim_written),
    Watch(QUEUE.name, CLAIM, GONE, _claim_gone),
    Watch(QUEUE.name, VOLUME, ADDED | CHANGED | DELETING, _volume_written),
)


def claim_sync(fx: Effects, event: ClaimSync) -> None:
    """Sync a claim that is not bound."""
    row = fx.tables.objects.get((CLAIM, event.namespace, event.name))
    if row is None or claim_facts(row).is_bound or row.deletion_ms is not None:
        return
    found = claim_facts(row)
    if found.volume:
        volume = _named(fx, row, found.volume)
    else:
        volume = _chosen(fx, row, found)
        if volume is None:
            _have_made(fx, row, found)
    if volume is not None:
        _bind(fx, row, volume)
    # The cluster's own class provisions without delay, so the claim may already be bound.
    if claim_facts(fx.tables.objects[(CLAIM, row.namespace, row.name)]).is_bound:
        return
    due = next_beat(fx.now + 1, 0, fx.profile.volume_resync_ms)
    fx.check(due, Lane.CONTROLLER, event)


def _named(fx: Effects, row: ApiObject, name: str) -> ApiObject | None:
    """The volume that a claim names, if it may be bound to it; else None, with an Event that says why unless the volume does not exist."""
    held = fx.tables.objects.get((VOLUME, "", name))
    if held is None:
        return None
    found = volume_facts(held)
    if found.claim is not None:
        if not is_kept_for(found, row):
            _emit_taken(fx, row, held)
            return None
        return held
    problem = volume_mismatch(held, row)
    if problem:
        text = f'Cannot bind to requested volume "{name}": {problem}'
        emit_of_controller(fx, row, COMPONENT, severity="Warning", reason="VolumeMismatch", message=text, rule="CLAIM-VOLUME-MISMATCH")
        return None
    return held


def _emit_taken(fx: Effects, row: ApiObject, volume: ApiObject) -> None:
    """Report that the volume named by the claim belongs to another claim."""
    text = f'volume "{volume.name}" already bound to a different claim.'
    emit_of_controller(fx, row, COMPONENT, severity="Warning", reason="FailedBinding", message=text, rule="CLAIM-VOLUME-TAKEN")


def _chosen(fx: Effects, row: ApiObject, found: ClaimFacts) -> ApiObject | None:
    """The volume that fits best; with WaitForFirstConsumer only one reserved for the claim."""
    volume = best_volume(fx.tables, row)
    # A volume with a claimRef has been reserved by the scheduler for this claim; choosing a free one
    # is up to the scheduler.
    if volume is not None and waits_for_node(fx.tables, found) and volume_facts(volume).claim is None:
        return None
    return volume


def _have_made(fx: Effects, row: ApiObject, found: ClaimFacts) -> None:
    """No volume fits: have the class's provisioner create one, or report in an Event what the claim waits for."""
    # A provisioner is already at work; a resync must not ask it twice.
    if fx.tables.checks.get(ProvisionDone(row.namespace, row.name, row.uid)) is not None:
        return
    if waits_for_node(fx.tables, found) and not found.node:
        reason, text = _consumer(fx, row)
        emit_of_controller(fx, row, COMPONENT, reason=reason, message=text, rule="CLAIM-WAITS-FOR-POD")
    elif not found.class_name:
        text = "no persistent volumes available for this claim and no storage class is set"
        emit_of_controller(fx, row, COMPONENT, reason="FailedBinding", message=text, rule="CLAIM-NO-VOLUME")
    else:
        _provision(fx, row, found.class_name)


def _consumer(fx: Effects, row: ApiObject) -> tuple[str, str]:
    """Reason and message of the Event about a claim that waits for its first consumer: for a pod, or for pods to be scheduled."""
    names = [fx.tables.pods[key].name for key in fx.tables.pods_by_namespace.of(row.namespace) if _uses(fx, key, row.name)]
    if not names:
        return "WaitForFirstConsumer", "waiting for first consumer to be created before binding"
    return "WaitForPodScheduled", f"waiting for pod{'s' if len(names) > 1 else ''} {','.join(sorted(names))} to be scheduled"


def _uses(fx: Effects, key: str, claim: str) -> bool:
    pod = fx.tables.pods[key]
    return not pod.node and any((volume.persistent_volume_claim or {}).get("claimName") == claim for volume in pod.pod.spec.volumes)


def _provision(fx: Effects, row: ApiObject, name: str) -> None:
    """Ask the provisioner of a class for a volume."""
    found, data = class_named(fx.tables, name), (("storage_class", name),)
    if found is None:
        text = f'storageclass.storage.k8s.io "{name}" not found'
        _failed(fx, row, text, "CLAIM-NO-CLASS")
    elif found.provisioner == NO_PROVISIONER:
        _failed(fx, row, f"no volume plugin matched name: {NO_PROVISIONER}", "CLAIM-NO-PROVISIONER")
    elif found.is_ours:
        fx.cause = fx.note_step(row.subject, "provision", rule="VOLUME-MADE", data=data)
        _make(fx, row, found)
    else:
        fx.cause = fx.note_step(row.subject, "provision", rule="VOLUME-MADE", data=data)
        text = fx.profile.external_provisioning_text.format(provisioner=found.provisioner)
        emit_of_controller(fx, row, COMPONENT, reason="ExternalProvisioning", message=text, rule="VOLUME-MADE")
        text = f'External provisioner is provisioning volume for claim "{row.namespace}/{row.name}"'
        emit_of_controller(fx, row, found.provisioner, reason="Provisioning", message=text, rule="VOLUME-MADE")
        _annotate(fx, row, {_PROVISIONER: found.provisioner, **_newer(fx, found.provisioner)})
        fx.check(fx.now + fx.profile.volume_provision_ms, Lane.CONTROLLER, ProvisionDone(row.namespace, row.name, row.uid))


def _newer(fx: Effects, provisioner: str) -> dict[str, str]:
    return {"volume.kubernetes.io/storage-provisioner": provisioner} if fx.profile.provisioner_annotation else {}


def _failed(fx: Effects, row: ApiObject, text: str, rule: str) -> None:
    emit_of_controller(fx, row, COMPONENT, severity="Warning", reason="ProvisioningFailed", message=text, rule=rule)


def provision_done(fx: Effects, event: ProvisionDone) -> None:
    """A provisioner has finished: store the volume if the claim still wants it."""
    row = fx.tables.objects.get((CLAIM, event.namespace, event.name))
    if row is None or row.uid != event.uid or claim_facts(row).is_bound:
        return
    found = class_named(fx.tables, claim_facts(row).class_name or "")
    if found is not None:
        _make(fx, row, found)
        text = f"Successfully provisioned volume pvc-{row.uid}"
        emit_of_controller(fx, row, found.provisioner, reason="ProvisioningSucceeded", message=text, rule="VOLUME-MADE")


def _make(fx: Effects, row: ApiObject, found: ClassFacts) -> None:
    """Store the volume that a provisioner has created for a claim, reserved for it, and bind the two."""
    claim, name = claim_facts(row), f"pvc-{row.uid}"
    spec: Json = {
        "capacity": {"storage": claim.asked_text}, "accessModes": list(claim.modes), "claimRef": _reference(row),
        "persistentVolumeReclaimPolicy": found.reclaim, "storageClassName": found.name, "volumeMode": claim.mode,
        "csi": {"driver": found.provisioner, "volumeHandle": name},
    }  # fmt: skip
    if claim.node:
        expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [claim.node]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    metadata = {"name": name, "annotations": {PROVISIONED_BY: found.provisioner}}
    document = {"apiVersion": "v1", "kind": VOLUME, "metadata": metadata, "spec": spec}
    with fx.aside():
        volume = create_object(fx, document, "", applied="")
    _bind(fx, row, volume)


def _reference(row: ApiObject) -> Json:
    return {"apiVersion": "v1", "kind": CLAIM, "namespace": row.namespace, "name": row.name, "uid": row.uid}


def _bind(fx: Effects, row: ApiObject, volume: ApiObject) -> None:
    """Bind the two: the volume's claimRef is written first, then the claim's volumeName."""
    fx.uncheck(ClaimSync(row.namespace, row.name))
    found, claim = volume_facts(volume), claim_facts(row)
    data = (("asked", claim.asked_text), ("volume", volume.name), ("size", found.capacity.get("storage") or "0"))
    with fx.because(fx.note_step(row.subject, "bound", rule="VOLUME-BOUND", data=data)):
        document = decode(volume.document)
        document["spec"] = {**document["spec"], "claimRef": _reference(row)}
        document["status"] = {**(document.get("status") or {}), "phase": "Bound"}
        if found.claim is None:
            _add_annotations(document, {_BY_CONTROLLER: "yes"})
        with fx.aside():
            update_object(fx, volume, document)
        document = decode(row.document)
        named = {} if claim.volume else {_BY_CONTROLLER: "yes"}
        _add_annotations(document, {BIND_COMPLETED: "yes", **named})
        document["spec"] = {**document["spec"], "volumeName": volume.name}
        document["status"] = {"phase": "Bound", "accessModes": list(found.modes), "capacity": found.capacity}
        update_object(fx, row, document)


def _add_annotations(document: Json, added: dict[str, str]) -> None:
    metadata = document["metadata"]
    document["metadata"] = {**metadata, "annotations": {**(metadata.get("annotations") or {}), **added}}


def _annotate(fx: Effects, row: ApiObject, added: dict[str, str]) -> None:
    document = decode(row.document)
    _add_annotations(document, added)
    update_object(fx, row, document)


def volume_sync(fx: Effects, event: VolumeSync) -> None:
    """Set the phase of a volume by its claimRef, and reclaim it when the claim is gone."""
    row = fx.tables.objects.get((VOLUME, "", event.name))
    if row is None:
        return
    found = volume_facts(row)
    claim = fx.tables.objects.get((CLAIM, *found.claim[:2])) if found.claim is not None else None
    is_kept = claim is not None and is_kept_for(found, claim)
    # A claimRef without a uid reserves the volume for a claim that may not exist yet.
    if found.claim is None or (found.claim[2] == "" and claim is None):
        _in_phase(fx, row, "Available", "VOLUME-AVAILABLE")
    elif is_kept and claim is not None:
        if not claim_facts(claim).is_bound:
            fx.enqueue(QUEUE, ClaimSync(claim.namespace, claim.name))
    # Failed is final here: a deletion that no plugin supports is not retried.
    elif found.phase != "Failed":
        _reclaim(fx, row)
    if row.deletion_ms is not None and not is_kept:
        _unprotect(fx, row.name)


def _reclaim(fx: Effects, row: ApiObject) -> None:
    """The claim of a volume is gone."""
    found = volume_facts(row)
    row = _in_phase(fx, row, "Released", "VOLUME-RELEASED")
    if found.reclaim != "Delete" or row.deletion_ms is not None:
        return
    problem = "" if found.provisioner else _not_deletable(row)
    if problem:
        emit_of_controller(fx, row, COMPONENT, severity="Warning", reason="VolumeFailedDelete", message=problem, rule="VOLUME-NOT-DELETED")
        _in_phase(fx, row, "Failed", "VOLUME-NOT-DELETED")
        return
    fx.cause = fx.note_step(row.subject, "deleted", rule="VOLUME-DELETED", data=())
    delete_object(fx, row)


def _not_deletable(row: ApiObject) -> str:
    """Why no plugin can delete a volume without a provisioner; empty if one can."""
    path = ((decode(row.document).get("spec") or {}).get("hostPath") or {}).get("path")
    if path is None:
        return f'error getting deleter volume plugin for volume "{row.name}": no deletable volume plugin matched'
    return "" if re.match(r"/tmp/.+", path) else f"host_path deleter only supports /tmp/.+ but received provided {path}"


def _in_phase(fx: Effects, row: ApiObject, phase: str, rule: str) -> ApiObject:
    if volume_facts(row).phase == phase:
        return row
    document = decode(row.document)
    document["status"] = {**(document.get("status") or {}), "phase": phase}
    with fx.because(fx.note_step(row.subject, "phase", rule=rule, data=(("phase", phase),))):
        return update_object(fx, row, document)


def _unprotect(fx: Effects, name: str) -> None:
    """Let a volume that is being deleted and belongs to no claim go (pkg/controller/volume/pvprotection)."""
    row = fx.tables.objects.get((VOLUME, "", name))
    if row is None:
        return
    document = decode(row.document)
    kept = [item for item in document["metadata"].get("finalizers") or () if item != VOLUME_FINALIZER]
    document["metadata"] = {**document["metadata"], "finalizers": kept}
    update_object(fx, row, document)
