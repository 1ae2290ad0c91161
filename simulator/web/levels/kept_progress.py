"""Progress kept by the site under a nickname and a phrase: get a token for the two, and with it the progress. Responses are JSON.

The phrase is sent once, in a request that counts whether it was right or not, and whose response is the same in either case.
"""

from collections.abc import Callable
from functools import wraps
from math import ceil

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from lifecycle_site.throttle import Allowances
from lifecycle_site.visitors import visitor_of
from simulator.engine.kernel.bounded import whole_number
from simulator.runs.permissions import address_hash_of
from simulator.runs.services.errors import LimitReached, Refused
from simulator.runs.services.progress import check_names, key_of_token, progress_forget, progress_key, progress_token, progress_unite
from simulator.runs.services.progress_document import BadProgress, Progress, read_progress
from simulator.web.base.guards import LIGHT_BYTES, computed
from simulator.web.run.manifests import json_answer

WINDOW_S = 600.0
"""How long it takes until an address that has used up its tries has all of them again."""
TRIES = Allowances(burst_s=WINDOW_S)
View = Callable[[HttpRequest], HttpResponse]


def _if_allowed(view: View) -> View:
    """Answer 404 if the operator has not enabled it, and 400 with a message for invalid requests."""

    @wraps(view)
    def answered(request: HttpRequest) -> HttpResponse:
        if not settings.SIM_PROGRESS:
            raise Http404
        try:
            return view(request)
        except (Refused, LimitReached) as error:
            return _error(str(error))
        except BadProgress as error:
            return _error(_("This is not a progress document: %(what)s") % {"what": error})

    return answered


def _error(text: str, *, status: int = 400) -> HttpResponse:
    return json_answer({"error": text}, status=status)


@sensitive_post_parameters("nickname", "phrase")
@require_POST
@_if_allowed
def progress_open(request: HttpRequest) -> HttpResponse:
    """A token for ``nickname`` and ``phrase``, whatever is stored under them. Takes half a second of a slot; 429 after too many."""
    # A large form would be read in another process, which has its own count.
    if whole_number(request.META.get("CONTENT_LENGTH") or "", most=LIGHT_BYTES) is None:
        return _error(_("That is too long for a nickname and a phrase."))
    names = check_names(request.POST.get("nickname", ""), request.POST.get("phrase", ""))
    per_second = settings.SIM_PROGRESS_TRIES_MAX / WINDOW_S
    if per_second and not TRIES.take(visitor_of(request), per_second=per_second):
        wait_s = ceil(TRIES.wait_s(visitor_of(request), per_second=per_second))
        text = _("Too many nicknames and phrases were tried from your address. Try again in %(seconds)d seconds.")
        answer = _error(text % {"seconds": wait_s}, status=429)
        answer["Retry-After"] = str(wait_s)
        return answer
    return json_answer({"token": progress_token(computed(request, progress_key, *names))})


@sensitive_post_parameters("token")
@require_POST
@_if_allowed
def progress_sync(request: HttpRequest) -> HttpResponse:
    """The progress stored for ``token``, merged with ``document``: ``do`` is keep, fetch (only if there is any) or forget (delete)."""
    key = key_of_token(request.POST.get("token", ""))
    if key is None:
        return _error(_("Enter your nickname and phrase again."), status=403)
    do = request.POST.get("do", "")
    if do == "forget":
        progress_forget(key=key)
        return json_answer({"progress": None})
    if do not in ("keep", "fetch"):
        return _error(_("Unknown request."))
    brought = read_progress(request.POST["document"]) if request.POST.get("document") else Progress()
    found = progress_unite(key=key, brought=brought, address=address_hash_of(request), begins=do == "keep")
    if found is None:
        return json_answer({"progress": None})
    return json_answer({"progress": msgspec.to_builtins(found.progress), "new": found.is_new})
