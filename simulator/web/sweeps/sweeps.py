"""Sweeps: the form for a run, a scenario or pasted manifests; the page with chart and table; and the runs behind its cells.

These pages only request and show; runners compute the cells, which are shared by everybody who requests the same. While
a sweep is under way the page fetches its progress every second, so that part must not read manifests.
"""

from typing import Any
from uuid import UUID

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from simulator.engine import Stamped
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.network.load.spec import ANNOTATION
from simulator.engine.versions.usual import OFFERED
from simulator.headless.sweeps.fields import numeric_fields
from simulator.headless.sweeps.outcomes import COUNT, OUTCOMES, BadOutcome, outcome_of
from simulator.headless.sweeps.sweep import Summary, SweepCell, Swept, summaries
from simulator.headless.sweeps.table import more_text, number_text
from simulator.manifests.check.check import Checked, check_text
from simulator.manifests.editor.diagnostics import report_of
from simulator.models import Run, Scenario, StoredSweep, SweepAsk
from simulator.runs.log.content import Content
from simulator.runs.log.history import commands_of
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.selectors.sweeps import sweep_before, sweep_get, sweep_is_untaken, sweeps_owned
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.sweeps import cell_open, is_asker, sweep_again, sweep_ask, sweep_seen, sweep_stop
from simulator.runs.turns.constants import CELL_S
from simulator.scenarios.build import build_content, title_of
from simulator.web.base.common import Moment, go_to, refusal, run_or_404, scenario_or_404, status_of, wants_fragment
from simulator.web.base.guards import costly
from simulator.web.base.problems import report_rows
from simulator.web.base.stories import builtin_stories
from simulator.web.gallery.scenarios import SEED_DEFAULT
from simulator.web.sweeps.sweep_chart import chart_of
from simulator.web.sweeps.sweep_forms import SweepForm, SweepManifestForm, limits, opening

OWN_MAX = 20
_POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: app
    image: busybox:1.36
    command: ["sh", "-c", "{script}"]
    {probe}:
      exec:
        command: ["cat", "/tmp/ok"]
      periodSeconds: 5
"""
EXAMPLES = {
    "ready": _POD.format(script="sleep 7; touch /tmp/ok; sleep 600", probe="readinessProbe"),
    "hang": _POD.format(script="touch /tmp/ok; sleep 20; rm /tmp/ok; sleep 25; touch /tmp/ok; sleep 600", probe="livenessProbe"),
}
"""Example manifests: a pod that is slow to start, and one that hangs for a while."""
ASKED = ("field", "first", "last", "step", "seeds", "outcome", "argument", "pod", "seconds")
"""The form fields that a URL may fill in."""
ARGUMENTS = ("readiness", "liveness", "startup", "Succeeded", "Failed", "BackOff", "Unhealthy", "Killing", "FailedScheduling", "Evicted")
"""Completions for an outcome's argument."""
TONES = {"queued": "info", "running": "info", "done": "ok", "stopped": "warn", "failed": "bad"}


