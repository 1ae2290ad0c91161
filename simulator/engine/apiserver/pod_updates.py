"""Changing a stored pod: what the API server allows, and what the change sets in motion.

Source: pkg/apis/core/validation ValidatePodUpdate.
"""

import json
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.pods import remove_pod
from simulator.engine.apiserver.publish import Draft, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import SECOND, Ms, whole_second
from simulator.engine.machines.object import OBJECT, in_state, pod_state
from simulator.engine.model.pod import Pod, PodSpec
from simulator.engine.model.status import PodCondition, PodStatus
from simulator.engine.model.times import parse_time
from simulator.engine.policies.resize_rules import resources_by_name
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText(
        "POD-UPDATED",
        gettext_noop("The API server stored the change; in a pod’s spec only images, the deadline, tolerations and gates can change."),
        "pkg/apis/core/validation ValidatePodUpdate",
    ),
    RuleText(
        "STATUS-PATCHED",
        gettext_noop("An external controller wrote this condition; the kubelet keeps conditions that are not its own."),
        "pkg/kubelet/status/status_manager.go mergePodStatus",
    ),
    RuleText(
        "FINALIZERS-GONE",
        gettext_noop("The last finalizer was removed from a pod that is being deleted, so the object is removed."),
        "registry/generic/registry/store.go",
    ),
)


def shared(new: PodSpec, old: PodSpec) -> PodSpec:
    """``new`` with the container objects of ``old`` where they are equal, so that "unchanged" is cheap to detect."""
    known = {item.name: item for item in (*old.containers, *old.init_containers, *old.ephemeral_containers)}

    def same(items: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(known[item.name] if known.get(item.name) == item else item for item in items)

    return replace(
        new, containers=same(new.containers), init_containers=same(new.init_containers), ephemeral_containers=same(new.ephemeral_containers)
    )


def update_pod(
    fx: Effects, row: PodRow, document: dict[str, Any], pod: Pod, *, grown: bool | None = None, rule: str = "POD-UPDATED"
) -> None:
    """Store a changed pod and notify the kubelet or scheduler. An equal one changes nothing and writes no record.

    ``grown``: whether the spec counts as changed, when the typed parts alone do not show it.
    """
    held = fx.tables.pods[row.key]
    if pod == held.pod and document == json.loads(held.document):
        if row is not held:
            fx.save_pod(replace(held, applied=row.applied))
        return
    spec_changed = pod.spec != row.pod.spec if grown is None else grown
    changed = replace(
        row,
        pod=pod,
        document=json.dumps(document, ensure_ascii=False),
        generation=row.generation + 1 if spec_changed else row.generation,
        status=with_allocation(fx, row, pod.spec) if spec_changed else row.status,
    )
    step, fx.cause = fx.fire(OBJECT, row.subject, pod_state(row), "updated", rule, data=(("generation", changed.generation),))
    changed = fx.save_pod(in_state(changed, step.target, fx.now) if step is not None else changed)
    # The registry deletes on the update that removes the last finalizer, if the grace period is
    # over.
    if row.deletion_ms is not None and not row.grace_s and not pod.metadata.finalizers:
        remove_pod(fx, row.key, rule="FINALIZERS-GONE")


def with_allocation(fx: Effects, row: PodRow, spec: PodSpec) -> PodStatus:
    """The status for a new spec: if that asks for other resources, the status states those the kubelet allocated to its containers.

    The kubelet has reported them all along; they are stored only now that the spec differs.
    """
    before = resources_by_name(row.pod.spec)
    if not fx.profile.in_place_resize or not row.status.containers or row.status.allocated or resources_by_name(spec) == before:
        return row.status
    return replace(row.status, allocated=before)


def patch_status(fx: Effects, row: PodRow, status: dict[str, Any]) -> None:
    """Store a status that an outside client wrote; the kubelet continues from there and overwrites what is its own."""
    epoch_ms = fx.world.header.epoch_s * SECOND
    conditions = tuple(_sent(item, epoch_ms) for item in status.get("conditions") or ())
    texts = {name: str(status.get(key) or "") for name, key in _TEXTS}
    changed = replace(row.status, conditions=_known(row, conditions), **texts)
    if changed == row.status:
        return
    rules = {item.type: "STATUS-PATCHED" for item in conditions}
    row = publish(fx, row, changed, rule="STATUS-PATCHED", draft=Draft(changed, {**rules, "phase": "STATUS-PATCHED"}, is_sent=True))


_TEXTS = (("phase", "phase"), ("reason", "reason"), ("message", "message"), ("nominated_node", "nominatedNodeName"))


def _sent(item: dict[str, Any], epoch_ms: Ms) -> PodCondition:
    """A condition as a client sent it; a time that it left out stays unknown. Source: the status strategy, which fills in nothing."""

    def moment(key: str) -> Ms | None:
        return None if item.get(key) is None else whole_second(parse_time(item[key]) - epoch_ms)

    return PodCondition(
        type=item["type"],
        status=item.get("status") or "",
        reason=item.get("reason") or "",
        message=item.get("message") or "",
        transition_ms=moment("lastTransitionTime"),
        probe_ms=moment("lastProbeTime"),
    )


def _known(row: PodRow, conditions: tuple[PodCondition, ...]) -> tuple[PodCondition, ...]:
    """The conditions; those that equal the shown ones are kept with everything else that is known of them."""
    found = []
    for item in conditions:
        old = row.status.condition(item.type)
        found.append(old if old is not None and _shown(old) == _shown(item) else item)
    return tuple(found)


def _shown(item: PodCondition) -> PodCondition:
    """A condition as a client sees it: its time in whole seconds, and without a generation that only the view adds."""
    moment = item.transition_ms
    return replace(item, transition_ms=None if moment is None else whole_second(moment), observed_generation=None)
