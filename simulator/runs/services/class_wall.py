"""What a class does together: pupils join by name, work in runs of their own, raise their hands and vote on what will happen.

A change that pupils' pages need to know about raises ``Classroom.news``; their sockets tell them (runs/live/class_socket.py).
"""

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from msgspec.structs import replace

from simulator.engine.kernel.outside_text import one_line
from simulator.engine.kernel.units import Ms
from simulator.models import ClassAsk, ClassMember, Classroom, ClassStart, ClassVote, Run
from simulator.runs.log.beginning import beginning_of
from simulator.runs.log.history import commands_until
from simulator.runs.permissions import OWNER, hash_key, role_of
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from simulator.runs.services.runs import NewRuns, RunHolder, branch_moment, run_begin, runs_create
from simulator.runs.turns.constants import PUPIL_AWAY_S
from simulator.runs.wire import announce

MEMBERS_MAX = 200
NAME_MAX = 40
QUESTION_MAX = 300
CHOICE_MAX = 120
CHOICES_MIN, CHOICES_MAX = 2, 6
ASKS_MAX = 100
"""Predictions that are kept per class; a new one replaces the oldest."""
ROUNDS = 2
SEEN_EVERY = timedelta(seconds=10)
"""The least time between two writes of when a pupil's page was last seen."""


@transaction.atomic
def member_join(*, room: Classroom, owner_key: str, name: str, address: str = "") -> ClassMember:
    """Make the browser a pupil of the class under that name, or rename it. Raises Refused, LimitReached.

    Who takes the name of another pupil gets a number after it, since the wall and the results tell pupils by their names.
    ``address`` is the hash of the address it joins from, against which its runs count.
    """
    name = one_line(name, most=NAME_MAX)
    if not name:
        raise Refused("name", _("Enter the name that your teacher should see."))
    if room.owner_hash == hash_key(owner_key):
        raise Refused("leads", _("You lead this class. Pupils join from their own browsers."))
    # This takes the lock: pupils who join at the same time wait here, so the class never exceeds its limit.
    Classroom.objects.filter(id=room.id).update(news=F("news"))
    others = ClassMember.objects.filter(room=room).exclude(owner_hash=hash_key(owner_key))
    name = _unlike(name, set(others.values_list("name", flat=True)))
    known = ClassMember.objects.filter(room=room, owner_hash=hash_key(owner_key)).first()
    if known is not None:
        known.name, known.address_hash = name, address
        known.save(update_fields=["name", "address_hash"])
        return known
    if ClassMember.objects.filter(room=room).count() >= MEMBERS_MAX:
        raise LimitReached("members", _("This class is full: it has %(most)d members.") % {"most": MEMBERS_MAX})
    return ClassMember.objects.create(room=room, owner_hash=hash_key(owner_key), address_hash=address, name=name)


def _unlike(name: str, taken: Collection[str]) -> str:
    """The name, with the first free number after it if it is taken."""
    names = (name, *(f"{name[: NAME_MAX - 6].rstrip()} ({n})" for n in range(2, MEMBERS_MAX + 2)))
    return next(each for each in names if each not in taken)


def member_hand(*, member: ClassMember, is_raised: bool) -> None:
    """Raise or lower a hand; a hand that is already up keeps its original time."""
    if is_raised != (member.hand_at is not None):
        member.hand_at = timezone.now() if is_raised else None
        member.save(update_fields=["hand_at"])


def member_seen(*, member: ClassMember, run: Run | None = None) -> None:
    """Note that the pupil's page is open and shows ``run``, which is stored if it is their own. At most one update, and usually none."""
    at_own = run is not None and run.owner_hash == member.owner_hash and not run.is_frozen and run.id != member.run_id
    if at_own or timezone.now() - member.seen_at > SEEN_EVERY:
        fields: dict[str, Any] = {"run": run} if at_own else {}
        ClassMember.objects.filter(id=member.id).update(seen_at=Now(), **fields)
        if at_own:
            member.run = run


@transaction.atomic
def class_start(
    *, room: Classroom, run: Run | None = None, at_ms: Ms | None = None, level: str = "", begins: NewRuns | None = None
) -> ClassStart:
    """Send everybody to a run of their own: a copy of ``run`` as it is at ``at_ms``, or an attempt at a level.

    With ``begins``, the runs of all pupils who are present are made here in one go; other pages ask for theirs when they come. Without it,
    every page asks. Raises LimitReached.
    """
    _update_and_notify(room, starts=F("starts") + 1, is_apart=True)
    start = ClassStart.objects.create(room=room, n=room.starts, run=run, at_ms=at_ms, level=level)
    here = ClassMember.objects.filter(room=room, seen_at__gt=timezone.now() - timedelta(seconds=PUPIL_AWAY_S)).order_by("id")
    members = list(here) if begins is not None else []
    if begins is not None and members:
        holders = [RunHolder(owner_hash=member.owner_hash, address_hash=member.address_hash) for member in members]
        for member, mine in zip(members, runs_create(begins, holders), strict=True):
            member.run, member.start_n = mine, start.n
        ClassMember.objects.bulk_update(members, ["run", "start_n"])
    return start


@transaction.atomic
def class_come_back(*, room: Classroom) -> None:
    """Bring everybody back to the teacher's page. Their runs keep what they did."""
    _update_and_notify(room, is_apart=False, is_led=True, calls=F("calls") + 1)