@costly()
@require_http_methods(["GET", "HEAD", "POST"])
def run_sweep(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """A sweep of a run with all acts given so far."""
    run = run_or_404(run_id)
    content = msgspec.structs.replace(run.content(), commands=tuple(commands_of(run)))
    page = {"title": run.title, "back": reverse("sim:run", args=[run.id]), "acts": len(content.commands)}
    return _sweep_form(request, content, page, run=run, scenario=run.scenario)


@costly()
@require_http_methods(["GET", "HEAD", "POST"])
def scenario_sweep(request: HttpRequest, slug: str) -> HttpResponse:
    """A sweep of a scenario, with the acts of a reader who follows its story, or the acts that the story specifies for sweeps."""
    scenario = scenario_or_404(slug)
    story = builtin_stories().get(slug) if scenario.is_builtin else None
    steps = story.sweep_steps() if story else ()
    commands = tuple(Stamped(step.at_ms, n, step.command) for n, step in enumerate(steps, 1))
    content = scenario.content()
    content = msgspec.structs.replace(content, commands=(*content.commands, *commands))
    page = {"title": scenario.title, "back": reverse("sim:scenario", args=[slug]), "acts": len(content.commands)}
    return _sweep_form(request, content, page, scenario=scenario)


def _sweep_form(
    request: HttpRequest, content: Content, page: dict[str, Any], *, run: Run | None = None, scenario: Scenario | None = None
) -> HttpResponse:
    fields = numeric_fields(content.header)
    if request.method != "POST":
        form = SweepForm(initial=opening(fields, _values_in_url(request), has_load=_has_load(content)))
        return _form_page(request, form, fields, page)
    form = SweepForm(request.POST)
    sweep = form.sweep(content.header, content.commands) if form.is_valid() else None
    if sweep is not None:
        try:
            row = sweep_ask(
                sweep=sweep,
                title=page["title"],
                owner_key=owner_key(request),
                source=content.source,
                address=address_hash_of(request),
                run=run,
                scenario=scenario,
            )
            return _begun(row)
        except ServiceError as error:
            form.add_error(None, str(error))
            return _form_page(request, form, fields, page, status=status_of(error))
    return _form_page(request, form, fields, page, status=422)


def _begun(row: SweepAsk) -> HttpResponse:
    """The way to a sweep that somebody waits for, with the time that its missing cells will take about."""
    return _ordered(redirect("sim:sweep", sweep_id=row.id), row)


def _ordered(response: HttpResponse, row: SweepAsk) -> HttpResponse:
    missing = sum(cell is None for cell in row.work.cells()) if row.is_open else 0
    response.ordered_s = missing * CELL_S  # type: ignore[attr-defined]  # read by SlotMiddleware
    return response


@costly()
@require_http_methods(["GET", "HEAD", "POST"])
def sweep_new(request: HttpRequest) -> HttpResponse:
    """A sweep of pasted manifests, and the sweeps of this browser. With ``find`` the form is shown with the manifests' fields."""
    key = known_key(request)
    page: dict[str, Any] = {"title": "", "own": sweeps_owned(key, limit=OWN_MAX) if key else [], "acts": 0, "pasted": True}
    if request.method != "POST":
        text, kubernetes = EXAMPLES.get(request.GET.get("example", ""), EXAMPLES["ready"]), OFFERED
        content = _content(check_text(text, kubernetes=kubernetes), text, kubernetes)
        fields = numeric_fields(content.header) if content else ()
        initial = opening(fields, _values_in_url(request), has_load=_has_load(content)) | {"manifest": text, "kubernetes": kubernetes}
        return _form_page(request, SweepManifestForm(initial=initial), fields, page)
    form = SweepManifestForm(request.POST)
    is_valid = form.is_valid()
    text, kubernetes = str(form.cleaned_data.get("manifest") or ""), str(form.cleaned_data.get("kubernetes") or OFFERED)
    checked = check_text(text, kubernetes=kubernetes)
    content = _content(checked, text, kubernetes)
    if content is None:
        page["problems"] = report_rows(report_of(text, checked, kubernetes=kubernetes), text)
        return _form_page(request, form, (), page, status=422)
    fields = numeric_fields(content.header)
    if "find" in request.POST:
        initial = opening(fields, {}, has_load=_has_load(content)) | {"manifest": text, "kubernetes": kubernetes}
        return _form_page(request, SweepManifestForm(initial=initial), fields, page)
    sweep = form.sweep(content.header, ()) if is_valid else None
    if sweep is not None:
        title = title_of(checked) or _("Sweep")
        try:
            row = sweep_ask(sweep=sweep, title=title, owner_key=owner_key(request), source=content.source, address=address_hash_of(request))
            return _begun(row)
        except ServiceError as error:
            form.add_error(None, str(error))
            return _form_page(request, form, fields, page, status=status_of(error))
    return _form_page(request, form, fields, page, status=422)


def _content(checked: Checked, text: str, kubernetes: str) -> Content | None:
    """The content for accepted manifests; None if they are not accepted, or there are none."""
    if not checked.ok or not checked.documents:
        return None
    return build_content(checked, text, kubernetes=kubernetes, seed=SEED_DEFAULT, jitter=True)


def _has_load(content: Content | None) -> bool:
    """Whether a Service in the manifests declares its load."""
    return content is not None and any(f'"{ANNOTATION}"' in manifest for manifest in content.header.manifests)


def _values_in_url(request: HttpRequest) -> dict[str, Any]:
    return {name: request.GET[name][:400] for name in ASKED if request.GET.get(name)}


def _form_page(request: HttpRequest, form: SweepForm, fields: Any, page: dict[str, Any], *, status: int = 200) -> HttpResponse:
    context = {"form": form, "fields": fields, "outcomes": OUTCOMES, "arguments": ARGUMENTS, **limits(), **page}
    return render(request, "sweeps/new.html", context, status=status)


@require_safe
@never_cache
def sweep_detail(request: HttpRequest, sweep_id: str) -> HttpResponse:
    """A sweep: its progress while it is under way, then chart and table. Scripts request only the progress."""
    row = _sweep_or_404(sweep_id)
    if wants_fragment(request):
        if not row.is_open:
            return HttpResponse(status=204, headers={"HX-Refresh": "true"})
        return render(request, "sweeps/partials/_progress.html", _context(request, row))
    sweep_seen(row=row)
    return render(request, "sweeps/detail.html", _context(request, row))


def _context(request: HttpRequest, row: SweepAsk) -> dict[str, Any]:
    """The context of a sweep's page. It does not read the manifests, because it is requested every second."""
    sweep = row.work.sweep()
    try:
        asked = outcome_of(sweep.outcome)
        outcome, unit = asked.title, asked.outcome.unit
    except BadOutcome:  # an outcome from another release
        outcome, unit = sweep.outcome, COUNT
    cells = row.work.cells()
    found = summaries(sweep, cells, unit)
    return {
        "row": row,
        "sweep": sweep,
        "field": sweep.field,
        "outcome": outcome,
        "unit": unit,
        "tone": TONES[row.state],
        "is_owner": is_asker(row, known_key(request)),
        "before": sweep_before(row) if row.state == StoredSweep.State.QUEUED else 0,
        "is_untaken": row.state == StoredSweep.State.QUEUED and sweep_is_untaken(row),
        "back": _back(row),
        "chart": chart_of(found, unit) if row.work.done else None,
        "lines": [_line(n, line, cells, sweep.seeds, unit) for n, line in enumerate(found)],
        "refused": sum(line.refused for line in found),
        "missing": any(cell is None or not cell.is_final for cell in cells),
        "query": _again_query(row, sweep),
    }


def _back(row: SweepAsk) -> str:
    """The URL of the page from which the sweep was requested."""
    if row.run is not None:
        return reverse("sim:run", args=[row.run.id])
    return reverse("sim:scenario", args=[row.scenario.slug]) if row.scenario is not None else ""


def _again_query(row: SweepAsk, sweep: Any) -> str:
    """The URL of this sweep's form, to request another one."""
    if row.run is not None:
        return reverse("sim:run-sweep", args=[row.run.id])
    return reverse("sim:scenario-sweep", args=[row.scenario.slug]) if row.scenario is not None else reverse("sim:sweeps")


def _line(number: int, line: Summary, cells: list[SweepCell | None], seeds: tuple[int, ...], unit: str) -> dict[str, Any]:
    """A value's row of the table: its summary as text, and its cells."""
    start = number * len(seeds)
    own = [_cell(start + n, line.value, seed, cells[start + n], unit) for n, seed in enumerate(seeds)]
    texts = {name: number_text(getattr(line, name), unit) for name in ("least", "middle", "most", "mean")}
    return {"number": number, "line": line, "cells": own, **texts}


def _cell(number: int, value: Swept, seed: int, cell: SweepCell | None, unit: str) -> dict[str, Any]:
    if cell is None:
        text = "…"
    elif cell.why:
        text = "✕"
    elif cell.refused:
        text = _("⊘ refused")
    else:
        text = _("never") if cell.value is None else number_text(cell.value, unit)
    problem = cell.why if cell is not None else ""
    title = _("Open the run with %(value)s and seed %(seed)s") % {"value": value, "seed": seed}
    if cell is not None and cell.refused:
        title = " ".join(filter(None, (cell.refused[0].words, more_text(len(cell.refused) - 1 + cell.unnamed), title)))
    return {"number": number, "title": title, "text": text, "problem": problem, "is_there": cell is not None}


@require_POST
def sweep_control(request: HttpRequest, sweep_id: str) -> HttpResponse:
    """Stop a sweep, or continue one with missing cells."""
    row = _sweep_or_404(sweep_id)
    url = reverse("sim:sweep", args=[row.id])
    try:
        if request.POST.get("do") == "stop":
            sweep_stop(row=row, owner_key=owner_key(request))
            return go_to(request, url)
        again = sweep_again(row=row, owner_key=owner_key(request), address=address_hash_of(request))
    except ServiceError as error:
        return refusal(request, str(error), status=status_of(error), back=url)
    return _ordered(go_to(request, url), again)


@costly()
@require_POST
def sweep_cell(request: HttpRequest, sweep_id: str) -> HttpResponse:
    """Open the run of a cell at the moment of its outcome."""
    row = _sweep_or_404(sweep_id)
    number = whole_number(request.POST.get("cell", ""), most=settings.SIM_SWEEP_CELLS_MAX)
    if number is None:
        raise Http404
    try:
        run, cell = cell_open(row=row, number=number, owner_key=owner_key(request), address=address_hash_of(request))
    except ServiceError as error:
        return refusal(request, str(error), status=status_of(error), back=reverse("sim:sweep", args=[row.id]))
    at_ms = run.base_ms if cell is None or cell.at_ms is None else cell.at_ms
    # A new run's clock is already there, but its log may not have got that far.
    moment = Moment(t_ms=at_ms if run.head_ms >= at_ms else None, sel=cell.subject if cell is not None else "")
    return go_to(request, reverse("sim:run", args=[run.id]) + moment.query())


def _sweep_or_404(sweep_id: str) -> SweepAsk:
    row = sweep_get(sweep_id)
    if row is None:
        raise Http404
    return row
