"""A run's page, its panels and its records."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from simulator.engine.kernel.bounded import whole_number
from simulator.runs.log.clock import is_coming
from simulator.runs.permissions import role_for
from simulator.runs.selectors.records import records_page
from simulator.runs.selectors.typed_lines import typed_lines
from simulator.runs.services.runs import run_attend
from simulator.web.base.common import moment_of, run_or_404
from simulator.web.base.guards import costly
from simulator.web.base.moment_form import MomentForm
from simulator.web.run.page import run_page
from simulator.web.run.panel_tags import answer_if_new
from simulator.web.run.panels import TABS as PANEL_TABS
from simulator.web.run.panels import panel
from simulator.web.run.scenes import scene_at

RECORDS_LIMIT_MAX = 5000


@costly()
@require_safe
@never_cache
def run_detail(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The run page at the moment in the URL, or live."""
    run = run_or_404(run_id)
    return render(request, "runs/detail.html", run_page(request, run, moment_of(request)).context())


@costly()
@require_safe
@vary_on_headers("HX-Request")
def run_panel(request: HttpRequest, run_id: UUID, seq: int, tab: str) -> HttpResponse:
    """The inner HTML of one panel right after record ``seq``, with ages and countdowns at ``t``."""
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
        namespace=fields["ns"],
        part=fields["part"],
        pin_ms=fields["pin"],
        noise=fields["noise"],
    )
    template, context = panel(tab, scene)
    return answer_if_new(request, render(request, template, {"panel": context, **scene.frame()}))


@require_safe
def run_typed(request: HttpRequest, run_id: UUID) -> JsonResponse:
    """The typed line of each act, who gave it, and the first act from the same command, by the numbers of their records:
    ``{"17": ["kubectl drain node-1", "Ann", 17], "18": ["kubectl drain node-1", "Ann", 17]}``."""
    response = JsonResponse({str(seq): line for seq, line in typed_lines(run_or_404(run_id)).items()})
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
def run_records(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Records after ``after``, in the form of the socket's frame. Requesting a log still being written counts as watching the run."""
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
