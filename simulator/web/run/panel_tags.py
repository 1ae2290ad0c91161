"""Entity tags for panels, based on what a reader can see, to tell whether a panel would show anything new."""

import hashlib
import re

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified

UNSEEN = re.compile(
    r' name="(?:csrfmiddlewaretoken|client_key)" value="[^"]*"'  # new in each response
    r"|\?t=[\d.]+"  # links to the moment itself: scripts use the moment shown
    r'|(?<= data-countdown=")(?P<until>\d+)"[^>]*>[^<]*<'  # counted down by the page
    r'|(?<= data-age-from=")(?P<since>\d+)"[^>]*>[^<]*<'
)


def answer_if_new(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The panel with its tag, or 304 if the page already shows it: invisible differences do not count."""
    # The tag includes the target of a countdown: a target that moved is new, the seconds left are not.
    seen = UNSEEN.sub(_kept, response.content.decode())
    etag = f'"{hashlib.sha256(seen.encode()).hexdigest()[:20]}"'
    if request.headers.get("If-None-Match", "").removeprefix("W/") == etag:
        response = HttpResponseNotModified()
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def _kept(found: re.Match[str]) -> str:
    return found["until"] or found["since"] or ""
