"""Object metadata as manifests write it. Source of every field: the Kubernetes v1 API reference."""

from typing import Any

from msgspec import Struct

_OMITTED = ("labels", "annotations", "finalizers", "ownerReferences")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which kubectl keeps what it applied last."""
MIRROR = "kubernetes.io/config.mirror"
"""The annotation by which the object in the API that shows a static pod is known."""


class OwnerReference(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Who owns an object; ``controller`` marks the managing owner."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class ObjectMeta(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Name, labels and bookkeeping of an object. Times are RFC 3339 texts where a manifest carries them."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    finalizers: tuple[str, ...] = ()
    owner_references: tuple[OwnerReference, ...] = ()
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages the object, of which there is at most one."""
        for owner in self.owner_references:
            if owner.controller:
                return owner
        return None

    @property
    def controller_kind(self) -> str:
        """The kind of the managing owner; empty where there is none. Most pods have none, so this is quick."""
        owner = self.controller if self.owner_references else None
        return owner.kind if owner is not None else ""


MANAGED = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
"""Metadata that the API server itself writes; what a client sends there is not stored."""


def without_managed(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the metadata that is the API server's own."""
    metadata = document.get("metadata") or {}
    if not any(key in metadata for key in (*MANAGED, "managedFields")):
        return document
    kept = {key: value for key, value in metadata.items() if key not in MANAGED and key != "managedFields"}
    return {**document, "metadata": kept}


def without_empty(metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata without lists and maps that hold nothing: Go leaves them out when it writes an object."""
    return {key: value for key, value in metadata.items() if key not in _OMITTED or value not in ({}, [], None)}
