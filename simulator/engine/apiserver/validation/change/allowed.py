"""What may differ in a pod's spec after an update: every allowed change is undone, and the rest must be as it was.

Source: pkg/apis/core/validation ValidatePodUpdate, the munging before its last comparison.
"""

from collections.abc import Callable
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import Fields, fields, number
from simulator.engine.versions.span import Span

Munge = Callable[[Fields, Fields], Fields]
"""From (new spec, old spec) to the new spec with one allowed change undone."""


class Allowance(Span, frozen=True, kw_only=True):
    """A change that some versions allow."""

    undo: Munge


def with_allowed_undone(old: Fields, new: Fields, *, minor: int) -> Fields:
    """The new spec with everything that may change put back as it was. The containers of both correspond. Cost: O(spec)."""
    for allowance in ALLOWANCES:
        if allowance.holds_for(minor):
            new = allowance.undo(new, old)
    return new


def put(spec: Fields, key: str, source: Fields) -> Fields:
    """The spec with one field as in the source, or without it if the source has none."""
    rest: dict[str, Any] = {name: value for name, value in spec.items() if name != key}
    return {**rest, key: source[key]} if key in source else rest


def _field(key: str) -> Munge:
    return lambda new, old: put(new, key, old)


def _images(group: str) -> Munge:
    def undo(new: Fields, old: Fields) -> Fields:
        if not new.get(group):
            return new
        pairs = zip(new[group], old[group], strict=True)
        return {**new, group: [put(after, "image", before) for after, before in pairs]}

    return undo


def _grace(new: Fields, old: Fields) -> Fields:
    before = number(old, "terminationGracePeriodSeconds")
    # A negative grace period stored by an older server may be set to 1, and only to 1.
    if before is not None and before < 0 and number(new, "terminationGracePeriodSeconds") == 1:
        return put(new, "terminationGracePeriodSeconds", old)
    return new


def _gated_selector(new: Fields, old: Fields) -> Fields:
    return put(new, "nodeSelector", old) if old.get("schedulingGates") else new


def _gated_affinity(new: Fields, old: Fields) -> Fields:
    if not old.get("schedulingGates"):
        return new
    affinity = put(fields(new, "affinity"), "nodeAffinity", fields(old, "affinity"))
    if affinity or "affinity" in old:
        return {**new, "affinity": affinity}
    # An affinity that is empty after undoing counts as none, as upstream sets it to nil.
    return put(new, "affinity", {})


ALLOWANCES = (
    Allowance(undo=_images("containers")),
    Allowance(undo=_images("initContainers")),
    Allowance(undo=_field("activeDeadlineSeconds")),
    Allowance(undo=_field("tolerations")),
    Allowance(undo=_field("schedulingGates"), since=26),
    Allowance(undo=_grace, since=22),
    Allowance(undo=_gated_selector, since=27),
    Allowance(undo=_gated_affinity, since=27),
)
