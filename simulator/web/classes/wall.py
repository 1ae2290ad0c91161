"""The wall of a class, only for its teacher: a tile for each pupil, where attempts fail, the vote, and sending everybody somewhere."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.template.loader import get_template, render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from simulator.engine.kernel.bounded import milliseconds, whole_number
from simulator.engine.kernel.units import Ms
from simulator.levels.level import Level
from simulator.levels.reading import BadLevel
from simulator.models import ClassAsk, ClassMember, Classroom, Run
from simulator.runs.log.clock import moment_of
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.selectors.class_wall import (
    TriedLevel,
    ask_of,
    classroom_of,
    counts_of,
    has_results,
    is_here,
    levels_sent,
    members_of,
    tried_of,
)
from simulator.runs.selectors.runs import run_get
from simulator.runs.services.class_code import code_of
from simulator.runs.services.class_wall import (
    CHOICES_MAX,
    ROUNDS,
    ask_change,
    ask_put,
    ask_right,
    class_come_back,
    class_start,
    copies_of,
    run_copied,
    start_run_of,
)
from simulator.runs.services.errors import Refused, ServiceError
from simulator.runs.services.runs import NewRuns
from simulator.web.base.caches import TILES
from simulator.web.base.common import refusal, wants_fragment, wants_json
from simulator.web.base.guards import compute
from simulator.web.base.levels import builtin_levels, level_of_key, level_text, levels_of_keys
from simulator.web.classes.tiles import HistogramRow, Tile, bars, common_level, shown_of, tiles_of
from simulator.web.levels.level_pages import attempts_at
from simulator.web.run.manifests import json_answer

_TILE = "classrooms/partials/_tile.html"
MS_MAX = 10**12
RUN_PATH = re.compile(r"/r/([0-9a-f-]{36})/")
LEVEL_PATHS = (
    (re.compile(r"(?:^|/)l/([a-z0-9]{1,52})/?(?:[?#].*)?$"), "~"),
    (re.compile(r"(?:^|/)levels/([a-z0-9-]{1,60})/?(?:[?#].*)?$"), ""),
)
"""Patterns of levels' URLs, each with the prefix of the key."""
Led = Callable[..., HttpResponse]


def led(view: Led) -> Led:
    """Restrict a view to the class's leader, with a 404 for anybody else and for unknown classes. Errors give a 422."""

    @wraps(view)
    def answered(request: HttpRequest, code: str, **more: Any) -> HttpResponse:
        room = classroom_of(code_of(code), owner_key=known_key(request))
        if room is None:
            raise Http404
        try:
            return view(request, room, **more)
        except ServiceError as error:
            return refusal(request, str(error), back=reverse("sim:class-wall", args=[room.id]))

    return answered


@require_safe
@never_cache
@led
def class_wall(request: HttpRequest, room: Classroom) -> HttpResponse:
    """The wall; for htmx only its content, or 204 if the page already has that (``as_of``)."""
    inner = render_to_string("classrooms/partials/_wall.html", _wall(room), request)
    as_of = hashlib.sha256(inner.encode()).hexdigest()[:16]
    if wants_fragment(request):
        if request.GET.get("as_of") == as_of:
            return HttpResponse(status=204)
        return render(request, "classrooms/partials/_live.html", {"room": room, "inner": inner, "as_of": as_of})
    get_template(_TILE)  # loaded now, rather than when everybody's pages open
    levels = [(slug, level_text(level, level.title)) for slug, level in builtin_levels().items()]
    link = request.build_absolute_uri(f"/class/{room.id}/")
    context = {"room": room, "inner": inner, "as_of": as_of, "levels": levels, "link": link, "has_results": has_results(room)}
    return render(request, "classrooms/wall.html", context)


def _wall(room: Classroom) -> dict[str, Any]:
    members = members_of(room)
    tried = tried_of(members, since=room.created_at)
    sent = levels_sent(room)
    key = common_level(sent[-1] if sent else "", members)
    levels = levels_of_keys({key, *(member.run.level for member in members if member.run is not None)} - {""})
    ask = ask_of(room)
    return {
        "room": room,
        "tiles": [_markup(room, tile) for tile in tiles_of(members, tried, levels)],
        "here": sum(is_here(member) for member in members),
        "hands": [member for member in sorted(members, key=_hand_at) if member.hand_at],
        "level": level_text(levels[key], levels[key].title) if key in levels else "",
        "failures": _failures(levels[key], key, members, tried) if key in levels else [],
        "ask": ask,
        "rounds": ask_rounds(ask) if ask else [],
        "may_again": bool(ask and not ask.is_open and ask.round < ROUNDS),
    }


def _markup(room: Classroom, tile: Tile) -> SafeString:
    """A tile's markup; cached while it shows the same."""
    make = partial(render_to_string, _TILE, {"room": room, "tile": tile})
    return TILES.of((room.id, get_language(), tile.shown), make)


def _hand_at(member: ClassMember) -> float:
    return member.hand_at.timestamp() if member.hand_at else 0.0


