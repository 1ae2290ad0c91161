"""Claims that pods use stay until these pods are gone, also those that have ended.

Source: plugin/pkg/admission/storage/storageobjectinuseprotection; pkg/controller/volume/pvcprotection.
"""

from typing import Any

from simulator.engine.effects import Effects
from simulator.engine.events import ClaimSweep
from simulator.engine.queue import Lane
from simulator.engine.rows import PodRow
from simulator.engine.units import Key

KIND = "PersistentVolumeClaim"
FINALIZER = "kubernetes.io/pvc-protection"


def protected(document: dict[str, Any]) -> dict[str, Any]:
    """A new claim with the finalizer that keeps it while it is in use."""
    metadata = document.get("metadata") or {}
    held = metadata.get("finalizers") or []
    return {**document, "metadata": {**metadata, "finalizers": held if FINALIZER in held else [*held, FINALIZER]}}


def unprotected(document: dict[str, Any]) -> dict[str, Any]:
    """The claim without it."""
    metadata = dict(document.get("metadata") or {})
    metadata["finalizers"] = [name for name in metadata.get("finalizers") or () if name != FINALIZER]
    return {**document, "metadata": metadata}


def await_unused(fx: Effects, namespace: str, name: str) -> None:
    """Let the protection controller look at the claim if it is being deleted."""
    held = fx.tables.objects.get((KIND, namespace, name))
    if held is not None and held.deletion_ms is not None:
        fx.schedule(fx.now + fx.profile.watch_ms, Lane.CONTROLLER, ClaimSweep(namespace, name))


def claims_left(fx: Effects, row: PodRow) -> None:
    """A pod is gone: the claims that it used may go now."""
    for name in _claims(row):
        await_unused(fx, row.namespace, name)


def users_of(fx: Effects, namespace: str, name: str) -> list[Key]:
    """The pods with a node that name the claim. O(pods)."""
    rows = (row for row in fx.tables.pods.values() if row.gone_ms is None and row.node and row.namespace == namespace)
    return [row.key for row in rows if name in _claims(row)]


def _claims(row: PodRow) -> list[str]:
    sources = (volume.persistent_volume_claim for volume in row.pod.spec.volumes)
    return [str(source.get("claimName")) for source in sources if source is not None]
