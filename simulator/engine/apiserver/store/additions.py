"""What the API server itself writes into new objects of some kinds.

Source: pkg/registry/batch/job/strategy.go generateSelector;
plugin/pkg/admission/{nodetaint,storage/storageobjectinuseprotection}.
"""

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.facts import facts_of
from simulator.engine.world.storage import BETA_CLASS

CLAIM_FINALIZER = "kubernetes.io/pvc-protection"
VOLUME_FINALIZER = "kubernetes.io/pv-protection"
_PREFIX = "batch.kubernetes.io/"
_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


def with_selector(document: Json, *, name: str, uid: str, minor: int) -> Json:
    """A Job with the labels of its pods and the selector for them, unless it asks to choose its own."""
    spec = document.get("spec") or {}
    if spec.get("manualSelector"):
        return document
    own = {"controller-uid": uid, "job-name": name}
    prefixed = facts_of(minor).job_labels_prefixed
    # From the version that prefixes them both label sets are written; the selector uses the new
    # one.
    if prefixed:
        own = {**{f"{_PREFIX}{key}": value for key, value in own.items()}, **own}
    template = spec.get("template") or {}
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), **own}
    key = f"{_PREFIX}controller-uid" if prefixed else "controller-uid"
    whole = {**(document.get("metadata") or {})}
    whole["labels"] = whole.get("labels") or labels  # defaulted from the template's whenever the object is read
    return {
        **document,
        "metadata": whole,
        "spec": {**spec, "selector": {"matchLabels": {key: uid}}, "template": {**template, "metadata": {**metadata, "labels": labels}}},
    }


def not_ready(document: Json) -> Json:
    """A Node with the taint that it has until its kubelet reports Ready; no machine is behind an applied object here."""
    spec = document.get("spec") or {}
    taints = spec.get("taints") or []
    held = any(item.get("key") == _NOT_READY["key"] and item.get("effect") == _NOT_READY["effect"] for item in taints)
    return document if held else {**document, "spec": {**spec, "taints": [*taints, _NOT_READY]}}


def protected(document: Json) -> Json:
    """A new claim with the finalizer that keeps it while it is in use."""
    metadata = document.get("metadata") or {}
    held = metadata.get("finalizers") or []
    return {**document, "metadata": {**metadata, "finalizers": held if CLAIM_FINALIZER in held else [*held, CLAIM_FINALIZER]}}


def protected_volume(document: Json) -> Json:
    """A new volume with the finalizer that keeps it while a claim has it; nothing has processed it yet."""
    metadata = document.get("metadata") or {}
    held = metadata.get("finalizers") or []
    kept = held if VOLUME_FINALIZER in held else [*held, VOLUME_FINALIZER]
    return {**document, "metadata": {**metadata, "finalizers": kept}, "status": {"phase": "Pending", **(document.get("status") or {})}}


def with_class(document: Json, name: str) -> Json:
    """A new claim, with the default class if it names none (plugin/pkg/admission/storage/storageclass/setdefault)."""
    spec, annotations = document.get("spec") or {}, (document.get("metadata") or {}).get("annotations") or {}
    if spec.get("storageClassName") is not None or BETA_CLASS in annotations or not name:
        return document
    return {**document, "spec": {**spec, "storageClassName": name}}
