"""The version lens: one scenario simulated under several Kubernetes versions, its records side by side.

Records are matched by machine, subject, target and how often that has come before. Random delays take their mean, so that
what differs is the version and nothing else.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from simulator.engine import Course, Record, RunHeader, Stamped
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.versions import BadGate, about, diff, resolve, setting

TOLERANCE_MS: Ms = 100
"""Moments closer than this count as the same."""

STRETCHES_MAX, STRETCH_EVENTS = 60, 1000
"""How far one version may go: so many stretches, each of so many steps of the queue at most."""

MACHINES = (
    "object",
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
)
"""What the lens compares: what an API shows, and the steps of stopping."""

_DETAILS = ("reason", "exit_code", "message", "ready", "signal")

Place = tuple[str, Subject, str, int]
"""Machine, subject, target, how often before."""


class Cell(Struct, frozen=True, gc=False):
    """What one version shows: when, and the reason, exit code or message that came with it."""

    at_ms: Ms
    detail: str


class LensRow(Struct, frozen=True):
    """One thing that happens under at least one version. ``cells`` are in the order of the versions; None: it does not happen there.

    ``differs`` says how: missing, time, detail, or nothing at all (empty).
    """

    machine: str
    subject: Subject
    target: str
    n: int
    cells: tuple[Cell | None, ...]
    differs: str

    @property
    def at_ms(self) -> Ms:
        """When it happens first."""
        return min(cell.at_ms for cell in self.cells if cell is not None)


class Switch(Struct, frozen=True):
    """A field of the profile whose value differs; ``values`` are in the order of the versions."""

    field: str
    values: tuple[str, ...]
    note: str


class Lens(Struct, frozen=True):
    """The comparison. ``is_cut``: a version met the limit of steps, so its column ends early."""

    versions: tuple[str, ...]
    until_ms: Ms
    rows: tuple[LensRow, ...]
    switches: tuple[Switch, ...]
    is_cut: bool

    @property
    def differences(self) -> tuple[LensRow, ...]:
        """The rows that are not the same everywhere."""
        return tuple(row for row in self.rows if row.differs)


def look(header: RunHeader, commands: Sequence[Stamped], versions: Sequence[str], *, until_ms: Ms) -> Lens:
    """Simulate the scenario under every version up to ``until_ms`` and compare. Raises UnknownVersion."""
    columns = []
    is_cut = False
    for version in versions:
        records, reached = _records(_header_for(header, version), commands, until_ms)
        columns.append(_places(records))
        is_cut = is_cut or not reached
    return Lens(tuple(versions), until_ms, _rows(columns), switches(versions), is_cut)


def switches(versions: Sequence[str]) -> tuple[Switch, ...]:
    """The fields of the version profiles, and the gates without one, that differ among the versions, with their notes."""
    profiles = [resolve(version) for version in versions]
    fields: dict[str, None] = {}
    for profile in profiles[1:]:
        fields.update(dict.fromkeys(item.field for item in diff(profiles[0], profile)))
    return tuple(Switch(field, tuple(_text(setting(profile, field)) for profile in profiles), about(field).note) for field in fields)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _header_for(header: RunHeader, version: str) -> RunHeader:
    """The same scenario for another version. Gates that the version does not know are left out."""
    try:
        resolve(version, header.gates)
        gates = header.gates
    except BadGate:
        gates = {}
    return msgspec.structs.replace(header, kubernetes=version, gates=gates, jitter=False)


def _records(header: RunHeader, commands: Sequence[Stamped], until_ms: Ms) -> tuple[list[Record], bool]:
    """Every record up to a moment, and whether the moment was reached within the limit of steps."""
    course = Course(header, commands)
    records = list(course.world.first_records)
    for _ in range(STRETCHES_MAX):
        leg = course.drive(until_ms, limit=STRETCH_EVENTS)
        records += leg.records
        if leg.is_there:
            return records, True
    return records, False


def _places(records: Iterable[Record]) -> dict[Place, Cell]:
    """The compared records by their place, each state only where it begins."""
    found: dict[Place, Cell] = {}
    seen: Counter[tuple[str, Subject, str]] = Counter()
    for record in _beginnings(records):
        key = (record.machine, record.subject, _target(record))
        found[(*key, seen[key])] = Cell(record.at_ms, _detail(record))
        seen[key] += 1
    return found


def _beginnings(records: Iterable[Record]) -> Iterator[Record]:
    """Records of the compared machines; one that repeats its lane's last target and detail is left out."""
    last: dict[tuple[str, Subject], tuple[str, str]] = {}
    for record in records:
        if record.machine not in MACHINES or record.kind == "command":
            continue
        lane, value = (record.machine, record.subject), (_target(record), _detail(record))
        if record.machine == "k8s_event" or last.get(lane) != value:
            last[lane] = value
            yield record


def _target(record: Record) -> str:
    """The record's target; conditions of a node and hooks say which one they mean."""
    if record.machine == "node_condition":
        return f"{record.get('condition')}={record.target}"
    if record.machine == "hook":
        return f"{record.get('hook')} {record.target}"
    return str(record.get("taint")) + f" {record.target}" if record.machine == "taint" else record.target


def _detail(record: Record) -> str:
    values = ((name, record.get(name)) for name in _DETAILS)
    return " · ".join(
        str(value) if name in ("reason", "message") else f"{name} {value}" for name, value in values if value not in (None, "")
    )


def _rows(columns: Sequence[dict[Place, Cell]]) -> tuple[LensRow, ...]:
    places: dict[Place, None] = {}
    for column in columns:
        places.update(dict.fromkeys(column))
    rows = [_row(place, tuple(column.get(place) for column in columns)) for place in places]
    return tuple(sorted(rows, key=lambda row: (row.at_ms, MACHINES.index(row.machine), row.subject, row.n)))


def _row(place: Place, cells: tuple[Cell | None, ...]) -> LensRow:
    machine, subject, target, n = place
    present = [cell for cell in cells if cell is not None]
    differs = ""
    if len(present) < len(cells):
        differs = "missing"
    elif max(cell.at_ms for cell in present) - min(cell.at_ms for cell in present) > TOLERANCE_MS:
        differs = "time"
    elif len({cell.detail for cell in present}) > 1:
        differs = "detail"
    return LensRow(machine, subject, target, n, cells, differs)
