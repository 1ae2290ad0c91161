"""A run's page, its panels and its records."""

from typing import Any
from uuid import UUID

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.registry import ACTS
from simulator.engine.course.header import RunHeader
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.units import Ms
from simulator.engine.world.past import past_of
from simulator.models import Run, SharedScenario
from simulator.runs.allowance import ASK_AGAIN_S
from simulator.runs.clock import coming, is_coming
from simulator.runs.permissions import role_for
from simulator.runs.selectors.records import milestones, records_page
from simulator.runs.selectors.runs import BranchRow, run_branches, run_clock, run_waits
from simulator.runs.services.runs import run_attend
from simulator.web.forms import MomentForm
from simulator.web.presenters import clock_text, computing_text, said, wait_text
from simulator.web.previews import run_preview
from simulator.web.stories import story_text
from simulator.web.views.common import LABELS, Moment, moment_of, run_or_404
from simulator.web.views.guards import costly
from simulator.web.views.kept import kept_facts
from simulator.web.views.moves import later_context, move_context
from simulator.web.views.panel_tags import answer_if_new
from simulator.web.views.panels import TABS as PANEL_TABS
from simulator.web.views.panels import PanelScene, panel, panel_or_progress, scene_at, scene_or_before
from simulator.web.views.refused import refused_facts
from simulator.web.views.rules import rule_texts_url

SPEEDS = ((250, "0.25×"), (500, "0.5×"), (1000, "1×"), (4000, "4×"), (16_000, "16×"), (60_000, "60×"), (600_000, "600×"))
RECORDS_LIMIT_MAX = 5000


@costly()
@require_safe
@never_cache
def run_detail(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The run page at the moment that the address names, live without one."""
    run = run_or_404(run_id)
    return render(request, "runs/detail.html", run_context(request, run, moment_of(request)))


def run_context(request: HttpRequest, run: Run, moment: Moment, share: SharedScenario | None = None) -> dict[str, Any]:
    """Everything the run page shows before its scripts take over; ``share`` is the link that it was opened by. One seek.

    Plays as much as one request may: of a moment further on it shows what the log has, and ``computing``, how far that has come.
    """
    scene = _scene(request, run, moment)
    clock, header = run_clock(run), scene.header
    drawer_template, drawer = panel_or_progress(moment.tab, scene)
    inspector_template, inspector = panel_or_progress("inspector", scene)
    computing = scene.computing or coming(run)
    branches = [] if run.is_frozen else [{"row": row, "label": branch_label(row)} for row in run_branches(run)]
    return {
        "run": run,
        "role": scene.role,
        "moment": moment,
        "shown_ms": scene.now_ms,
        "shown_seq": scene.seq,
        "waits": moment.t_ms is None and run_waits(run),
        "wait": _wait(run, scene, computing),
        "computing": computing,
        "ask_again_s": ASK_AGAIN_S,
        "clock": clock,
        "clock_json": msgspec.json.encode(clock).decode(),
        "run_socket": "" if run.is_frozen else f"/ws/run/{run.id}/",
        "facts": header,
        "loads": " ".join(scene.loads),
        "imported": imported_facts(header),
        "kept": kept_facts(run, share),
        "refused": refused_facts(run),
        "preview": run_preview(request, run, moment, scene.now_ms, share.id if share else ""),
        "branches": branches,
        "branch_path": branch_path(branches),
        "moved": move_context(run),
        "later": later_context(run),
        "parent_url": _parent_records(run),
        "story": story_text(run.scenario) if run.scenario else None,
        "manifest": run.content().source.manifests,
        "milestones": _moments(run),
        "speeds": SPEEDS,
        "rules_url": rule_texts_url(),
        "inspector_template": inspector_template,
        "inspector": inspector,
        "tabs": [{"name": tab, "label": label, "href": _tab_link(moment, tab)} for tab, label in LABELS.items()],
        "drawer_template": drawer_template,
        "drawer": drawer,
        **scene.form_fields(),
    }


def _scene(request: HttpRequest, run: Run, moment: Moment) -> PanelScene:
    return scene_or_before(
        run,
        t_ms=moment.t_ms,
        asked_ms=run.head_ms if moment.t_ms is None else moment.t_ms,
        sel=moment.sel,
        rec=moment.rec,
        role=role_for(request, run),
        is_live=moment.t_ms is None,
        line=moment.line,
        did=moment.did,
        part=moment.part,
        pin_ms=moment.pin_ms,
        noise=moment.noise,
    )


def _wait(run: Run, scene: PanelScene, computing: tuple[Ms, Ms] | None) -> str:
    """What is waited for: the moment that was asked for, a place for the run, or its way to where its clock stands."""
    if run.wait and run.wait.reason != "opening" and not scene.computing:
        return wait_text(run.wait)
    return computing_text(*computing) if computing else ""


def branch_label(row: BranchRow) -> str:
    """What a branch is called: what was done in it first, the moment it begins at where nothing was, "main" for the root."""
    if row.parent_ms is None:
        return _("main")
    if row.first is not None:
        return said(sentence_of(ACTS.of(row.first), row.first))
    return _("from %(time)s") % {"time": clock_text(row.parent_ms)}


def branch_path(branches: list[dict[str, Any]]) -> list[str]:
    """The names from the root to the branch that is shown."""
    labels = {item["row"].run_id: (item["row"].parent_id, item["label"]) for item in branches}
    found: list[str] = []
    at = next((item["row"].run_id for item in branches if item["row"].is_current), None)
    while at in labels:
        at, label = labels[at]
        found.insert(0, label)
    return found


def _parent_records(run: Run) -> str:
    """Where the history is read that a branch was made from; empty for what is none, or was made from somebody's link."""
    return reverse("sim:run-records", args=[run.parent_id]) if run.parent_id and not run.is_frozen else ""


def _tab_link(moment: Moment, tab: str) -> str:
    return Moment(t_ms=moment.t_ms, sel=moment.sel, rec=moment.rec, tab=tab, line=moment.line, did=moment.did).query() or "?tab=why"


def _moments(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "at_ms": row.at_ms,
            "subject": row.subject,
            "target": row.target,
            "href": Moment(t_ms=row.at_ms, sel=row.subject, rec=row.seq).query(),
        }
        for row in milestones(run, limit=300)
    ]


