"""What the containers of a pod printed during an interval, for their lanes. Lines are not records: the world keeps the newest ones."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from simulator.engine.kernel.units import Ms
from simulator.engine.projection.logs import PrintedAt, printed_between
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.history import is_kept
from simulator.web.base.common import run_or_404
from simulator.web.base.guards import costly
from simulator.web.run.manifests import json_answer
from simulator.web.run.run_forms import PrintedForm

PIECE_MS = 300_000
"""The longest interval per response. If a container prints more in it than is kept of its log, the rest is missing, as in the Logs tab."""
CACHED_S = 3600
"""Cache time for a piece of the past, which does not change."""


@costly()
@require_safe
def run_printed(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What each container of ``pod`` printed from ``from_ms`` to ``until_ms``; if ``more`` is true, the interval continues after that.

    ``containers`` lists by name what was printed at each instant: moment, instance, number of lines, those to stderr, the first line.
    A run recorded under other rules has none (204), just as it has no tracks. Costs one seek.
    """
    run = run_or_404(run_id)
    form = PrintedForm(request.GET)
    if not form.is_valid():
        return HttpResponseBadRequest(_("The address does not specify an interval of the run."))
    if is_kept(run):
        return HttpResponse(status=204)
    fields = form.cleaned_data
    now_ms = moment_of(run)
    until_ms = min(fields["to_ms"], fields["from_ms"] + PIECE_MS, now_ms)
    response = json_answer(
        _output_between(run, fields["pod"], fields["from_ms"], until_ms) | {"more": until_ms < min(fields["to_ms"], now_ms)}
    )
    # The past does not change; the last piece may still grow.
    response["Cache-Control"] = f"private, max-age={CACHED_S}" if until_ms < now_ms else "private, no-cache"
    return response


def _output_between(run: Run, pod: str, from_ms: Ms, until_ms: Ms) -> dict[str, Any]:
    containers = dict[str, tuple[PrintedAt, ...]]()
    if from_ms <= until_ms:
        containers = printed_between(timemachine.seek(run, ms=until_ms), pod, from_ms=from_ms, to_ms=until_ms)
    return {"from_ms": from_ms, "until_ms": until_ms, "containers": containers}
