"""Preview cards as PNG, for a story, a link at a moment, or a run."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from simulator.runs.log.clock import is_coming
from simulator.runs.services.runs import run_attend
from simulator.runs.services.shares import shared_run
from simulator.web.base.common import moment_of, refusal, run_or_404, scenario_or_404, share_or_404
from simulator.web.base.guards import costly
from simulator.web.pictures.card import PreviewCard, card_png
from simulator.web.pictures.previews import run_card, story_card

LASTING_S = 24 * 3600
FLEETING_S = 60


@costly()
@require_safe
def scenario_card(request: HttpRequest, slug: str) -> HttpResponse:
    """The card of a scenario."""
    return _png(request, story_card(scenario_or_404(slug)), LASTING_S)


@costly()
@require_safe
def share_card(request: HttpRequest, share_id: str) -> HttpResponse:
    """The card of a link, at the moment in the URL. Not cached while the log is still being written; see ``run_records``."""
    run = shared_run(share=share_or_404(share_id))
    keep_s = LASTING_S
    if is_coming(run):
        run_attend(run_id=run.id)
        keep_s = 0
    return _png(request, run_card(run, moment_of(request)), keep_s)


@costly()
@require_safe
def run_card_png(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The card of a run as it is now."""
    return _png(request, run_card(run_or_404(run_id), moment_of(request)), FLEETING_S)


def _png(request: HttpRequest, card: PreviewCard, keep_s: int) -> HttpResponse:
    try:
        body = card_png(card)
    except ValueError:  # raised by resvg for a drawing that it cannot read
        return refusal(request, _("This image cannot be drawn."), status=500)
    response = HttpResponse(body, content_type="image/png")
    if keep_s:
        patch_cache_control(response, public=True, max_age=keep_s)
    else:
        response["Cache-Control"] = "no-store"
    return response