@transaction.atomic
def member_begin(*, room: Classroom, owner_key: str, begin: Callable[[ClassStart], Run]) -> Run:
    """The pupil's own run for the newest start: ``begin`` makes it the first time; later calls return the same run.

    Raises Refused if there has been no start, and NotAllowed for a browser that has not joined.
    """
    # This takes the lock that a second request of the same pupil waits for.
    if not ClassMember.objects.filter(room=room, owner_hash=hash_key(owner_key)).update(seen_at=Now()):
        raise NotAllowed("member", _("Join the class with your name first."))
    member = ClassMember.objects.select_related("run").get(room=room, owner_hash=hash_key(owner_key))
    start = ClassStart.objects.select_related("run").filter(room=room).order_by("-n").first()
    if start is None:
        raise Refused("start", _("Your teacher has not started anything yet."))
    if member.start_n == start.n and member.run is not None:
        return member.run
    member.run, member.start_n = begin(start), start.n
    member.save(update_fields=["run", "start_n"])
    return member.run


def run_copied(*, run: Run, owner_key: str, at_ms: Ms, address: str = "") -> Run:
    """Make a paused run that has the past of ``run`` up to a moment, but is not a branch of it. Raises Refused, LimitReached."""
    return run_begin(copies_of(run, at_ms=at_ms), owner_key=owner_key, address=address)


def copies_of(run: Run, *, at_ms: Ms, is_begun: bool = False) -> NewRuns:
    """The starting point for copies of ``run`` up to a moment, or up to where its past is fixed. Raises Refused.

    Copies are not branches because the page of a run lists all its branches to everybody, and pupils would see each other's runs.
    ``is_begun``: include the records of that past if there are few enough; this costs a play.
    """
    moment_ms = branch_moment(run, at_ms=at_ms)
    content = replace(run.content(), commands=tuple(commands_until(run, at_ms=moment_ms)), until_ms=moment_ms)
    return NewRuns(
        content=content,
        title=run.title,
        scenario=run.scenario,
        share=run.share,
        rate_permille=run.rate_permille,
        paused=True,
        at_ms=moment_ms,
        level=run.level,
        beginning=beginning_of(content, at_ms=moment_ms) if is_begun else None,
    )


def start_run_of(run: Run | None, *, owner_key: str) -> Run:
    """Check that ``run`` is one of the teacher's own, of which the class may get copies, and return it. Raises Refused, NotAllowed."""
    if run is None:
        raise Refused("run", _("Open a run first: everyone starts at the moment you are looking at."))
    if role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Everyone can only start from a run that you own. Fork this one first."))
    return run


@transaction.atomic
def ask_put(*, room: Classroom, question: str, choices: Sequence[str]) -> ClassAsk:
    """Ask everybody what will happen; this ends the previous prediction. Raises Refused."""
    question = one_line(question, most=QUESTION_MAX)
    given = [choice for text in choices[: 10 * CHOICES_MAX] if (choice := one_line(text, most=CHOICE_MAX))]
    if not question:
        raise Refused("question", _("Enter a question."))
    if not CHOICES_MIN <= len(given) <= CHOICES_MAX or len(set(given)) < len(given):
        raise Refused("choices", _("Give 2 to 6 different choices, one on each line."))
    asks = ClassAsk.objects.filter(room=room)
    asks.filter(is_over=False).update(is_open=False, is_over=True)
    kept = asks.order_by("-id").values_list("id", flat=True)[: ASKS_MAX - 1]
    asks.exclude(id__in=[*kept]).delete()
    _update_and_notify(room)
    return ClassAsk.objects.create(room=room, question=question, choices=given)


@transaction.atomic
def ask_change(*, room: Classroom, do: str) -> None:
    """``close`` the vote on the newest prediction and show the counts, let everybody vote ``again``, or ``end`` it.

    Raises Refused.
    """
    ask = ClassAsk.objects.filter(room=room, is_over=False).order_by("-id").first()
    changes: dict[str, dict[str, Any]] = {
        "close": {"is_open": False},
        "again": {"is_open": True, "round": ROUNDS},
        "end": {"is_open": False, "is_over": True},
    }
    if ask is None or do not in changes or (do == "again" and (ask.is_open or ask.round >= ROUNDS)):
        raise Refused("ask", _("This is not possible for this vote right now."))
    ClassAsk.objects.filter(id=ask.id).update(**changes[do])
    _update_and_notify(room)


@transaction.atomic
def ask_right(*, room: Classroom, choice: int | None) -> None:
    """Mark the right answer of the newest prediction, or remove the mark with None. The class sees it while the vote is closed.

    Raises Refused.
    """
    ask = ClassAsk.objects.filter(room=room, is_over=False).order_by("-id").first()
    if ask is None or (choice is not None and not 0 <= choice < len(ask.choices)):
        raise Refused("ask", _("This is not possible for this vote right now."))
    ClassAsk.objects.filter(id=ask.id).update(right=choice)
    _update_and_notify(room)


@transaction.atomic
def vote_give(*, member: ClassMember, ask_id: int, choice: int | None) -> None:
    """Vote, or change a vote, while the vote is open. Raises Refused."""
    ask = ClassAsk.objects.filter(id=ask_id, room=member.room_id, is_over=False).first()
    if ask is None or not ask.is_open:
        raise Refused("closed", _("This vote is closed."))
    if choice is None or not 0 <= choice < len(ask.choices):
        raise Refused("choice", _("Choose an answer."))
    ClassVote.objects.update_or_create(ask=ask, member=member, round=ask.round, defaults={"choice": choice})


def _update_and_notify(room: Classroom, **fields: Any) -> None:
    """Change the class and notify all of its pages."""
    fields = {"turn": F("turn") + 1, "news": F("news") + 1, "changed_at": Now(), **fields}
    Classroom.objects.filter(id=room.id).update(**fields)
    room.refresh_from_db()
    transaction.on_commit(announce.classes_told, robust=True)
