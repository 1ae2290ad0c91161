"""A list of facts under construction: added in any order, returned in chronological order.

Kubernetes writes whole seconds, so several facts share one. Within a second they are ordered as in the life of a pod
(the stages below, then the container, the instance, the step), never by the order in which they were found.
"""

from simulator.engine.kernel.units import SECOND, Ms, Scalar
from simulator.engine.past.document import RECORDED, PastContainer, PastFact
from simulator.imports.moments import Order, placed

CREATED, BOUND, ACCEPTED, SANDBOX, CONTAINERS, CONDITIONS, ENDING = 0, 10, 20, 30, 100, 900, 950
"""Stages: the order of facts in the same second."""


class FactList:
    """Collects the facts of one pod. Moments are milliseconds since the Unix epoch until ``ordered`` converts them to those of a run."""

    def __init__(self, *, epoch_ms: Ms, created_ms: Ms) -> None:
        self.epoch_ms = epoch_ms
        self.created_ms = created_ms
        self._found: list[tuple[Ms, bool, Order, PastFact]] = []

    def add(
        self,
        do: str,
        at_ms: Ms,
        *,
        order: Order,
        name: str = "",
        rule: str = RECORDED,
        source: str = "",
        container: PastContainer | None = None,
        exact: bool = False,
        **data: Scalar,
    ) -> None:
        """Record that something became true."""
        kept: dict[str, Scalar] = {key: value for key, value in data.items() if value not in (None, "")}
        fact = PastFact(at_ms=0, do=do, name=name, rule=rule, source=source, container=container, data=kept)
        # Nothing happens to a pod before it exists: the clocks of nodes differ.
        self._found.append((max(at_ms, self.created_ms), exact, order, fact))

    def run_ms(self, moment_ms: Ms | None) -> Ms | None:
        """A moment of the text as a moment of the run; may be negative."""
        return None if moment_ms is None else moment_ms - self.epoch_ms

    @property
    def latest_ms(self) -> Ms:
        """The latest moment so far."""
        return max((at_ms for at_ms, _exact, _order, _fact in self._found), default=self.epoch_ms)

    def ordered(self, *, until_ms: Ms) -> tuple[PastFact, ...]:
        """The facts in order. Those before the beginning of the run happen at its first moment, and none after ``until_ms`` of the run."""
        found = [(at_ms, exact, order) for at_ms, exact, order, _fact in self._found]
        places = placed(found, start_ms=0, until_ms=self.epoch_ms + until_ms)
        before = [self._found[n][3] for n, at_ms in places if at_ms < self.epoch_ms]
        during = [(self._found[n][3], min(at_ms - self.epoch_ms, until_ms)) for n, at_ms in places if at_ms >= self.epoch_ms]
        return tuple(_at(fact, at_ms) for fact, at_ms in [*((fact, 0) for fact in _settled(before)), *during])


def _settled(facts: list[PastFact]) -> list[PastFact]:
    """Of repeated facts before the beginning of the run only the last one is kept, together with everything else.

    The status that a run begins with takes the position of its first version: the steps leading to it are not shown.
    """
    first = {_what(fact): n for n, fact in reversed(list(enumerate(facts)))}
    last = {_what(fact): n for n, fact in enumerate(facts)}
    kept = {first[what] if facts[n].do in ("container", "phase") else n: facts[n] for what, n in last.items()}
    return [kept[n] for n in sorted(kept)]


def _what(fact: PastFact) -> tuple[object, ...]:
    """The identity of a fact: a later fact with the same one replaces it."""
    if fact.do in ("event", "attempt"):
        return (fact.do, fact.name, fact.data.get("message"), fact.data.get("component"))
    if fact.do in ("condition", "container", "phase"):
        return (fact.do, fact.name if fact.do != "phase" else "")
    return (id(fact),)


def _at(fact: PastFact, at_ms: Ms) -> PastFact:
    return PastFact(at_ms=at_ms, do=fact.do, name=fact.name, rule=fact.rule, source=fact.source, container=fact.container, data=fact.data)


def next_second(moment_ms: Ms) -> Ms:
    """The first whole second after a moment."""
    return moment_ms - moment_ms % SECOND + SECOND
