"""A panel over a stretch of a run: every version of it and from which moment on it holds, so that a browser can go back and forth alone.

A panel is a function of the world and the moment, so what has been shown once stays true. Most instants leave a panel as it is; each
version is sent once, and of versions that have lines in common each line.

The walk goes from instant to instant. Most are skipped by cheap questions, in this order: is the panel
about the selection alone and none of the instant's records concerns it; is the panel's context equal to the
one before; is the rendered text a version that was met already. An answer ends after a bounded time or
number of instants and says so with ``more``; what it covers is always whole.
"""

import re
from collections.abc import Iterator
from time import thread_time
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.projection.subjects import pod_key
from simulator.engine.world.world import World
from simulator.kubectl.between import next_change
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.history import is_kept
from simulator.runs.permissions import role_for
from simulator.runs.turns.allowance import StillComputing
from simulator.web.base.common import Context, run_or_404
from simulator.web.base.guards import costly
from simulator.web.run.panels import TABS, panel
from simulator.web.run.run_forms import CausesForm, TrackForm
from simulator.web.run.scenes import WorldScene
from simulator.web.run.versions import TextVersions

TRACKED = tuple(tab for tab in TABS if tab != "diff")
"""Panels that follow from one moment. Diff has two of them."""
INSTANTS_MAX = 400
WALK_S = 0.5
"""So long one answer computes, whatever else the machine does; the browser asks for the rest."""
_ASKED = {
    "kubectl": "{line}",
    "describe": "describe {kind}",
    "yaml": "get {kind} -o yaml",
    "events": "get events -o yaml",
    "inspector": "get events -o yaml",
    "logs": "logs",
}
"""The line of kubectl between two steps of whose answer the panel changes, too. The others change with records alone."""
_OWN = frozenset({"inspector", "faults", "faultbar", "why", "yaml", "describe", "events", "machine"})
"""Panels about what is selected alone, and of which every change is recorded; what a container prints is not."""
_LISTED = frozenset({"status_word", "object", "condition"})
"""What the inspector's list of pods shows of each."""
_PULLED = ("container", "pulling")
"""A pull has ended: the next one of the node has an end now, which the inspector counts down to."""
_COUNTDOWN = re.compile(r'data-countdown="(\d+)"')


@costly()
@require_safe
def run_track(request: HttpRequest, run_id: Any, tab: str) -> HttpResponse:
    """The versions of one panel between two moments.

    ``steps`` are triples: the last record, the moment from which on a version holds, and its number in ``bodies``. They cover the moments
    ``from_ms`` to ``until_ms`` and the records up to ``last``; where ``more`` is true the stretch goes on after ``until_ms``. How bodies
    stand for text is told by ``TextVersions``. A run whose rules are not today's has no track (204), and neither has a panel that compares:
    each of their moments is asked for by itself. The panel Why of given records, ``recs``, comes as ``causes`` by their numbers.
    """
    run = run_or_404(run_id)
    asks_causes = tab == "why" and "recs" in request.GET
    form = CausesForm(request.GET) if asks_causes else TrackForm(request.GET)
    if tab not in TABS:
        raise Http404
    if tab not in TRACKED:
        return HttpResponse(status=204)
    if not form.is_valid():
        return HttpResponseBadRequest(_("The address does not specify an interval of the run."))
    if is_kept(run):
        return HttpResponse(status=204)
    told = _causes if asks_causes else _track
    response = JsonResponse(told(request, run, tab, form.cleaned_data))
    response["Cache-Control"] = "private, no-cache"
    return response


