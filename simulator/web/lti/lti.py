"""The steps of an LTI launch: the platform's login, its signed message, and the button that begins the level; and the site's public keys.

The message is a cross-site POST, with which browsers send none of this site's cookies. So the level begins one step later, on a page of
this site.
"""

import logging
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlencode

from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from simulator.levels.reading import BadLevel
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.services.errors import ServiceError
from simulator.web.base.common import refusal
from simulator.web.base.guards import costly
from simulator.web.base.levels import level_text
from simulator.web.base.lti import LaunchStore, lti_is_on, lti_platforms, patient_session, remember_launch
from simulator.web.classes.wall import level_key
from simulator.web.levels.level_pages import level_begin, level_or_404
from simulator.web.run.manifests import json_answer

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"

logger = logging.getLogger(__name__)


class LaunchRefused(Exception):
    """A message does not match the configuration, or the configuration is invalid."""


def _call_library(question: Callable[[], Any]) -> Any:
    """Call pylti1p3, which raises all kinds of errors if a message or the configuration is wrong. Raises LaunchRefused."""
    try:
        return question()
    except (DatabaseError, Http404):
        raise
    except Exception as error:
        raise LaunchRefused(str(error)[:200]) from error


def _spoken(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a view for a step of a launch: 404 if LTI is off, 403 with a message if it is refused, 422 if it names no level."""

    @wraps(view)
    def answered(request: HttpRequest) -> HttpResponse:
        try:
            return view(request, _call_library(lti_platforms))
        except LaunchRefused as error:
            logger.warning("A launch was refused: %s", error)
            text = _("Your course could not open this level: %(error)s") % {"error": error}
            return refusal(request, text, status=403, back="/levels/")
        except ServiceError as error:
            return refusal(request, str(error), back="/levels/")

    return answered


@csrf_exempt
@require_http_methods(["GET", "POST"])
@never_cache
@_spoken
def lti_login(request: HttpRequest, platforms: Any) -> HttpResponse:
    """The platform's login initiation: redirect the user back to it to be authenticated."""
    login = import_module("pylti1p3.contrib.django").DjangoOIDCLogin(request, platforms, launch_data_storage=LaunchStore())
    back = request.build_absolute_uri(reverse("sim:lti-launch"))
    answer: HttpResponse = _call_library(lambda: login.redirect(back))
    return answer


@csrf_exempt
@costly()
@require_POST
@never_cache
@_spoken
def lti_launch(request: HttpRequest, platforms: Any) -> HttpResponse:
    """The platform's signed message, with the user and the level. Redirects to the page that begins the level."""
    django = import_module("pylti1p3.contrib.django")
    kept: dict[str, Any] = {"launch_data_storage": LaunchStore(), "requests_session": patient_session()}
    launch = _call_library(lambda: django.DjangoMessageLaunch(request, platforms, **kept))
    message = _call_library(launch.get_launch_data)
    key = level_key(str((message.get(f"{CLAIM}custom") or {}).get("level") or message.get(f"{CLAIM}target_link_uri", ""))[:500])
    number = token_urlsafe(24)
    endpoint = message.get(GRADES)
    sent_to = {"issuer": launch.get_iss(), "client": launch.get_client_id(), "user": message.get("sub", ""), "endpoint": endpoint}
    LaunchStore().set_value(number, {"key": key, "sent_to": sent_to if endpoint else None})
    return redirect(f"{reverse('sim:lti-start')}?{urlencode({'launch': number, 'level': key})}")


@require_http_methods(["GET", "HEAD", "POST"])
@costly("POST")
@never_cache
def lti_start(request: HttpRequest) -> HttpResponse:
    """The page with the button that begins the level, whose grade then goes to the course."""
    if not lti_is_on():
        raise Http404
    if request.method != "POST":
        level = level_or_404(request.GET.get("level", "")[:60])
        context = {"title": level_text(level, level.title), "launch": request.GET.get("launch", "")[:60]}
        return render(request, "lti/start.html", context)
    launched = LaunchStore().get_value(request.POST.get("launch", "")[:60])
    if launched is None:
        return refusal(
            request, _("This launch was used or is too old. Open the level from your course again."), status=403, back="/levels/"
        )
    if launched["sent_to"] is not None:
        remember_launch(request, launched["key"], launched["sent_to"])
    try:
        run = level_begin(level_or_404(launched["key"]), launched["key"], owner=owner_key(request), address=address_hash_of(request))
    except BadLevel as error:
        text = _("This level cannot be played: %(problems)s") % {"problems": "; ".join(error.problems)}
        return refusal(request, text, back="/levels/")
    except ServiceError as error:
        return refusal(request, str(error), back="/levels/")
    return redirect("sim:run", run_id=run.id)


@require_safe
@never_cache
@_spoken
def lti_keys(request: HttpRequest, platforms: Any) -> HttpResponse:
    """The public keys with which platforms verify this site's requests."""
    return json_answer(platforms.get_jwks())
