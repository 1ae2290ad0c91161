"""The requests of a Service with a declared load: how many had which outcome, pod by pod, and why current ones have theirs.

Nothing is counted request by request: a plan of slots with a fate each applies until something changes,
and the counts follow from how long it applied (network/load).
"""

from msgspec import Struct

from simulator.engine.kernel.units import Ms, Scalar, Subject
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.network.load.count import by_outcome, rates, totals
from simulator.engine.network.load.fate import FAILED, NO_POD
from simulator.engine.network.load.spec import ANNOTATION
from simulator.engine.network.services import read_service
from simulator.engine.world.rows import LoadRow
from simulator.engine.world.world import World, object_subject

OUTCOMES = (*(state.name for state in REQUESTS.states if state.name), "waiting")
"""Every outcome, and those in flight."""
_TONES = {state.name: state.tone for state in REQUESTS.states}


class RequestLine(Struct, frozen=True, kw_only=True):
    """Requests to one pod (``pod`` empty: to none). ``word``, ``rule`` and ``tone`` are their current outcome; empty: none go there.

    ``values`` fill the sentence of the rule.
    """

    subject: Subject
    pod: str
    word: str
    rule: str
    tone: str
    values: tuple[tuple[str, Scalar], ...]
    counts: tuple[int, ...]


class RequestRate(Struct, frozen=True):
    """How many of a second's requests currently have an outcome, in thousandths of a request."""

    outcome: str
    tone: str
    milli: int


class ServiceLoad(Struct, frozen=True, kw_only=True):
    """The requests of a Service in a line: ``rates`` are the current ones, the worst outcome last; ``failed`` of ``sent`` since the
    load was first declared. ``tone`` is that of the worst rate."""

    subject: Subject
    namespace: str
    name: str
    tone: str
    rates: tuple[RequestRate, ...]
    sent: int
    failed: int


class RequestsView(Struct, frozen=True, kw_only=True):
    """All requests of a Service. ``counts`` are in the order of ``OUTCOMES``; ``load`` is its annotation."""

    load: str
    rates: tuple[RequestRate, ...]
    sent: int
    failed: int
    counts: tuple[int, ...]
    lines: tuple[RequestLine, ...]

    @property
    def tone(self) -> str:
        """The tone of the worst current outcome."""
        return _worst(self.rates)


def requests_view(world: World, namespace: str, name: str, *, now_ms: Ms | None = None) -> RequestsView | None:
    """The requests of a Service at a moment; None if it never had a load. O(pods it had)."""
    row = world.tables.loads.get((namespace, name))
    if row is None:
        return None
    found = totals(row, world.now_ms if now_ms is None else now_ms)
    pods = dict.fromkeys((*row.states, *(pod for pod, _ in found)))
    lines = []
    for pod in pods:
        # A pod that had requests and gets none now keeps its line for its counts.
        word, rule, _ = row.states.get(pod, ("", "", 0))
        counts = tuple(found.get((pod, outcome), 0) for outcome in OUTCOMES)
        subject = f"requests/{namespace}/{name}/{pod or NO_POD}"
        values = next((slot.fate.data for slot in row.plan if slot.pod == pod and slot.fate.rule == rule), ())
        lines.append(RequestLine(subject=subject, pod=pod, word=word, rule=rule, tone=_TONES[word], values=values, counts=counts))
    counts = tuple(sum(line.counts[place] for line in lines) for place in range(len(OUTCOMES)))
    return RequestsView(
        load=row.text, rates=_rates(row), sent=sum(counts), failed=_failed(dict(zip(OUTCOMES, counts, strict=True))), counts=counts,
        lines=tuple(lines),
    )  # fmt: skip


def service_loads(world: World, *, now_ms: Ms) -> tuple[ServiceLoad, ...]:
    """Every Service with a declared load, and those that had one and got requests. O(slots and pods of each)."""
    return tuple(_load_line(row, now_ms) for row in world.tables.loads.values() if row.text or row.settled)


def declared_loads(manifests: tuple[str, ...], namespace: str) -> tuple[tuple[str, str], ...]:
    """Namespace (default: ``namespace``) and name of the Services with a load in these JSON texts. Scans each text."""
    services = (read_service(text) for text in manifests if f'"{ANNOTATION}"' in text)
    meta = (service.metadata for service in services if service is not None)
    return tuple((each.namespace or namespace, each.name) for each in meta if ANNOTATION in (each.annotations or {}))


def _load_line(row: LoadRow, now_ms: Ms) -> ServiceLoad:
    counts, found = by_outcome(totals(row, now_ms)), _rates(row)
    return ServiceLoad(
        subject=object_subject("Service", row.namespace, row.name), namespace=row.namespace, name=row.name, tone=_worst(found), rates=found,
        sent=sum(counts.values()), failed=_failed(counts),
    )  # fmt: skip


def _rates(row: LoadRow) -> tuple[RequestRate, ...]:
    found = rates(row)
    return tuple(RequestRate(outcome, _TONES[outcome], found[outcome]) for outcome in OUTCOMES if found.get(outcome))


def _worst(found: tuple[RequestRate, ...]) -> str:
    return found[-1].tone if found else "absent"


def _failed(counts: dict[str, int]) -> int:
    return sum(counts.get(outcome, 0) for outcome in FAILED)
