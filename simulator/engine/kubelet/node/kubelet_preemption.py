"""Which pods a kubelet ends to make room for a critical pod. Source: pkg/kubelet/preemption/preemption.go."""

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop

Resources = dict[str, int]
"""Amount of each resource; cpu in milli."""
CLASSES = ("BestEffort", "Burstable", "Guaranteed")


class Victim(Struct, frozen=True):
    """A pod that may be ended: its QoS class and what it would free."""

    name: str
    qos: str
    gives: Resources


def choose_victims(candidates: Sequence[Victim], missing: Resources) -> list[Victim] | None:
    """The fewest and least important pods to end; None if not even all of them suffice. BestEffort pods come first in the list."""
    if _left(missing, candidates):
        return None
    best_effort, burstable, guaranteed = ([item for item in candidates if item.qos == qos] for qos in CLASSES)
    last = _nearest(guaranteed, _left(missing, [*best_effort, *burstable]))
    middle = _nearest(burstable, _left(missing, [*best_effort, *last]))
    first = _nearest(best_effort, _left(missing, [*middle, *last]))
    return [*first, *middle, *last]


def _left(missing: Resources, given: Sequence[Victim]) -> Resources:
    """What is still missing once these pods are gone."""
    rest = {name: amount - sum(item.gives.get(name, 0) for item in given) for name, amount in missing.items()}
    return {name: amount for name, amount in rest.items() if amount > 0}


def _nearest(candidates: list[Victim], missing: Resources) -> list[Victim]:
    """Repeatedly the pod that comes closest to what is missing; the smaller one on a tie."""
    chosen: list[Victim] = []
    rest = list(candidates)
    while missing and rest:
        best = min(rest, key=lambda item: (_distance(item, missing), item.gives.get("memory", 0), item.gives.get("cpu", 0)))
        chosen.append(best)
        rest.remove(best)
        missing = _left(missing, [best])
    return chosen


def _distance(item: Victim, missing: Resources) -> Fraction:
    gaps = (Fraction(max(amount - item.gives.get(name, 0), 0), amount) for name, amount in missing.items())
    return sum((gap * gap for gap in gaps), Fraction(0))


RULES = (
    RuleText(
        "CRITICAL-PREEMPTION",
        gettext_noop("The kubelet terminates non-critical pods to make room for a critical one: BestEffort first, Guaranteed last."),
        "pkg/kubelet/preemption/preemption.go",
    ),
)
