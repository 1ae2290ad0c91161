"""Kubernetes Events up to this moment: rows for a table, and the table that describe prints."""

from msgspec import Struct

from simulator.engine.apiserver.documents.event import SCHEDULER
from simulator.engine.apiserver.documents.moments import since
from simulator.engine.kernel.units import SECOND, Key, Ms, Seq, Subject
from simulator.engine.world.rows import K8sEvent
from simulator.engine.world.world import World


class EventRow(Struct, frozen=True, kw_only=True, gc=False):
    """One Event object. ``subject`` is the pod or container it is about, ``seq`` and ``first_seq`` its last and first record."""

    seq: Seq
    first_seq: Seq
    type: str
    reason: str
    message: str
    count: int
    first_ms: Ms
    last_ms: Ms
    component: str
    object: str
    subject: str
    field_path: str
    age: str


def events_of(world: World, key: Key | None = None, *, now_ms: Ms | None = None) -> tuple[EventRow, ...]:
    """The Events of a pod (None: of every pod), in the order of their last write. O(events of the run)."""
    now = world.now_ms if now_ms is None else now_ms
    subject = f"pod/{key}"
    # seq 0: counted by the spam filter but never written.
    rows = (row for row in world.tables.k8s_events.values() if row.seq and (key is None or row.subject == subject))
    return tuple(_row(row, now) for row in sorted(rows, key=lambda row: row.seq))


def events_about(world: World, subject: Subject, *, now_ms: Ms) -> tuple[EventRow, ...]:
    """The Events about an object that the API server still has. O(events of the run)."""
    kept = (row for row in world.tables.k8s_events.values() if row.subject == subject and row.seq)
    return tuple(_row(row, now_ms) for row in kept if now_ms - row.last_ms < world.profile.event_ttl_ms)


def _row(row: K8sEvent, now_ms: Ms) -> EventRow:
    container = row.field_path.partition("{")[2].removesuffix("}")
    pod = row.subject.partition("/")[2]
    return EventRow(
        seq=row.seq,
        first_seq=row.first_seq,
        type=row.type,
        reason=row.reason,
        message=row.message,
        count=row.count,
        first_ms=row.first_ms,
        last_ms=row.last_ms,
        component=row.component,
        object=f"{row.subject.partition('/')[0]}/{row.object_name}",
        subject=f"container/{pod}/{container}" if container else row.subject,
        field_path=row.field_path,
        age=age(row.first_ms, row.last_ms, row.count, now_ms),
    )


def age(first_ms: Ms, last_ms: Ms, count: int, now_ms: Ms) -> str:
    """The Age column: ``5m20s``, or ``97s (x4 over 5m20s)`` for an Event that was repeated."""
    first = since(first_ms, now_ms)
    return first if count <= 1 else f"{since(last_ms, now_ms)} (x{count} over {first})"


def describe_order(rows: tuple[EventRow, ...]) -> list[EventRow]:
    """The order in which describe prints: by lastTimestamp in whole seconds, which the scheduler's Events do not have.

    Those of the same second stay in the API's order: by name, that is by the moment they were created.
    """
    return sorted(rows, key=lambda row: (-1 if row.component == SCHEDULER else row.last_ms // SECOND, row.first_seq))


def event_lines(rows: tuple[EventRow, ...], *, with_path: bool) -> list[str]:
    """The Events section of describe, with cells separated by tabs. ``with_path``: messages begin with the container."""
    if not rows:
        return ["Events:\t<none>"]
    lines = ["  Type\tReason\tAge\tFrom\tMessage", "  ----\t------\t----\t----\t-------"]
    for row in describe_order(rows):
        path = f"{row.field_path}: " if with_path and row.field_path else ""
        lines.append(f"  {row.type}\t{row.reason}\t{row.age}\t{row.component}\t{path}{row.message.strip()}")
    return ["Events:", *lines]
