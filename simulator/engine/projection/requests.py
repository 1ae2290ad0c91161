"""The requests of a Service with a declared load: how many came to what, pod by pod, and why those of now come to what they do."""

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Scalar, Subject
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.network.load.count import totals
from simulator.engine.network.load.fate import FAILED, NO_POD
from simulator.engine.world.world import World

OUTCOMES = (*(state.name for state in REQUESTS.states if state.name), "waiting")
"""Every outcome, and those that are on their way."""
_TONES = {state.name: state.tone for state in REQUESTS.states}


class RequestLine(Struct, frozen=True, kw_only=True):
    """Requests to one pod (``pod`` empty: to none). ``word``, ``rule`` and ``tone`` are what they come to now; empty: none go there.

    ``values`` fill the sentence of the rule.
    """

    subject: Subject
    pod: str
    word: str
    rule: str
    tone: str
    values: tuple[tuple[str, Scalar], ...]
    counts: tuple[int, ...]


class RequestsView(Struct, frozen=True, kw_only=True):
    """All requests of a Service. ``counts`` are in the order of ``OUTCOMES``; ``load`` is what its annotation says."""

    load: str
    sent: int
    failed: int
    counts: tuple[int, ...]
    lines: tuple[RequestLine, ...]


def requests_view(world: World, namespace: str, name: str, *, now_ms: Ms | None = None) -> RequestsView | None:
    """The requests of a Service at a moment; None where it never had a load. O(pods it had)."""
    row = world.tables.loads.get((namespace, name))
    if row is None:
        return None
    found = totals(row, world.now_ms if now_ms is None else now_ms)
    pods = dict.fromkeys((*row.states, *(pod for pod, _ in found)))
    lines = []
    for pod in pods:
        word, rule, _ = row.states.get(pod, ("", "", 0))
        counts = tuple(found.get((pod, outcome), 0) for outcome in OUTCOMES)
        subject = f"requests/{namespace}/{name}/{pod or NO_POD}"
        values = next((slot.fate.data for slot in row.plan if slot.pod == pod and slot.fate.rule == rule), ())
        lines.append(RequestLine(subject=subject, pod=pod, word=word, rule=rule, tone=_TONES[word], values=values, counts=counts))
    counts = tuple(sum(line.counts[place] for line in lines) for place in range(len(OUTCOMES)))
    failed = sum(count for outcome, count in zip(OUTCOMES, counts, strict=True) if outcome in FAILED)
    return RequestsView(load=row.text, sent=sum(counts), failed=failed, counts=counts, lines=tuple(lines))
