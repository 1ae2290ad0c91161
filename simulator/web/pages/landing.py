"""The landing page, with a simulation that is already running.

The demo is an ordinary run of the story marked ``landing``, owned by the visitor: dragging, acting and
branching work as anywhere. It is reused while it is fresh, of this revision and not far along.
"""

import json
from dataclasses import replace
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from simulator.engine import REVISION
from simulator.models import Run, Scenario
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.selectors.runs import runs_owned
from simulator.runs.selectors.scenarios import scenario_get
from simulator.runs.services.errors import ServiceError
from simulator.web.base.common import moment_of
from simulator.web.base.guards import costly
from simulator.web.base.stories import builtin_stories
from simulator.web.gallery.scenarios import scenario_start
from simulator.web.run.page import run_page

DEMO_FRESH = timedelta(minutes=10)
DEMO_MS_MAX = 20 * 60_000
DEMOS_A_MINUTE_MAX = 30
"""Beyond this, visitors share the newest demo, so that opening the page cannot fill the database."""


@costly()
@require_safe
@never_cache
def landing(request: HttpRequest) -> HttpResponse:
    """The visitor's demo run with three entry points; just the entry points if the demo cannot run."""
    try:
        run = _demo_run(request)
    except ServiceError:
        run = None
    if run is None:
        return render(request, "landing_doors.html")
    page = replace(run_page(request, run, moment_of(request)), story=None)
    return render(request, "landing.html", page.context(variant="run--landing", coach_steps=_coach_steps()))


def _demo_run(request: HttpRequest) -> Run | None:
    """The visitor's own fresh demo, or a new one, or the newest of all if too many are being started."""
    slug = next((story.slug for story in builtin_stories().values() if story.landing), "")
    scenario = scenario_get(slug)
    if scenario is None:
        return None
    # A HEAD request must not store anything, and a demo is a run in the database.
    if request.method == "HEAD":
        return None
    owner = owner_key(request)
    since = timezone.now() - DEMO_FRESH
    for run in runs_owned(owner, limit=10):
        is_fresh = run.created_at >= since and run.head_ms < DEMO_MS_MAX and run.revision == REVISION
        if run.scenario_id == scenario.id and run.parent_id is None and is_fresh:
            return run
    return _crowded(scenario) or scenario_start(scenario, owner=owner, address=address_hash_of(request))


def _crowded(scenario: Scenario) -> Run | None:
    """The newest demo if too many were started in the last minute, otherwise None."""
    recent = Run.objects.filter(scenario=scenario, revision=REVISION, created_at__gte=timezone.now() - timedelta(minutes=1)).order_by(
        "-created_at"
    )
    return recent.first() if recent.count() >= DEMOS_A_MINUTE_MAX else None


def _coach_steps() -> str:
    """Hints for the first minute, as JSON: the elements that each may point at (the first visible one is used) and its text."""
    steps = (
        (("scrubber",), _("Drag back. Nothing is lost.")),
        (
            ("sheet-acts", "insp-acts", "inspector"),
            _("Click a button: a fault either starts a branch or changes this run, and nothing outside it."),
        ),
        (("sheet-why", "tab-why"), _("Why? Each step is a rule; click it to go to that moment.")),
    )
    return json.dumps([{"at": at, "text": text} for at, text in steps])
