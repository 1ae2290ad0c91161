"""Changing a stored pod: what the API server lets through, and what the change sets going.

Source: pkg/apis/core/validation ValidatePodUpdate.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.api.manifest import default_pod, pod_from_document
from simulator.engine.api.patch import BadPatch, json_patch, merge_patch, strategic_patch
from simulator.engine.api.pod import Pod, PodSpec
from simulator.engine.api.status import PodCondition, PodStatus
from simulator.engine.controllers.api_server import remove_pod
from simulator.engine.controllers.facets import Draft, publish
from simulator.engine.controllers.requeue import UPDATE
from simulator.engine.effects import Effects
from simulator.engine.errors import BadManifest
from simulator.engine.events import KubeletSees, SchedulePod
from simulator.engine.queue import Lane
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop

FORBIDDEN = (
    "pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, "
    "`spec.activeDeadlineSeconds` or `spec.tolerations` (only additions to existing tolerations)"
)

RULES = (
    RuleText(
        "POD-UPDATED",
        gettext_noop("The API server stored the change; of a pod's spec only images, the deadline, tolerations and gates may change."),
        "pkg/apis/core/validation ValidatePodUpdate",
    ),
    RuleText(
        "STATUS-PATCHED",
        gettext_noop("A controller outside wrote this condition; the kubelet keeps conditions that are not its own."),
        "pkg/kubelet/status/status_manager.go mergePodStatus",
    ),
    RuleText(
        "FINALIZERS-GONE",
        gettext_noop("The last finalizer was removed from a pod that is being deleted, so the object goes."),
        "registry/generic/registry/store.go",
    ),
)


class Rejected(Exception):
    """The API server does not accept the change; the text is its message."""


def patched(document: Any, patch: str, kind: str) -> Any:
    """The document with a patch applied. Raises Rejected."""
    try:
        body = json.loads(patch)
        if kind == "json":
            return json_patch(document, body)
        return merge_patch(document, body) if kind == "merge" else strategic_patch(document, body)
    except (BadPatch, ValueError) as error:
        raise Rejected(str(error)) from None


def check_update(old: Pod, document: dict[str, Any], namespace: str) -> Pod:
    """The changed pod, if the API server would let it through. Raises Rejected."""
    try:
        new = default_pod(pod_from_document(document, namespace=namespace))
    except BadManifest as error:
        raise Rejected(str(error)) from None
    if len(new.spec.containers) != len(old.spec.containers) or len(new.spec.init_containers) != len(old.spec.init_containers):
        raise Rejected("spec.containers: Forbidden: pod updates may not add or remove containers")
    deadline = new.spec.active_deadline_seconds
    before = old.spec.active_deadline_seconds
    if before is not None and (deadline is None or deadline > before):
        raise Rejected("spec.activeDeadlineSeconds: Invalid value: must be less than or equal to previous value")
    if new.spec.tolerations[: len(old.spec.tolerations)] != old.spec.tolerations:
        raise Rejected(f"spec: Forbidden: {FORBIDDEN}")
    if _comparable(new.spec, old.spec) != old.spec:
        raise Rejected(f"spec: Forbidden: {FORBIDDEN}")
    return replace(new, spec=_shared(new.spec, old.spec))


def resized_spec(old: Pod, document: dict[str, Any], namespace: str) -> PodSpec:
    """The spec of a document that was sent to the resize subresource: only resources may differ. Raises Rejected."""
    try:
        new = default_pod(pod_from_document(document, namespace=namespace)).spec
    except BadManifest as error:
        raise Rejected(str(error)) from None
    lists = ((old.spec.containers, new.containers), (old.spec.init_containers, new.init_containers))
    if any(
        len(before) != len(after) or any(a != replace(b, resources=a.resources) for a, b in zip(before, after, strict=True))
        for before, after in lists
    ):
        raise Rejected("spec: Forbidden: only cpu and memory resources are mutable")
    return replace(
        old.spec,
        containers=tuple(a if a == b else b for a, b in zip(old.spec.containers, new.containers, strict=True)),
        init_containers=tuple(a if a == b else b for a, b in zip(old.spec.init_containers, new.init_containers, strict=True)),
    )


def _comparable(new: PodSpec, old: PodSpec) -> PodSpec:
    """``new`` with everything that may change set back."""
    gates = tuple(gate for gate in old.scheduling_gates if gate in new.scheduling_gates)
    return replace(
        new,
        containers=tuple(replace(a, image=b.image) for a, b in zip(new.containers, old.containers, strict=True)),
        init_containers=tuple(replace(a, image=b.image) for a, b in zip(new.init_containers, old.init_containers, strict=True)),
        active_deadline_seconds=old.active_deadline_seconds,
        tolerations=old.tolerations,
        scheduling_gates=old.scheduling_gates if gates == new.scheduling_gates else new.scheduling_gates,
    )


def _shared(new: PodSpec, old: PodSpec) -> PodSpec:
    """``new`` with the container objects of ``old`` where they are equal, so that "unchanged" is cheap to see."""
    known = {item.name: item for item in (*old.containers, *old.init_containers, *old.ephemeral_containers)}

    def same(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(known[item.name] if known.get(item.name) == item else item for item in items)

    return replace(
        new, containers=same(new.containers), init_containers=same(new.init_containers), ephemeral_containers=same(new.ephemeral_containers)
    )


def update_pod(fx: Effects, row: PodRow, document: dict[str, Any], pod: Pod, *, rule: str = "POD-UPDATED") -> None:
    """Store a changed pod; kubelet or scheduler see it."""
    spec_changed = pod.spec != row.pod.spec
    changed = replace(
        row, pod=pod, document=json.dumps(document, ensure_ascii=False), generation=row.generation + 1 if spec_changed else row.generation
    )
    fx.cause = fx.record(
        subject=row.subject, machine="object", source="present", trigger="updated", target="present", rule=rule,
        data=(("generation", changed.generation),),
    )  # fmt: skip
    changed = fx.save_pod(changed)
    if row.deletion_ms is not None and not row.grace_s and not pod.metadata.finalizers:
        remove_pod(fx, row.key, rule="FINALIZERS-GONE")
    elif row.node:
        fx.schedule(fx.now + fx.profile.watch_ms, Lane.KUBELET, KubeletSees(row.key))
    elif spec_changed:
        fx.schedule(fx.now + fx.profile.api_to_scheduler_ms, Lane.CONTROLLER, SchedulePod(row.key, UPDATE))


def conditions_document(status: PodStatus) -> dict[str, Any]:
    """The conditions as a document that a patch of the status subresource applies to."""
    return {
        "status": {
            "conditions": [
                {"type": item.type, "status": item.status, "reason": item.reason, "message": item.message} for item in status.conditions
            ]
        }
    }


def patch_conditions(fx: Effects, row: PodRow, document: dict[str, Any]) -> None:
    """Store the conditions of a patched status; the kubelet recomputes Ready where a readiness gate is concerned."""
    items = document["status"].get("conditions") or []
    conditions = tuple(
        PodCondition(type=item["type"], status=item["status"], reason=item.get("reason") or "", message=item.get("message") or "")
        for item in items
    )
    status = replace(row.status, conditions=conditions)
    publish(fx, row, status, rule="STATUS-PATCHED", draft=Draft(status, {item.type: "STATUS-PATCHED" for item in conditions}))
    if row.node:
        fx.schedule(fx.now + fx.profile.watch_ms, Lane.KUBELET, KubeletSees(row.key))
