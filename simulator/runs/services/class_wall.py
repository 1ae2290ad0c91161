"""What a class does together: pupils join by name, work in runs of their own, raise their hands and vote on what will happen.

A change that pupils' pages have to hear of raises ``Classroom.news``; their sockets tell them (runs/live/class_socket.py).
"""

from collections.abc import Callable, Sequence
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
"""Predictions of a class that are kept; a new one takes the place of the oldest."""
ROUNDS = 2
SEEN_EVERY = timedelta(seconds=10)
"""So seldom it is written down that a page is still there."""


@transaction.atomic
def member_join(*, room: Classroom, owner_key: str, name: str, address: str = "") -> ClassMember:
    """The browser as a pupil of the class, under that name from now on. Raises Refused, LimitReached.

    ``address`` is the hash of the one that it joins from, which its runs are charged to.
    """
    name = one_line(name, most=NAME_MAX)
    if not name:
        raise Refused("name", _("Enter the name that your teacher should see."))
    if room.owner_hash == hash_key(owner_key):
        raise Refused("leads", _("You lead this class. Pupils join it from browsers of their own."))
    # Those who join at the same time wait here, so that the class never grows beyond its bound.
    Classroom.objects.filter(id=room.id).update(news=F("news"))
    known = ClassMember.objects.filter(room=room, owner_hash=hash_key(owner_key)).first()
    if known is not None:
        known.name, known.address_hash = name, address
        known.save(update_fields=["name", "address_hash"])
        return known
    if ClassMember.objects.filter(room=room).count() >= MEMBERS_MAX:
        raise LimitReached("members", _("This class is full: it has %(most)d members.") % {"most": MEMBERS_MAX})
    return ClassMember.objects.create(room=room, owner_hash=hash_key(owner_key), address_hash=address, name=name)


def member_hand(*, member: ClassMember, is_raised: bool) -> None:
    """Raise or lower a hand; one that is up already stays up since when it was."""
    if is_raised != (member.hand_at is not None):
        member.hand_at = timezone.now() if is_raised else None
        member.save(update_fields=["hand_at"])


def member_seen(*, member: ClassMember, run: Run | None = None) -> None:
    """The pupil's page is there and shows ``run``, which counts where it is their own. At most one update, and rarely one."""
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
    """Send everybody to a run of their own: of ``run`` as it stands at ``at_ms``, or of a level.

    With ``begins`` all who are here have theirs at once, made together; the others' pages ask for it when they come. Without, all ask.
    Raises LimitReached.
    """
    _tell(room, starts=F("starts") + 1, is_apart=True)
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
    """Bring everybody back to the teacher's page. What they did stays in their runs."""
    _tell(room, is_apart=False, is_led=True, calls=F("calls") + 1)


@transaction.atomic
def member_begin(*, room: Classroom, owner_key: str, begin: Callable[[ClassStart], Run]) -> Run:
    """The pupil's own run of what everybody was sent to: ``begin`` makes it the first time, however often it is asked for.

    Raises Refused where nobody was sent anywhere, and NotAllowed for who has not joined.
    """
    # Takes the lock that a second request of the same pupil waits for.
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
    """A run of one's own, paused, that has the past of ``run`` up to a moment, but is no branch of it. Raises Refused, LimitReached."""
    return run_begin(copies_of(run, at_ms=at_ms), owner_key=owner_key, address=address)


def copies_of(run: Run, *, at_ms: Ms, is_begun: bool = False) -> NewRuns:
    """What runs begin with that have the past of ``run`` up to a moment, or up to where that is fixed. Raises Refused.

    The page of a run lists all its branches to anybody: pupils' runs would be there for the others, so these are none. ``is_begun``:
    with the records of that past, where they are few; that costs a play.
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
    """The run that everybody may be sent to a copy of: one of the teacher's own. Raises Refused, NotAllowed."""
    if run is None:
        raise Refused("run", _("Open a run first: everybody starts from the moment that you look at."))
    if role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Everybody can start only from a run of your own. Fork this one first."))
    return run


@transaction.atomic
def ask_put(*, room: Classroom, question: str, choices: Sequence[str]) -> ClassAsk:
    """Ask everybody what will happen; the prediction before it is over. Raises Refused."""
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
    _tell(room)
    return ClassAsk.objects.create(room=room, question=question, choices=given)


@transaction.atomic
def ask_change(*, room: Classroom, do: str) -> None:
    """``close`` the vote on the newest prediction and show the counts, let everybody vote ``again``, or take it away (``end``).

    Raises Refused.
    """
    ask = ClassAsk.objects.filter(room=room, is_over=False).order_by("-id").first()
    changes: dict[str, dict[str, Any]] = {
        "close": {"is_open": False},
        "again": {"is_open": True, "round": ROUNDS},
        "end": {"is_open": False, "is_over": True},
    }
    if ask is None or do not in changes or (do == "again" and (ask.is_open or ask.round >= ROUNDS)):
        raise Refused("ask", _("That cannot be done to this vote now."))
    ClassAsk.objects.filter(id=ask.id).update(**changes[do])
    _tell(room)


@transaction.atomic
def ask_right(*, room: Classroom, choice: int | None) -> None:
    """Mark the right answer of the newest prediction, or with None take the mark away. The class sees it while the vote is closed.

    Raises Refused.
    """
    ask = ClassAsk.objects.filter(room=room, is_over=False).order_by("-id").first()
    if ask is None or (choice is not None and not 0 <= choice < len(ask.choices)):
        raise Refused("ask", _("That cannot be done to this vote now."))
    ClassAsk.objects.filter(id=ask.id).update(right=choice)
    _tell(room)


@transaction.atomic
def vote_give(*, member: ClassMember, ask_id: int, choice: int | None) -> None:
    """Vote, or change one's vote while the vote is open. Raises Refused."""
    ask = ClassAsk.objects.filter(id=ask_id, room=member.room_id, is_over=False).first()
    if ask is None or not ask.is_open:
        raise Refused("closed", _("This vote is closed."))
    if choice is None or not 0 <= choice < len(ask.choices):
        raise Refused("choice", _("Choose an answer."))
    ClassVote.objects.update_or_create(ask=ask, member=member, round=ask.round, defaults={"choice": choice})


def _tell(room: Classroom, **fields: Any) -> None:
    """Change the class, so that every page of it hears that there is news."""
    fields = {"turn": F("turn") + 1, "news": F("news") + 1, "changed_at": Now(), **fields}
    Classroom.objects.filter(id=room.id).update(**fields)
    room.refresh_from_db()
    transaction.on_commit(announce.classes_told, robust=True)
