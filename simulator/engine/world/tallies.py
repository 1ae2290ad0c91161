"""Counts of the pods that a ReplicaSet manages, updated on every write so that its controller need not look at each of them.

Updating them for one pod costs the same however many siblings it has. Pods of other controllers are not counted.
"""

from msgspec import Struct

from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import PodRow

COUNTED = "ReplicaSet"
LabelSet = tuple[tuple[str, str], ...]


class PodTally(Struct, frozen=True, gc=False):
    """How many pods of one owner are active (neither finished nor being deleted), how many of these are ready, and how many are
    terminating; ``labels`` are the label sets among the active ones, with their counts."""

    active: int = 0
    ready: int = 0
    terminating: int = 0
    labels: tuple[tuple[LabelSet, int], ...] = ()


EMPTY = PodTally()


def tally_pod(tallies: dict[str, PodTally], old: PodRow | None, row: PodRow) -> None:
    """Update the tallies for a pod that was stored (no ``old``) or changed, which includes being removed or changing its owner."""
    # Nearly every write of a pod changes none of this: the same metadata, and a status that counts as the previous one did.
    if old is not None and old.pod.metadata is row.pod.metadata and _counted_state(old) == _counted_state(row):
        return
    before, after = _share(old) if old is not None else None, _share(row)
    if before == after:
        return
    for share, sign in ((before, -1), (after, 1)):
        if share is not None:
            tallies[share[0]] = _plus(tallies.get(share[0], EMPTY), share, sign)


def _counted_state(row: PodRow) -> tuple[bool, bool, bool, bool]:
    """What of a pod, besides its metadata, decides its share."""
    status, is_ready = row.status, False
    for item in status.conditions:
        if item.type == "Ready":
            is_ready = item.status == "True"
            break
    return row.gone_ms is None, row.deletion_ms is None, status.phase in TERMINAL_PHASES, is_ready


_Share = tuple[str, bool, bool, bool, LabelSet]


def _share(row: PodRow) -> _Share | None:
    """What the pod adds to its owner's counts; None if nothing."""
    owner = row.pod.metadata.controller if row.pod.metadata.owner_references else None
    if owner is None or owner.kind != COUNTED or row.gone_ms is not None:
        return None
    status = row.status
    if row.deletion_ms is not None or status.phase in TERMINAL_PHASES:
        return owner.uid, False, False, row.deletion_ms is not None and status.phase not in TERMINAL_PHASES, ()
    ready = status.condition("Ready")
    return owner.uid, True, ready is not None and ready.status == "True", False, tuple(row.pod.metadata.labels.items())


def _plus(tally: PodTally, share: _Share, sign: int) -> PodTally:
    _, active, ready, terminating, labels = share
    return PodTally(
        active=tally.active + sign * active,
        ready=tally.ready + sign * ready,
        terminating=tally.terminating + sign * terminating,
        labels=_with(tally.labels, labels, sign) if active else tally.labels,
    )


def _with(held: tuple[tuple[LabelSet, int], ...], labels: LabelSet, sign: int) -> tuple[tuple[LabelSet, int], ...]:
    for place, (known, count) in enumerate(held):
        if known == labels:
            changed = ((known, count + sign),) if count + sign else ()
            return (*held[:place], *changed, *held[place + 1 :])
    return (*held, (labels, sign))
