"""A panel over an interval of a run: all its versions, each with the moment from which it holds, so that a browser can scrub locally.

A panel is a function of the world and the moment, so what has been shown once stays valid. Most instants do not change a panel; each
version is sent once, and so is each line that several versions have in common.

The walk goes from instant to instant. Most are skipped by cheap checks, in this order: the panel is only about the
selection and none of the instant's records concerns it; the panel's context equals the previous one; the rendered text
is a version that has already occurred. A response ends after a limited time or number of instants and says so with
``more``; what it covers is always complete.
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
"""Panels that depend on a single moment. Diff depends on two."""
INSTANTS_MAX = 400
WALK_S = 0.5
"""CPU seconds per response, however busy the machine is; the browser requests the rest."""
_ASKED = {
    "kubectl": "{line}",
    "describe": "describe {kind}",
    "yaml": "get {kind} -o yaml",
    "events": "get events -o yaml",
    "inspector": "get events -o yaml",
    "logs": "logs",
}
"""Panels that may also change between two steps, each with the kubectl line whose output shows when. Others change only with records."""
_OWN = frozenset({"inspector", "faults", "faultbar", "why", "yaml", "describe", "events", "machine"})
"""Panels that are only about the selection, and whose every change is recorded; what a container prints is not recorded."""
_LISTED = frozenset({"status_word", "object", "condition"})
"""The machines shown in the inspector's list of pods."""
_PULLED = ("container", "pulling")
"""A pull has ended: the end of the node's next pull is now known, and the inspector counts down to it."""
_COUNTDOWN = re.compile(r'data-countdown="(\d+)"')


@costly()
@require_safe
def run_track(request: HttpRequest, run_id: Any, tab: str) -> HttpResponse:
    """The versions of one panel between two moments.

    ``steps`` are triples: the last record, the moment from which a version holds, and its number in ``bodies``. They cover the moments
    ``from_ms`` to ``until_ms`` and the records up to ``last``; if ``more`` is true, the interval continues after ``until_ms``.
    ``TextVersions`` explains the encoding of bodies. A run recorded under other rules has no track (204), nor has a panel that compares
    moments: each of their moments is requested separately. The Why panel for given records, ``recs``, is returned as ``causes`` by number.
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
    """The Why panel for each of some records, which does not depend on the moment. One seek."""
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
    """Render the panel at every instant that may change it, until the end of the interval or a limit on time, work or instants."""
    until_ms, sel = min(fields["to_ms"], moment_of(run)), fields["sel"]
    look = _TextLook(tab, sel, fields["k"]) if tab in _ASKED else None
    asked = {
        "sel": sel,
        "rec": fields["rec"] or 0,
        "line": fields["k"],
        "did": fields["did"] or 0,
        "part": fields["part"],
        "namespace": fields["ns"],
    }
    began, versions, role = thread_time(), TextVersions(), role_for(request, run)
    befores = dict[int, World]()
    steps: list[tuple[int, Ms, int]] = []
    looked, last, last_ms, more, is_own = 0, 0, 0, False, False
    shown: Context | None = None
    try:
        for world, past, made in _instants(run, fields["from_ms"], until_ms, look):
            # At least one instant per response, or a slow machine would never make progress. CPU time of this thread,
            # so that a busy machine does not shorten the interval.
            if looked >= INSTANTS_MAX or (looked > 1 and thread_time() - began > WALK_S):
                more = True
                break
            last, last_ms = world.seq, world.now_ms
            is_due = look is not None and look.is_due(world)
            # Most instants of a large run end here, because nothing in them can affect this panel.
            if is_own and not is_due and not any(is_about(tab, sel, record) for record in made):
                continue
            looked += 1
            scene = WorldScene(run=run, world=world, now_ms=world.now_ms, role=role, is_live=True, **asked)
            # Fill the cached properties: the walk already has these, and a seek for each would be expensive.
            scene.__dict__.update(past=past, befores=befores)
            is_own = scene.key == pod_key(sel)  # if the pod is not known at the moment, another one is shown
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
        more, last_ms = True, max(last_ms, met.reached_ms - 1)  # the instant that it names may be incomplete
    covered = {"from_ms": steps[0][1], "until_ms": last_ms if more else max(last_ms, until_ms), "last": last, "more": more}
    return {**covered, "steps": steps, "lines": versions.lines, "bodies": versions.bodies}


class _TextLook:
    """When to look at a panel between two steps: when kubectl's output changes, and when a countdown ends.

    ``html`` is the last version of the panel.
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
        """Whether the last named moment has been reached."""
        return self._due_ms is not None and world.now_ms >= self._due_ms


def is_about(tab: str, sel: Subject, record: Record) -> bool:
    """Whether a record can affect the panel: what happens to other pods does not change a panel about a pod.

    The browser uses the same rule to decide whether to fetch a panel again (``static/js/lanes/concerns.js``).
    """
    own, about = pod_key(sel), pod_key(record.subject)
    if not own or tab not in _OWN or about in ("", own):
        return True
    return tab == "inspector" and (record.machine in _LISTED or (record.machine, record.source) == _PULLED)


def _instants(run: Run, from_ms: Ms, to_ms: Ms, look: timemachine.Look | None) -> Iterator[tuple[World, list[Record], list[Record]]]:
    """Every instant of the interval, with all records so far (one growing list) and the instant's own records."""
    past: list[Record] = []
    for world, made in timemachine.walk(run, from_ms=from_ms, to_ms=to_ms, look=look):
        past = [*timemachine.past(run, seq=world.seq)] if not made and not past else past
        past.extend(made)
        yield world, past, made


def is_same(context: Context, shown: Context | None) -> bool:
    """Whether a template would give the same result. Changes that depend only on the moment are handled when they are due."""
    return context == shown


def _rendered(request: HttpRequest, template: str, context: Context, scene: WorldScene) -> str:
    return render_to_string(template, {"panel": context, **scene.frame()}, request=request)
