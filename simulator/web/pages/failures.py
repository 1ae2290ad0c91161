"""The error pages, which may run into the same error again and must not raise because of it.

So none of them reads the form or queries the database; and if one fails anyway, the last resort answers. Django's own error pages check the
CSRF token of a failed request again, so a form that cannot be decoded makes each of them raise in turn, once for every middleware.
"""

import logging
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import gettext as _

from lifecycle_site import last_resort
from simulator.runs.log.db import is_away
from simulator.web.base.common import refusal, wants_json
from simulator.web.base.guards import away

logger = logging.getLogger(__name__)

Page = Callable[..., HttpResponse]


def never_raising(page: Page) -> Page:
    """Wrap a page so that the last resort answers if it fails."""

    @wraps(page)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return page(request, *args, **kwargs)
        except Exception:
            logger.exception("the page for an error failed: %s", request.path)
            return last_resort.failure(for_script=wants_json(request))

    return answered


@never_raising
def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: the request could not be read."""
    return _answer(request, 400, _("The request was malformed or too large. Manifests can be up to 16 MB."))


@never_raising
def permission_denied(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: the visitor may not do that."""
    return _answer(request, 403, _("Only the owner of a run can change it. Anyone can watch or fork it."))


@never_raising
def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403: the form was sent without this browser's token."""
    text = _(
        "The form does not match your browser session. Allow cookies for this site, then go back, reload the page and submit it again."
    )
    return _answer(request, 403, text, "403_csrf.html")


@never_raising
def page_not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: there is nothing at that URL."""
    text = _("The link may be mistyped, or the run may have been deleted. Shared scenarios (addresses with /s/) are never deleted.")
    return _answer(request, 404, text)


@never_raising
def server_error(request: HttpRequest) -> HttpResponse:
    """500 for errors that did not pass ``process_exception``, because no view raised them; 503 if a middleware found no database."""
    error = sys.exc_info()[1]
    if error is not None and is_away(error):
        return away(request, error)
    if wants_json(request):
        return refusal(
            request, _("The problem has been logged. Your runs are saved and keep running; reloading the page usually helps."), status=500
        )
    return HttpResponse(loader.get_template("500.html").render(), status=500)  # without the request, which may be the problem


def _answer(request: HttpRequest, status: int, text: str, template: str = "") -> HttpResponse:
    if wants_json(request):
        return refusal(request, text, status=status)
    return render(request, template or f"{status}.html", status=status)
