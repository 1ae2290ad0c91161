"""PodDisruptionBudgets: what a budget's status says, and whether it allows a pod to be evicted. Pure functions.

Source: pkg/controller/disruption/disruption.go; pkg/registry/core/pod/storage/eviction.go; apimachinery pkg/util/intstr.

The controller computes ``disruptionsAllowed`` from what it last saw; the API server subtracts one for each
eviction and records the pod in ``disruptedPods``, since the controller will see the deletion only later.
Without that entry two evictions in one instant could both pass. An entry older than two minutes is
dropped: the deletion did not happen. If the number of expected pods cannot be determined, nothing is allowed.
"""

import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.selectors import Labels, Selector, selects
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.model.whole import clamped

DISRUPTED_FOR_MS = seconds(120)
"""How long an evicted pod counts as gone although its deletion has not been seen."""
TOO_MANY = 2000
_PERCENT = re.compile(r"\d+%")

Amount = int | str
"""A number, or a percentage as a string."""


class BadAmount(ValueError):
    """Neither a number nor a percentage."""


def scaled(amount: Amount, total: int, *, round_up: bool = True) -> int:
    """The number, or that percentage of ``total``. Raises BadAmount."""
    if isinstance(amount, int):
        return amount
    if not _PERCENT.fullmatch(amount):
        raise BadAmount(f'invalid value for IntOrString: invalid type: string is not a percentage: "{amount}"')
    product = clamped(amount[:-1]) * total
    return -(-product // 100) if round_up else product // 100


class Budget(Struct, frozen=True, gc=False, kw_only=True):
    """The spec of a PodDisruptionBudget. ``policy``: unhealthyPodEvictionPolicy, or empty."""

    selector: Selector | None
    minimum: Amount | None = None
    maximum: Amount | None = None
    policy: str = ""


class Owner(Struct, frozen=True, gc=False):
    """The controller of a pod."""

    kind: str
    name: str
    uid: str


class Member(Struct, frozen=True, kw_only=True, gc=False):
    """A pod as budgets see it."""

    name: str
    labels: Labels
    phase: str = ""
    is_ready: bool = False
    is_terminating: bool = False
    owner: Owner | None = None


class Health(Struct, frozen=True, gc=False, kw_only=True):
    """The status of a budget. ``disrupted``: pods that were evicted but not yet seen to go, with the moment.

    ``problem``: why it could not be computed; then nothing is allowed. ``unmanaged``: pods without a controller were skipped.
    """

    expected: int = 0
    desired: int = 0
    current: int = 0
    allowed: int = 0
    disrupted: tuple[tuple[str, Ms], ...] = ()
    problem: str = ""
    unmanaged: bool = False


Scale = Callable[[Owner], int | None]
"""The desired replicas of a controller; None if no such controller is known."""


class _Unknown(Exception):
    """The number of expected pods cannot be determined."""


def health(budget: Budget, members: Iterable[Member], *, scale: Scale, before: Health, now_ms: Ms, skips_unmanaged: bool) -> Health:
    """The budget's status now; ``members`` are the pods of its namespace. O(pods)."""
    pods = [pod for pod in members if selects(budget.selector, pod.labels)]
    disrupted = _still_disrupted(pods, dict(before.disrupted), now_ms)
    # A pod that was evicted counts as gone although it may still be ready.
    hidden = dict(disrupted)
    current = sum(pod.is_ready and not pod.is_terminating and pod.name not in hidden for pod in pods)
    try:
        expected, desired, unmanaged = _wanted(budget, pods, scale, skips_unmanaged=skips_unmanaged)
    except (_Unknown, BadAmount) as error:
        # The other numbers stay as they were, as failSafe leaves them.
        kept = (before.expected, before.desired, before.current)
        return Health(expected=kept[0], desired=kept[1], current=kept[2], disrupted=disrupted, problem=str(error))
    allowed = max(0, current - desired) if expected > 0 else 0
    return Health(expected=expected, desired=desired, current=current, allowed=allowed, disrupted=disrupted, unmanaged=unmanaged)


def _still_disrupted(pods: list[Member], held: dict[str, Ms], now_ms: Ms) -> tuple[tuple[str, Ms], ...]:
    ripe = ((pod.name, held[pod.name]) for pod in pods if pod.name in held and not pod.is_terminating)
    return tuple((name, at) for name, at in ripe if now_ms - at < DISRUPTED_FOR_MS)


def _wanted(budget: Budget, pods: list[Member], scale: Scale, *, skips_unmanaged: bool) -> tuple[int, int, bool]:
    """Expected and desired pods, and whether pods without a controller were excluded from the scale."""
    if budget.maximum is not None:
        expected, unmanaged = _scale(pods, scale, skips_unmanaged=skips_unmanaged)
        return expected, max(0, expected - scaled(budget.maximum, expected)), unmanaged
    if isinstance(budget.minimum, str):
        expected, unmanaged = _scale(pods, scale, skips_unmanaged=skips_unmanaged)
        return expected, scaled(budget.minimum, expected), unmanaged
    # An absolute number needs no scale: the existing pods are the expected ones.
    return len(pods), budget.minimum or 0, False


def _scale(pods: list[Member], scale: Scale, *, skips_unmanaged: bool) -> tuple[int, bool]:
    """The replicas of all controllers of the pods, each counted once."""
    counted: dict[str, int] = {}
    unmanaged = False
    for pod in pods:
        if pod.owner is None:
            if not skips_unmanaged:
                raise _Unknown(f'found no controller ref for pod "{pod.name}"')
            unmanaged = True
        elif pod.owner.uid not in counted:
            replicas = scale(pod.owner)
            if replicas is None:
                raise _Unknown(_no_scale(pod.owner, pod.name, asks_kind=skips_unmanaged))
            counted[pod.owner.uid] = replicas
    return sum(counted.values()), unmanaged


_WITHOUT_SCALE = ("DaemonSet", "Job", "CronJob", "Node")


def _no_scale(owner: Owner, pod: str, *, asks_kind: bool) -> str:
    """Why the controller's scale is unknown; ``asks_kind``: the version checks whether its kind has a scale at all."""
    if asks_kind and owner.kind in _WITHOUT_SCALE:
        return f"{KINDS[owner.kind].resource} does not implement the scale subresource"
    return f'found no controllers for pod "{pod}"'


BYPASS, SPARED, COUNTED = "bypass", "spared", "counted"
"""An eviction that is not subject to budgets, one that does not count against the budget, and one that uses up a disruption."""


def asks_no_budget(pod: Member) -> bool:
    """Whether the pod may be evicted in any case: it has ended, is not running yet, or is already terminating."""
    return pod.phase == "Pending" or pod.phase in TERMINAL_PHASES or pod.is_terminating


def is_spared(budget: Budget, state: Health, pod: Member) -> bool:
    """Whether an unready pod may be evicted without using up a disruption of its budget."""
    if pod.is_ready:
        return False
    # IfHealthyBudget, the default: only while enough others are healthy.
    return budget.policy == "AlwaysAllow" or state.current >= state.desired > 0
