"""The health check of web, runner and database."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from simulator.runs.selectors.health import health
from simulator.web.base.guards import free


@free
@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 when everything works, 503 otherwise; the body says which part."""
    ok, body = health()
    return JsonResponse(body, status=200 if ok else 503)
