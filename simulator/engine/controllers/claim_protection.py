"""PVC protection: a claim in use is not removed before the last pod that uses it is gone.

Admission gives every claim the finalizer ``kubernetes.io/pvc-protection``. A DELETE therefore only
marks the claim, and this controller decides when the finalizer may go: when no pod that has been
scheduled names the claim. It acts at two moments, when a claim is marked and when a pod is removed.

A pod counts until its object is gone, even when it has succeeded or failed. A pod without a node
does not count: the scheduler refuses it as long as a claim of it is being deleted
(``scheduler/placement.py``), so it cannot come to use one.

Claims that are not being deleted are left alone whatever happens to their pods.

Source: plugin/pkg/admission/storage/storageobjectinuseprotection;
pkg/controller/volume/pvcprotection.
"""

import json
from typing import Any

from simulator.engine.apiserver.store.additions import CLAIM_FINALIZER
from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.kernel.units import Key
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ClaimSweep
from simulator.engine.world.lookups import pods_in
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import DELETING, GONE, Queue, Watch
from simulator.engine.world.world import ApiObject

KIND = "PersistentVolumeClaim"
QUEUE = Queue("pvc-protection-controller", Lane.CONTROLLER, "watch_ms")


def _unprotected(document: dict[str, Any]) -> dict[str, Any]:
    """The claim without the finalizer that keeps it while it is in use."""
    metadata = dict(document.get("metadata") or {})
    metadata["finalizers"] = [name for name in metadata.get("finalizers") or () if name != CLAIM_FINALIZER]
    return {**document, "metadata": metadata}


def _claim_deleted(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    """A claim was marked for deletion: check whether a pod still uses it."""
    if row.deletion_ms is not None:
        fx.enqueue(QUEUE, ClaimSweep(row.namespace, row.name))


def _pod_gone(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """Check the claims that the pod used, as far as they are being deleted."""
    for name in _claims(row):
        held = fx.tables.objects.get((KIND, row.namespace, name))
        if held is not None:
            _claim_deleted(fx, held, held)


WATCHES = (
    Watch("pvc-protection-controller", KIND, DELETING, _claim_deleted),
    Watch("pvc-protection-controller", "Pod", GONE, _pod_gone),
)


def claim_sweep(fx: Effects, event: ClaimSweep) -> None:
    """Remove the controller's finalizer from a claim that no pod uses any more."""
    held = fx.tables.objects.get((KIND, event.namespace, event.name))
    if held is not None and held.deletion_ms is not None and not users_of(fx, event.namespace, event.name):
        update_object(fx, held, _unprotected(json.loads(held.document)))


def users_of(fx: Effects, namespace: str, name: str) -> list[Key]:
    """The pods with a node that name the claim."""
    return [row.key for row in pods_in(fx.tables, namespace) if row.node and name in _claims(row)]


def _claims(row: PodRow) -> list[str]:
    sources = (volume.persistent_volume_claim for volume in row.pod.spec.volumes)
    return [str(source.get("claimName")) for source in sources if source is not None]
