"""Which pods a controller deletes first when it has too many.

The order prefers what costs least: pods not yet on a node, then Pending before Running, not ready
before ready, a lower pod-deletion-cost, more pods of the same owner on the node, ready for a
shorter time, more restarts, younger. The first difference decides.

Times are compared by magnitude (``logarithmic_scale_down``): ages with the same whole binary
logarithm count as equal, and then the uid decides, which is as good as random. Otherwise scaling
down would always remove the newest pods.

Source: pkg/controller/controller_utils.go ActivePodsWithRanks.Less.
"""

from collections.abc import Callable
from functools import cmp_to_key

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.model.whole import clamped
from simulator.engine.versions import Profile
from simulator.engine.world.rows import PodRow

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_NANOS = 1_000_000
_SOURCE = "pkg/controller/controller_utils.go ActivePodsWithRanks.Less"

RULES = (
    RuleText(
        "RANK-UNASSIGNED", gettext_noop("When there are too many pods, those without a node are deleted first; {over} stays."), _SOURCE
    ),
    RuleText(
        "RANK-PHASE", gettext_noop("When there are too many pods, Pending ones are deleted before Running ones; {over} stays."), _SOURCE
    ),
    RuleText(
        "RANK-READY",
        gettext_noop("When there are too many pods, those that are not ready are deleted before ready ones; {over} stays."),
        _SOURCE,
    ),
    RuleText(
        "RANK-COST",
        gettext_noop(
            "When there are too many pods, those with a lower controller.kubernetes.io/pod-deletion-cost are deleted first; {over} stays."
        ),
        _SOURCE,
        "1.21",
    ),
    RuleText(
        "RANK-DOUBLED",
        gettext_noop("When there are too many pods, those on nodes with more pods of the same owner are deleted first; {over} stays."),
        "pkg/controller/replicaset/replica_set.go getPodsRankedByRelatedPodsOnSameNode",
    ),
    RuleText(
        "RANK-READY-TIME",
        gettext_noop("When there are too many pods, those that became ready later are deleted first; {over} stays."),
        _SOURCE,
    ),
    RuleText(
        "RANK-RESTARTS",
        gettext_noop("When there are too many pods, those with more restarts are deleted first; {over} stays."),
        _SOURCE,
    ),
    RuleText("RANK-AGE", gettext_noop("When there are too many pods, newer ones are deleted first; {over} stays."), _SOURCE),
    RuleText(
        "RANK-UID",
        gettext_noop("Of pods of about the same age, the one with the smaller UID is deleted first; {over} stays."),
        _SOURCE,
    ),
    RuleText("RANK-EQUAL", gettext_noop("Nothing distinguishes the pods, so the order of their creation decides; {over} stays."), _SOURCE),
)


class Ranked(Struct, frozen=True, kw_only=True):
    """A pod as the ranking sees it. ``rank`` counts pods of the same owner on its node; moments are ms, None if there is none.

    ``restarts``: the most restarts of an ordinary container, and of a sidecar.
    """

    name: str
    uid: str = ""
    node: str = ""
    phase: str = "Running"
    is_ready: bool = False
    cost: int = 0
    rank: int = 0
    ready_since_ms: Ms | None = None
    restarts: tuple[int, int] = (0, 0)
    created_ms: Ms | None = None


def ranked(row: PodRow, rank: int) -> Ranked:
    """A pod of a run as the ranking sees it."""
    ready = row.status.condition("Ready")
    return Ranked(
        name=row.name, uid=row.uid, node=row.node, phase=row.status.phase, is_ready=ready is not None and ready.status == "True",
        cost=deletion_cost(row.pod.metadata.annotations), rank=rank, ready_since_ms=ready.transition_ms if ready is not None else None,
        restarts=_restarts(row), created_ms=row.created_ms,
    )  # fmt: skip


def _restarts(row: PodRow) -> tuple[int, int]:
    containers = max((item.restart_count for item in row.status.containers), default=0)
    sidecars = {item.name for item in row.pod.spec.init_containers if item.restart_policy == "Always"}
    return containers, max((item.restart_count for item in row.status.init_containers if item.name in sidecars), default=0)


def deletion_cost(annotations: dict[str, str]) -> int:
    """The cost in a pod's annotation, a 32-bit number; 0 if there is none or it cannot be parsed."""
    written = annotations.get(DELETION_COST, "")
    digits = written.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal() or (len(digits) > 1 and digits.startswith("0")):
        return 0
    value = -clamped(digits) if written.startswith("-") else clamped(digits)
    return value if -(2**31) <= value < 2**31 else 0


