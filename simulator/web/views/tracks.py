"""A panel over a stretch of a run: every version of it and from which record on it holds, so that a browser can go back and forth alone.

A panel is a function of the record that was written last, so what has been shown once stays true. Most instants leave a panel as it is;
each version is sent once.
"""

import re
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from simulator.engine.kernel.records import Record
from simulator.engine.world.world import World
from simulator.models import Run
from simulator.runs import timemachine
from simulator.runs.history import is_kept
from simulator.runs.permissions import role_for
from simulator.web.forms import CausesForm, TrackForm
from simulator.web.views.common import run_or_404
from simulator.web.views.guards import costly
from simulator.web.views.panels import TABS, WorldScene, panel

TRACKED = ("inspector", "faults", "faultbar", "why", "machine", "map", "events", "resources", "yaml")
"""Panels that change with records alone. The others print ages in seconds, or what containers print between two records."""
INSTANTS_MAX = 400
WALK_S = 0.5
"""So long one answer computes; the browser asks for the rest."""
PASSING = re.compile(
    r'(data-(?:countdown|age-from)="\d+">)[^<]*|(href="\?t=)[0-9.]+|(name="(?:csrfmiddlewaretoken|client_key)" value=")[^"]*'
)
"""What the browser fills in by itself, and what differs each time a form is made: it makes no other version."""


@costly()
@require_safe
def run_track(request: HttpRequest, run_id: Any, tab: str) -> HttpResponse:
    """The versions of one panel between two moments.

    ``steps`` pairs the record from which on a version holds with its number in ``bodies``. They cover the records ``first`` to ``last``;
    where ``more`` is true the stretch goes on after ``last_ms``. A panel that shows more than records tell has none (204), and so has a run
    whose rules are not today's: each of its moments is asked for by itself. The panel Why of given records, ``recs``, comes as ``causes``
    by their numbers.
    """
    run = run_or_404(run_id)
    asks_causes = tab == "why" and "recs" in request.GET
    form = CausesForm(request.GET) if asks_causes else TrackForm(request.GET)
    if tab not in TABS:
        raise Http404
    if tab not in TRACKED:
        return HttpResponse(status=204)
    if not form.is_valid():
        return HttpResponseBadRequest(_("The address names no stretch of the run."))
    if is_kept(run):
        return HttpResponse(status=204)
    told = _causes if asks_causes else _track
    response = JsonResponse(told(request, run, tab, form.cleaned_data))
    response["Cache-Control"] = "private, no-cache"
    return response


def _causes(request: HttpRequest, run: Run, tab: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Why each of some records came to be: what the panel says of a record does not depend on the moment. One seek."""
    recs = [rec for each in fields["recs"].split(",") if (rec := int(each)) <= run.head_seq]
    if not recs:
        return {"causes": {}}
    world = timemachine.seek(run, seq=max(recs))
    past, role = timemachine.past(run, seq=world.seq), role_for(request, run)
    found = {}
    for rec in recs:
        scene = WorldScene(run=run, world=world, now_ms=world.now_ms, sel="", rec=rec, role=role, is_live=True)
        scene.__dict__["past"] = past
        found[str(rec)] = _rendered(request, tab, scene)
    return {"causes": found}


def _track(request: HttpRequest, run: Run, tab: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Render the panel at every instant until the stretch, the time or the number of instants ends."""
    from_ms, to_ms, role = fields["from_ms"], fields["to_ms"], role_for(request, run)
    began, numbers = perf_counter(), dict[str, int]()
    bodies: list[str] = []
    steps: list[tuple[int, int]] = []
    first = last = last_ms = 0
    more = False
    for place, (world, past) in enumerate(_instants(run, from_ms, to_ms)):
        if place >= INSTANTS_MAX or (place and perf_counter() - began > WALK_S):
            more = True
            break
        scene = WorldScene(
            run=run, world=world, now_ms=world.now_ms, sel=fields["sel"], rec=fields["rec"] or 0, role=role, is_live=True
        )  # fmt: skip
        scene.__dict__["past"] = past
        html = _rendered(request, tab, scene)
        kind = PASSING.sub(r"\1\2\3", html)
        if kind not in numbers:
            numbers[kind] = len(bodies)
            bodies.append(html)
        if not steps or steps[-1][1] != numbers[kind]:
            steps.append((world.seq, numbers[kind]))
        first, last, last_ms = first or world.seq, world.seq, world.now_ms
    return {"first": first, "last": last, "last_ms": last_ms, "more": more, "steps": steps, "bodies": bodies}


def _instants(run: Run, from_ms: int, to_ms: int) -> Iterator[tuple[World, list[Record]]]:
    """Every instant of the stretch with all records so far: one list that grows."""
    past: list[Record] = []
    for world, made in timemachine.walk(run, from_ms=from_ms, to_ms=to_ms):
        past = [*timemachine.past(run, seq=world.seq)] if not made and not past else past
        past.extend(made)
        yield world, past


def _rendered(request: HttpRequest, tab: str, scene: WorldScene) -> str:
    template, context = panel(tab, scene)
    shared = {"run": scene.run, "role": scene.role, "shown_ms": scene.now_ms, **scene.form_fields()}
    return render_to_string(template, {"panel": context, **shared}, request=request)