@costly()
@require_safe
@vary_on_headers("HX-Request")
def run_panel(request: HttpRequest, run_id: UUID, seq: int, tab: str) -> HttpResponse:
    """The inner HTML of one panel as it is right after record ``seq``, with ages and countdowns at ``t``."""
    run = run_or_404(run_id)
    form = MomentForm(request.GET)
    if tab not in PANEL_TABS:
        raise Http404
    if not form.is_valid():
        return HttpResponseBadRequest(_("The address does not specify a moment."))
    fields = form.cleaned_data
    scene = scene_at(
        run,
        seq=seq,
        asked_ms=fields["t"] or 0,
        sel=fields["sel"],
        rec=fields["rec"] or 0,
        role=role_for(request, run),
        is_live=True,
        line=fields["k"],
        did=fields["did"] or 0,
        part=fields["part"],
        pin_ms=fields["pin"],
        noise=fields["noise"],
    )
    template, context = panel(tab, scene)
    context = {"panel": context, "run": run, "role": scene.role, "shown_ms": scene.now_ms, **scene.form_fields()}
    return answer_if_new(request, render(request, template, context))


@require_safe
def run_records(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Records after ``after`` as the socket's frame of records. Who asks for a log that is still being written attends to the run."""
    run = run_or_404(run_id)
    after, limit = whole_number(request.GET.get("after", "0")), whole_number(request.GET.get("limit", "2000"))
    if after is None or limit is None:
        return HttpResponseBadRequest(_("after and limit must be whole numbers."))
    if is_coming(run):
        run_attend(run_id=run.id)
    page = records_page(run, after=after, limit=max(1, min(limit, RECORDS_LIMIT_MAX)))
    response = HttpResponse(page, content_type="application/json")
    response["Cache-Control"] = "private, no-cache"
    return response


def imported_facts(header: RunHeader) -> dict[str, Any] | None:
    """When an imported past ends, and what is assumed of its containers from there on."""
    past = past_of(header)
    if past is None:
        return None
    return {"clock": clock_text(past.resume_ms), "assumed": [(subject.removeprefix("container/"), text) for subject, text in past.assumed]}