def _failures(level: Level, key: str, members: Sequence[ClassMember], tried: Mapping[tuple[str, str], TriedLevel]) -> list[HistogramRow]:
    """A histogram of the checks that the pupils' newest attempts failed first."""
    mine = [found for member in members if (found := tried.get((member.owner_hash, key)))]
    passed = sum(found.passed is not None for found in mine)
    failed = Counter(found.newest.failed for found in mine if found.passed is None)
    rows = [(level_text(level, check.text) or check.id, failed[check.id], "failed") for check in level.checks]
    other = sum(failed.values()) - sum(count for _text, count, _kind in rows)
    return bars(
        [
            *rows,
            *([(_("An action that does not count"), other, "failed")] if other else []),
            (_("Passed"), passed, "passed"),
            (_("Not checked yet"), len(members) - len(mine), "open"),
        ]
    )


def ask_rounds(ask: ClassAsk) -> list[list[HistogramRow]]:
    """The class's votes, round by round. One query."""
    kinds = ["right" if n == ask.right else "choice" for n in range(len(ask.choices))]
    return [bars([*zip(ask.choices, counts, kinds, strict=True)]) for counts in counts_of(ask)]


@require_POST
@led
def class_wall_start(request: HttpRequest, room: Classroom) -> HttpResponse:
    """Start everybody here: from ``run`` at ``t`` (default: where the class is), or with the level named by ``level``."""
    named = request.POST.get("level", "").strip()
    pick = request.POST.get("pick", "")
    if named or pick:
        key = level_key(named or pick)
        compute(request)
        class_start(room=room, level=key, begins=_begun_once(level_attempts(key)))
    elif request.POST.get("do") == "level":
        raise Refused("level", _("Choose a level, or paste a link to one."))
    else:
        run, at_ms = _here(request, room)
        own = start_run_of(run, owner_key=owner_key(request))
        compute(request)
        class_start(room=room, run=own, at_ms=at_ms, begins=_begun_once(copies_of(own, at_ms=at_ms, is_begun=True)))
    return _done(request, room)


def _begun_once(begins: NewRuns) -> NewRuns | None:
    """The starting point if everybody's run can be made at once; None if each beginning has to be computed, and pages take turns."""
    return begins if begins.beginning is not None else None


def level_attempts(key: str) -> NewRuns:
    """The starting point of everybody's attempts at a level. Raises Refused."""
    level = level_of_key(key)
    if level is None:
        raise Refused("start", _("What your teacher started from no longer exists."))
    try:
        return attempts_at(level, key)
    except BadLevel as error:
        raise Refused("level", _("This level cannot be played: %(problems)s") % {"problems": "; ".join(error.problems)}) from None


def level_key(named: str) -> str:
    """The key of the level named by a slug, a key or a link. Raises Refused."""
    key = named
    for path, prefix in LEVEL_PATHS:
        found = path.search(named)
        if found:
            key = prefix + found[1]
    if len(key) > 60 or "\x00" in key or level_of_key(key) is None:
        raise Refused("level", _("There is no such level. Choose one, or paste a link to one."))
    return key


def _here(request: HttpRequest, room: Classroom) -> tuple[Run | None, Ms]:
    """The run and moment named in the form, otherwise those that the class is looking at."""
    given = request.POST.get("run", "")
    path = RUN_PATH.fullmatch(room.path)
    try:
        run = run_get(UUID(given or (path[1] if path else "")))
    except ValueError:
        return None, 0
    at_ms = whole_number(request.POST.get("t", ""), most=MS_MAX) if given else milliseconds(QueryDict(room.query).get("t", ""), most=MS_MAX)
    return run, at_ms if at_ms is not None else moment_of(run) if run is not None else 0


@require_POST
@led
def class_wall_back(request: HttpRequest, room: Classroom) -> HttpResponse:
    """Bring everybody back to the teacher's page; their runs keep what they did."""
    class_come_back(room=room)
    return _done(request, room)


@require_POST
@led
def class_wall_ask(request: HttpRequest, room: Classroom) -> HttpResponse:
    """Ask everybody for a prediction (``do=put``), close the vote, let everybody vote again, mark the ``right`` answer, or end it."""
    do = request.POST.get("do", "")
    if "right" in request.POST:
        choice = whole_number(request.POST["right"], most=CHOICES_MAX)
        if choice is None and request.POST["right"]:
            raise Refused("choice", _("Choose an answer."))
        ask_right(room=room, choice=choice)
    elif do == "put":
        ask_put(room=room, question=request.POST.get("question", ""), choices=request.POST.get("choices", "")[:2000].split("\n"))
    else:
        ask_change(room=room, do=do)
    return _done(request, room)


@require_POST
@led
def class_wall_show(request: HttpRequest, room: Classroom, member_id: int) -> HttpResponse:
    """Make a copy of a pupil's run at the failing instant for the teacher, and move the class there."""
    member = ClassMember.objects.select_related("run").filter(room=room, id=member_id).first()
    if member is None or member.run is None:
        raise Refused("run", _("This pupil does not have a run yet."))
    mine = tried_of([member], since=room.created_at, levels=[member.run.level]).get((member.owner_hash, member.run.level))
    shown_id, moment = shown_of(member.run, mine)
    run = run_get(shown_id) or member.run
    at_ms = run.head_ms if moment.t_ms is None else moment.t_ms
    copy = run_copied(run=run, owner_key=owner_key(request), at_ms=at_ms, address=address_hash_of(request))
    return redirect(f"{reverse('sim:run', args=[copy.id])}?class={room.id}")


def _done(request: HttpRequest, room: Classroom) -> HttpResponse:
    return json_answer({"start": room.starts}) if wants_json(request) else redirect("sim:class-wall", code=room.id)
