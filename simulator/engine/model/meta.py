"""Object metadata as written in manifests. Source of every field: the Kubernetes v1 API reference."""

from typing import Any

from msgspec import Struct

_OMITTED = ("labels", "annotations", "finalizers", "ownerReferences")
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which kubectl keeps the last applied configuration."""
MIRROR = "kubernetes.io/config.mirror"
"""The annotation that identifies the mirror of a static pod in the API."""


class OwnerReference(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """An owner of an object; ``controller`` marks the managing owner."""

    kind: str
    name: str
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class ObjectMeta(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Name, labels and bookkeeping of an object. Times are RFC 3339 strings, as in a manifest."""

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
        """The kind of the managing owner; empty if there is none, as for most pods, which is fast."""
        owner = self.controller if self.owner_references else None
        return owner.kind if owner is not None else ""


MANAGED = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
"""Metadata that the API server itself writes; values sent by a client are not stored."""


def without_managed(document: dict[str, Any]) -> dict[str, Any]:
    """The document without the metadata that the API server writes."""
    metadata = document.get("metadata") or {}
    if not any(key in metadata for key in (*MANAGED, "managedFields")):
        return document
    kept = {key: value for key, value in metadata.items() if key not in MANAGED and key != "managedFields"}
    return {**document, "metadata": kept}


def without_empty(metadata: dict[str, Any]) -> dict[str, Any]:
    """The metadata without empty lists and maps: Go omits them when it writes an object."""
    return {key: value for key, value in metadata.items() if key not in _OMITTED or value not in ({}, [], None)}
