"""Requests from pupils' pages: who they are, where their own run is, a raised hand, a vote. Responses are JSON for scripts.

Nothing here reveals anything about another pupil: of a vote only the counts, and only once it is closed.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from lifecycle_site.visitors import visitor_of
from simulator.engine.kernel.bounded import whole_number
from simulator.models import ClassMember, Classroom, ClassStart, Run
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.selectors.class_guesses import classroom_joined
from simulator.runs.selectors.class_wall import ask_of, counts_of, member_of, place_among_members, start_of_class, vote_of
from simulator.runs.selectors.runs import run_get
from simulator.runs.services.class_code import code_of
from simulator.runs.services.class_wall import CHOICES_MAX, copies_of, member_begin, member_hand, member_join, member_seen, vote_give
from simulator.runs.services.errors import NotAllowed, ServiceError
from simulator.runs.services.runs import run_begin
from simulator.runs.turns.constants import PUPILS_APART_MS
from simulator.web.base.common import refusal, wants_json
from simulator.web.base.guards import compute
from simulator.web.classes.classrooms import guess_limited
from simulator.web.classes.wall import level_attempts
from simulator.web.run.manifests import json_answer

APART = timedelta(milliseconds=PUPILS_APART_MS)
UNMADE_APART = timedelta(milliseconds=100)
"""The interval at which pupils begin whose runs were not made by the start itself: two cores make and show about ten a second, and if all
asked at once, all would wait for the last."""
HEARD = timedelta(milliseconds=20)
"""The delay, per pupil of the class, between the teacher's start and the first pupil: meanwhile all pages learn of the start, and ask for
their turn at the same instant. Pupils whose turn came during that would all begin together, and hold up everybody behind them."""


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@guess_limited
def class_me(request: HttpRequest, code: str) -> HttpResponse:
    """A pupil's state for their page, which shows ``run``. A POST joins (``name``), or raises a hand (``hand``)."""
    room = _room(request, code)
    if room is None:
        return _no_class(request)
    if request.method != "POST":
        member = member_of(room, known_key(request))
        if member is not None:
            member_seen(member=member, run=_run(request.GET.get("run", "")))
        return json_answer(_state(room, member))
    try:
        member = _changed(request, room)
    except ServiceError as error:
        return refusal(request, str(error), back=f"/class/{room.id}/")
    return json_answer(_state(room, member)) if wants_json(request) else redirect("sim:class", code=room.id)


def _changed(request: HttpRequest, room: Classroom) -> ClassMember:
    if "name" in request.POST:
        return member_join(room=room, owner_key=owner_key(request), name=request.POST["name"], address=address_hash_of(request))
    member = _member(request, room)
    member_hand(member=member, is_raised=request.POST.get("hand") == "1")
    return member


@require_POST
@guess_limited
def class_mine(request: HttpRequest, code: str) -> HttpResponse:
    """The pupil's own run for the newest start, made the first time: its URL, or a redirect to it."""
    room = _room(request, code)
    if room is None:
        return _no_class(request)
    start = start_of_class(room)
    if start is not None and start.level:
        compute(request)
    try:
        run = member_begin(room=room, owner_key=owner_key(request), begin=lambda sent: _begun(request, sent))
    except ServiceError as error:
        return refusal(request, str(error), back=f"/class/{room.id}/")
    url = reverse("sim:run", args=[run.id])
    return json_answer({"url": url, "start": room.starts}) if wants_json(request) else redirect(f"{url}?class={room.id}")


def _begun(request: HttpRequest, start: ClassStart) -> Run:
    """Make a pupil's run for a start. Raises ServiceError."""
    begins = level_attempts(start.level) if start.run is None else copies_of(start.run, at_ms=start.at_ms or 0)
    return run_begin(begins, owner_key=owner_key(request), address=address_hash_of(request))


@require_POST
@guess_limited
def class_vote(request: HttpRequest, code: str) -> HttpResponse:
    """Vote on the teacher's question: ``ask`` and ``choice``."""
    room = _room(request, code)
    if room is None:
        return _no_class(request)
    try:
        member = _member(request, room)
        choice = whole_number(request.POST.get("choice", ""), most=CHOICES_MAX)
        vote_give(member=member, ask_id=whole_number(request.POST.get("ask", "")) or 0, choice=choice)
    except ServiceError as error:
        return refusal(request, str(error), back=f"/class/{room.id}/")
    return json_answer(_state(room, member)) if wants_json(request) else redirect("sim:class", code=room.id)


def _room(request: HttpRequest, code: str) -> Classroom | None:
    return classroom_joined(code_of(code), visitor=visitor_of(request), key=known_key(request))


def _member(request: HttpRequest, room: Classroom) -> ClassMember:
    member = member_of(room, known_key(request))
    if member is None:
        raise NotAllowed("member", _("Join the class with your name first."))
    return member


def _no_class(request: HttpRequest) -> HttpResponse:
    return refusal(request, _("There is no such class, or it has ended."), status=404, back="/class/")


def _run(text: str) -> Run | None:
    try:
        return run_get(UUID(text)) if text else None
    except ValueError:
        return None


def _state(room: Classroom, member: ClassMember | None) -> dict[str, Any]:
    begun = bool(member and room.starts and member.start_n == room.starts and member.run_id)
    return {
        "name": member.name if member else "",
        "hand": bool(member and member.hand_at),
        "run": reverse("sim:run", args=[member.run_id]) if member and member.run_id else "",
        "apart": room.is_apart,
        "start": room.starts,
        "begun": begun,
        "wait_ms": _wait_ms(room, member, begun=begun) if member and room.is_apart else 0,
        "ask": _ask(room, member),
    }


def _wait_ms(room: Classroom, member: ClassMember, *, begun: bool) -> int:
    """How long the pupil's page waits before it opens or requests its run for the newest start: until those who joined earlier have
    theirs."""
    start = start_of_class(room)
    if start is None:
        return 0
    before, count = place_among_members(member)
    turn = start.created_at + (before * APART if begun else count * HEARD + before * UNMADE_APART)
    return max(0, (turn - timezone.now()) // timedelta(milliseconds=1))


def _ask(room: Classroom, member: ClassMember | None) -> dict[str, Any] | None:
    """The prediction being asked for; how others voted only once the vote is closed."""
    ask = ask_of(room)
    if ask is None:
        return None
    return {
        "id": ask.id,
        "question": ask.question,
        "choices": ask.choices,
        "round": ask.round,
        "open": ask.is_open,
        "mine": vote_of(ask, member) if member else None,
        "right": None if ask.is_open else ask.right,
        "counts": [] if ask.is_open else counts_of(ask),
    }
