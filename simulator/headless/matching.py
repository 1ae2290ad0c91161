"""Match the records of two or more histories, and say how they differ.

Records are matched by machine, subject, target and how often that combination has occurred before.

Record numbers cannot be compared, since one extra record shifts all that follow; nor can moments, which are what may
differ. So a record's place is its machine, subject and target and the count of such records before it. Only the
beginning of a state counts: a status that is rewritten unchanged would throw the count off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from simulator.engine import Record
from simulator.engine.kernel.units import Ms, Seq, Subject

TOLERANCE_MS: Ms = 100
"""Moments closer than this count as the same."""

MISSING, TIME, DETAIL = "missing", "time", "detail"
"""How things may differ: it does not happen everywhere, happens at another time, or with another reason, code or message."""
REFUSED = "refused"
ANSWER = "api_answer"
"""Not a machine of the engine: the API server's answer to a manifest, a refusal or a warning."""
COMMAND = "command"
MACHINES = (
    ANSWER,
    COMMAND,
    "object",
    "api_object",
    "status_word",
    "phase",
    "condition",
    "container_status",
    "hook",
    "stop",
    "volumes",
    "k8s_event",
    "node_condition",
    "taint",
    "budget",
    "pod_eviction",
    "user_namespace",
)
"""The machines that are compared: what an API answers and shows, and the steps of stopping."""

_DETAILS = ("reason", "exit_code", "message", "ready", "signal")

Place = tuple[str, Subject, str, int]
"""Machine, subject, target, and the number of such records before it."""


class Cell(Struct, frozen=True, gc=False):
    """One history's entry in a row: when, with which reason, exit code or message, and the record's number (0: none)."""

    at_ms: Ms
    detail: str
    seq: Seq = 0


class MatchedRow(Struct, frozen=True):
    """One thing that happens in at least one history. ``cells`` are in the order of the histories; None: it does not happen there.

    ``differs`` says how: missing, time, detail, or not at all (empty).
    """

    machine: str
    subject: Subject
    target: str
    n: int
    cells: tuple[Cell | None, ...]
    differs: str

    @property
    def at_ms(self) -> Ms:
        """When it first happens."""
        return min(cell.at_ms for cell in self.cells if cell is not None)


def places(records: Iterable[Record], *, zero_ms: Ms = 0, commands: bool = False) -> dict[Place, Cell]:
    """The compared records by their place, each state only where it begins; moments count from ``zero_ms``.

    Commands are included only if refused, unless ``commands`` is set. O(records).
    """
    found: dict[Place, Cell] = {}
    seen: Counter[tuple[str, Subject, str]] = Counter()
    for record in _beginnings(records, commands=commands):
        key = (record.machine, record.subject, _act(record) if commands and record.kind == "command" else target_of(record))
        found[(*key, seen[key])] = Cell(record.at_ms - zero_ms, _detail(record), record.seq)
        seen[key] += 1
    return found


def matched(columns: Sequence[dict[Place, Cell]]) -> tuple[MatchedRow, ...]:
    """A row for every place in any column, ordered by time."""
    found: dict[Place, None] = {}
    for column in columns:
        found.update(dict.fromkeys(column))
    rows = [_row(place, tuple(column.get(place) for column in columns)) for place in found]
    return tuple(sorted(rows, key=lambda row: (row.at_ms, MACHINES.index(row.machine), row.subject, row.n)))


def target_of(record: Record) -> str:
    """The record's target, including which node condition, taint or hook it is about."""
    if record.machine == "node_condition":
        return f"{record.get('condition')}={record.target}"
    if record.machine == "hook":
        return f"{record.get('hook')} {record.target}"
    return str(record.get("taint")) + f" {record.target}" if record.machine == "taint" else record.target


def _act(record: Record) -> str:
    """An act with its fields, which distinguish two acts on one object."""
    fields = (str(value) for name, value in record.data if name in ("do", "grace_s", "code", "signal", "image", "replicas", "what"))
    return " ".join((*fields, record.target))


def _beginnings(records: Iterable[Record], *, commands: bool) -> Iterator[Record]:
    """Yield the records of the compared machines, except those that repeat the last target and detail of their lane."""
    last: dict[tuple[str, Subject], tuple[str, str]] = {}
    for record in records:
        if record.machine not in MACHINES or (record.kind == "command" and record.target != REFUSED and not commands):
            continue
        lane, value = (record.machine, record.subject), (target_of(record), _detail(record))
        # An Event or an act that appears twice has happened twice.
        if record.machine in ("k8s_event", "command") or last.get(lane) != value:
            last[lane] = value
            yield record


def _detail(record: Record) -> str:
    values = ((name, record.get(name)) for name in _DETAILS)
    return " · ".join(
        str(value) if name in ("reason", "message") else f"{name} {value}" for name, value in values if value not in (None, "")
    )


def _row(place: Place, cells: tuple[Cell | None, ...]) -> MatchedRow:
    machine, subject, target, n = place
    present = [cell for cell in cells if cell is not None]
    differs = ""
    if len(present) < len(cells):
        differs = MISSING
    # Only the most important difference per row: something that is late is not also said to have another message.
    elif max(cell.at_ms for cell in present) - min(cell.at_ms for cell in present) > TOLERANCE_MS:
        differs = TIME
    elif len({cell.detail for cell in present}) > 1:
        differs = DETAIL
    return MatchedRow(machine, subject, target, n, cells, differs)
