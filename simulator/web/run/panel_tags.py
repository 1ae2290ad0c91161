"""Whether a panel would show anything new: an entity tag of what a reader can see of it."""

import hashlib
import re

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified

UNSEEN = re.compile(
    r' name="(?:csrfmiddlewaretoken|client_key)" value="[^"]*"'  # made again for each answer
    r"|\?t=[\d.]+"  # links to the moment itself: scripts take the moment that is shown
    r'|(?<= data-countdown=")(?P<until>\d+)"[^>]*>[^<]*<'  # counted down by the page
    r'|(?<= data-age-from=")(?P<since>\d+)"[^>]*>[^<]*<'
)


def answer_if_new(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The panel with its tag, or 304 where the page shows just that: what differs without being seen does not count."""
    # Countdowns keep their goal in the tag: a goal that moved is news, the seconds left are not.
    seen = UNSEEN.sub(_kept, response.content.decode())
    etag = f'"{hashlib.sha256(seen.encode()).hexdigest()[:20]}"'
    if request.headers.get("If-None-Match", "").removeprefix("W/") == etag:
        response = HttpResponseNotModified()
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def _kept(found: re.Match[str]) -> str:
    return found["until"] or found["since"] or ""