def decides(one: Ranked, other: Ranked, now_ms: Ms, profile: Profile) -> tuple[int, str]:
    """Below 0 if ``one`` is deleted first, above if the other is, and the rule that decided; 0 if none does."""
    for rule, first in _RULES:
        if rule == "RANK-COST" and not profile.pod_deletion_cost:
            continue
        found = first(one, other, now_ms, profile)
        if found:
            return found, "RANK-UID" if abs(found) > 1 else rule
    return 0, "RANK-EQUAL"


def in_order_of_deletion(pods: list[Ranked], now_ms: Ms, profile: Profile, *, first: int | None = None) -> list[Ranked]:
    """The pods in order of deletion; with ``first`` at least that many of them.

    The rules that count divide the pods into few classes, so moments are compared within a class only, and only for the classes needed.
    """
    classes: dict[tuple[int, ...], list[Ranked]] = {}
    for pod in pods:
        cost = pod.cost if profile.pod_deletion_cost else 0
        # False and small numbers sort first, which is deleted first; a high rank is deleted early,
        # hence the minus.
        classes.setdefault((bool(pod.node), _PHASES.get(pod.phase, 0), pod.is_ready, cost, -pod.rank), []).append(pod)
    found: list[Ranked] = []
    for key in sorted(classes):
        found += _by_moments(classes[key], now_ms, profile)
        if first is not None and len(found) >= first:
            break
    return found


def _by_moments(pods: list[Ranked], now_ms: Ms, profile: Profile) -> list[Ranked]:
    def compared(one: Ranked, other: Ranked) -> int:
        return next((found for _, first in _FINE if (found := first(one, other, now_ms, profile))), 0)

    return sorted(pods, key=cmp_to_key(compared)) if len(pods) > 1 else pods


def _compared(one: int, other: int) -> int:
    return (one > other) - (one < other)


def _by_ready_time(one: Ranked, other: Ranked, now_ms: Ms, profile: Profile) -> int:
    if not (one.is_ready and other.is_ready):
        return 0
    return _later_first(one, other, (one.ready_since_ms, other.ready_since_ms), now_ms, profile)


def _by_age(one: Ranked, other: Ranked, now_ms: Ms, profile: Profile) -> int:
    return _later_first(one, other, (one.created_ms, other.created_ms), now_ms, profile)


def _later_first(one: Ranked, other: Ranked, moments: tuple[Ms | None, Ms | None], now_ms: Ms, profile: Profile) -> int:
    """The later moment first, none before any; with logarithmic scale-down moments of the same magnitude are equal and uids decide (±2)."""
    first, second = moments
    if first == second:
        return 0
    if not profile.logarithmic_scale_down or first is None or second is None:
        return -1 if first is None or (second is not None and first > second) else 1
    mine, its = (_magnitude(now_ms - moment) for moment in (first, second))
    if mine == its:
        return 2 * _compared_text(one.uid, other.uid)
    return -1 if mine < its else 1


def _magnitude(age_ms: Ms) -> int:
    """The whole binary logarithm of an age in nanoseconds; -1 for none (logarithmicRankDiff)."""
    # bit_length - 1 is the floor of the binary logarithm, without a float.
    return max(0, age_ms * _NANOS).bit_length() - 1


def _compared_text(one: str, other: str) -> int:
    return (one > other) - (one < other)


_Step = Callable[[Ranked, Ranked, Ms, Profile], int]
_RULES: tuple[tuple[str, _Step], ...] = (
    ("RANK-UNASSIGNED", lambda one, other, now, profile: _compared(bool(one.node), bool(other.node)) if one.node != other.node else 0),
    ("RANK-PHASE", lambda one, other, now, profile: _compared(_PHASES.get(one.phase, 0), _PHASES.get(other.phase, 0))),
    ("RANK-READY", lambda one, other, now, profile: _compared(one.is_ready, other.is_ready)),
    ("RANK-COST", lambda one, other, now, profile: _compared(one.cost, other.cost)),
    ("RANK-DOUBLED", lambda one, other, now, profile: _compared(other.rank, one.rank)),
    ("RANK-READY-TIME", _by_ready_time),
    ("RANK-RESTARTS", lambda one, other, now, profile: -_compared_pair(one.restarts, other.restarts)),
    ("RANK-AGE", _by_age),
)
_FINE = _RULES[5:]
"""The rules about moments and restarts, which order the pods of one class."""


def _compared_pair(one: tuple[int, int], other: tuple[int, int]) -> int:
    return (one > other) - (one < other)