def _causes(request: HttpRequest, run: Run, tab: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Why each of some records came to be: what the panel says of a record does not depend on the moment. One seek."""
    recs = [rec for each in fields["recs"].split(",") if (rec := whole_number(each)) is not None and rec <= run.head_seq]
    if not recs:
        return {"causes": {}}
    world = timemachine.seek(run, seq=max(recs))
    past, role = timemachine.past(run, seq=world.seq), role_for(request, run)
    found = {}
    for rec in recs:
        scene = WorldScene(run=run, world=world, now_ms=world.now_ms, sel="", rec=rec, role=role, is_live=True)
        scene.__dict__["past"] = past
        found[str(rec)] = _rendered(request, *panel(tab, scene), scene)
    return {"causes": found}


def _track(request: HttpRequest, run: Run, tab: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Render the panel at every instant that may change it, until the stretch, the time, the work or the number of instants ends."""
    until_ms, sel = min(fields["to_ms"], moment_of(run)), fields["sel"]
    look = _TextLook(tab, sel, fields["k"]) if tab in _ASKED else None
    asked = {"sel": sel, "rec": fields["rec"] or 0, "line": fields["k"], "did": fields["did"] or 0, "part": fields["part"]}
    began, versions, role = thread_time(), TextVersions(), role_for(request, run)
    befores = dict[int, World]()
    steps: list[tuple[int, Ms, int]] = []
    looked, last, last_ms, more, is_own = 0, 0, 0, False, False
    shown: Context | None = None
    try:
        for world, past, made in _instants(run, fields["from_ms"], until_ms, look):
            # At least one instant an answer, or a slow machine would never get on. CPU time of this thread, so that
            # a busy machine does not shorten the stretch.
            if looked >= INSTANTS_MAX or (looked > 1 and thread_time() - began > WALK_S):
                more = True
                break
            last, last_ms = world.seq, world.now_ms
            is_due = look is not None and look.is_due(world)
            # Most instants of a large run end here: nothing of them can show in this panel.
            if is_own and not is_due and not any(is_about(tab, sel, record) for record in made):
                continue
            looked += 1
            scene = WorldScene(run=run, world=world, now_ms=world.now_ms, role=role, is_live=True, **asked)
            # Into the cached properties: the walk has these already, a seek for each would cost it again.
            scene.__dict__.update(past=past, befores=befores)
            is_own = scene.key == pod_key(sel)  # where the moment does not know the pod, another is shown
            template, context = panel(tab, scene)
            if not is_due and is_same(context, shown):
                continue
            shown, html = context, _rendered(request, template, context, scene)
            body = versions.number_of(html)
            if look is not None:
                look.html = html
            if not steps or steps[-1][2] != body:
                steps.append((world.seq, world.now_ms, body))
    except StillComputing as met:
        if not steps:
            raise
        more, last_ms = True, max(last_ms, met.reached_ms - 1)  # the instant that it names may not be whole
    covered = {"from_ms": steps[0][1], "until_ms": last_ms if more else max(last_ms, until_ms), "last": last, "more": more}
    return {**covered, "steps": steps, "lines": versions.lines, "bodies": versions.bodies}


class _TextLook:
    """When to look at a panel between two steps: when kubectl's answer changes, and when what is counted down to has come.

    ``html`` is the panel as it was last.
    """

    def __init__(self, tab: str, sel: Subject, line: str) -> None:
        self.html = ""
        self._due_ms: Ms | None = None
        self._text = _ASKED[tab].format(kind=sel.partition("/")[0] or "pod", line=line or "get pods")

    def __call__(self, world: World) -> Ms | None:
        ends = [int(end) for end in _COUNTDOWN.findall(self.html)]
        change_ms = next_change(world, self._text)
        self._due_ms = min([*([] if change_ms is None else [change_ms]), *(end for end in ends if end > world.now_ms)], default=None)
        return self._due_ms

    def is_due(self, world: World) -> bool:
        """Whether the moment has come that was named last."""
        return self._due_ms is not None and world.now_ms >= self._due_ms


def is_about(tab: str, sel: Subject, record: Record) -> bool:
    """Whether the panel can show anything of a record: what happens to other pods leaves one about a pod as it is.

    The browser asks by the same rule whether a panel is to be fetched anew (``static/js/lanes/concerns.js``).
    """
    own, about = pod_key(sel), pod_key(record.subject)
    if not own or tab not in _OWN or about in ("", own):
        return True
    return tab == "inspector" and (record.machine in _LISTED or (record.machine, record.source) == _PULLED)


def _instants(run: Run, from_ms: Ms, to_ms: Ms, look: timemachine.Look | None) -> Iterator[tuple[World, list[Record], list[Record]]]:
    """Every instant of the stretch with all records so far, one list that grows, and with those that it made."""
    past: list[Record] = []
    for world, made in timemachine.walk(run, from_ms=from_ms, to_ms=to_ms, look=look):
        past = [*timemachine.past(run, seq=world.seq)] if not made and not past else past
        past.extend(made)
        yield world, past, made


def is_same(context: Context, shown: Context | None) -> bool:
    """Whether a template would say the same again. What it makes of the moment alone is looked at when that is due."""
    return context == shown


def _rendered(request: HttpRequest, template: str, context: Context, scene: WorldScene) -> str:
    return render_to_string(template, {"panel": context, **scene.frame()}, request=request)
