"""What the wall of a class shows. Each function takes one query or two, regardless of the number of pupils."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import CharField, Count, IntegerField, Max, Min, Q, QuerySet
from django.utils import timezone

from simulator.models import ClassAsk, ClassMember, Classroom, ClassStart, ClassVote, LevelAttempt
from simulator.runs.log.statements import Given, Statement
from simulator.runs.permissions import hash_key
from simulator.runs.selectors.classrooms import classroom_get
from simulator.runs.turns.constants import PUPIL_AWAY_S

AWAY_AFTER = timedelta(seconds=PUPIL_AWAY_S)


@dataclass(frozen=True)
class TriedLevel:
    """A pupil's attempts at a level: how many were checked, how many failed, the newest, and the first that passed."""

    count: int
    failed: int
    newest: LevelAttempt
    passed: LevelAttempt | None


def classroom_of(code: str, *, owner_key: str | None) -> Classroom | None:
    """The class with that code if this browser leads it, otherwise None. One query."""
    room = classroom_get(code)
    return room if room is not None and owner_key and room.owner_hash == hash_key(owner_key) else None


def member_of(room: Classroom, owner_key: str | None) -> ClassMember | None:
    """The pupil with that browser in the class, with their run, or None. One query."""
    if not owner_key:
        return None
    return _MEMBERS.first(room=room.id, owner=hash_key(owner_key))


def members_of(room: Classroom) -> list[ClassMember]:
    """The pupils who have joined, by name, with their runs. One query."""
    # The texts that a run starts from may be large, and the wall does not need them.
    return list(ClassMember.objects.select_related("run").defer("run__header_body", "run__source_body").filter(room=room))


def place_among_members(member: ClassMember) -> tuple[int, int]:
    """How many pupils of the class joined before this one, and how many it has. One query."""
    ((before, count),) = _PLACES.rows(room=member.room_id, member=member.id)
    return before, count


def is_here(member: ClassMember, now: datetime | None = None) -> bool:
    """Whether a page of the pupil has reported in recently."""
    return (now or timezone.now()) - member.seen_at < AWAY_AFTER


def runs_of_start(room: Classroom) -> list[tuple[str, UUID]]:
    """The runs made by the newest start, each with its pupil's hash, in the order in which the pupils joined. One query."""
    begun = ClassMember.objects.filter(room=room, start_n=room.starts, run__isnull=False)
    return list(begun.order_by("id").values_list("owner_hash", "run_id"))


def start_of_class(room: Classroom) -> ClassStart | None:
    """The newest start of the class, with its run, or None. One query."""
    return _STARTS.first(room=room.id)


def levels_sent(room: Classroom) -> list[str]:
    """The keys of the levels that the class was sent to, in order of first use. One query."""
    starts = ClassStart.objects.filter(room=room)
    found = [(start.level or (start.run.level if start.run else "")) for start in starts.select_related("run").only("level", "run__level")]
    return list(dict.fromkeys(level for level in found if level))


def tried_of(members: Iterable[ClassMember], *, since: datetime, levels: Iterable[str] | None = None) -> dict[tuple[str, str], TriedLevel]:
    """The pupils' attempts since a moment, in any of their own runs, by pupil's hash and level. Two queries."""
    attempts = LevelAttempt.objects.filter(run__owner_hash__in=[member.owner_hash for member in members], created_at__gte=since)
    if levels is not None:
        attempts = attempts.filter(level__in=[*levels])
    failed = Count("id", filter=Q(passed=False))
    first = Min("id", filter=Q(passed=True))
    groups = attempts.order_by().values("run__owner_hash", "level")
    rows = list(groups.annotate(count=Count("id"), failed_count=failed, newest=Max("id"), first=first))
    ids = {row[name] for row in rows for name in ("newest", "first") if row[name]}
    found = LevelAttempt.objects.select_related("run").defer("run__header_body", "run__source_body").in_bulk(ids)
    return {
        (row["run__owner_hash"], row["level"]): TriedLevel(row["count"], row["failed_count"], found[row["newest"]], found.get(row["first"]))
        for row in rows
    }


def ask_of(room: Classroom) -> ClassAsk | None:
    """The prediction that the class is being asked for, or None. One query."""
    return _ASKS.first(room=room.id)


def has_results(room: Classroom) -> bool:
    """Whether the class was sent to a level or asked a question, so that there is something to export. At most two queries."""
    return ClassAsk.objects.filter(room=room).exists() or bool(levels_sent(room))


def votes_of(room: Classroom) -> tuple[list[ClassAsk], dict[tuple[int, int, int], int]]:
    """All questions put to the class, and the choices by ask, round and pupil. Two queries."""
    asks = list(ClassAsk.objects.filter(room=room).order_by("id"))
    votes = ClassVote.objects.filter(ask__room=room).values_list("ask_id", "round", "member_id", "choice")
    return asks, {(ask, round_n, member): choice for ask, round_n, member, choice in votes}


def counts_of(ask: ClassAsk) -> list[list[int]]:
    """How often each choice was taken, round by round up to the current one. One query."""
    rows = ClassVote.objects.filter(ask=ask).order_by().values_list("round", "choice").annotate(n=Count("id"))
    counts = Counter({(round_n, choice): n for round_n, choice, n in rows})
    return [[counts[round_n, choice] for choice in range(len(ask.choices))] for round_n in range(1, ask.round + 1)]


def vote_of(ask: ClassAsk, member: ClassMember) -> int | None:
    """The pupil's choice in this round, or None. One query."""
    return ClassVote.objects.filter(ask=ask, member=member, round=ask.round).values_list("choice", flat=True).first()


ROOM = Given("room", CharField())


def _places() -> "QuerySet[ClassMember, Any]":
    members = ClassMember.objects.order_by().filter(room=ROOM).values("room")
    before = Count("id", filter=Q(id__lt=Given("member", IntegerField())))
    return members.annotate(before=before, count=Count("id")).values_list("before", "count")


# The pages of a whole class execute all of these at the same instant.
_MEMBERS = Statement(lambda: ClassMember.objects.select_related("run").filter(room=ROOM, owner_hash=Given("owner", CharField())))
_PLACES = Statement(_places)
_STARTS = Statement(lambda: ClassStart.objects.select_related("run").filter(room=ROOM).order_by("-n")[:1])
_ASKS = Statement(lambda: ClassAsk.objects.filter(room=ROOM, is_over=False).order_by("-id")[:1])
