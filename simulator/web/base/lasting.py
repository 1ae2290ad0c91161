"""Responses that stay the same for the life of the site: compressed once, cached by browsers."""

import gzip
import hashlib
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers

from lifecycle_site.compression import takes_gzip

DAY_S = 24 * 3600
WEEK_S = 7 * DAY_S


class LastingBody(msgspec.Struct, frozen=True):
    """A value as JSON, plain and compressed; ``etag`` is a digest of it in quotes."""

    plain: bytes
    packed: bytes
    etag: str

    @property
    def digest(self) -> str:
        """The digest without quotes, for use in URLs."""
        return self.etag.strip('"')


def lasting_body(value: Any) -> LastingBody:
    """Prepare a value for responses. Costs compressing it, so keep the result."""
    plain = msgspec.json.encode(value)
    # mtime=0: the compressed bytes must be the same in every process.
    return LastingBody(plain, gzip.compress(plain, 9, mtime=0), f'"{hashlib.sha256(plain).hexdigest()[:20]}"')


def lasting_answer(request: HttpRequest, body: LastingBody) -> HttpResponse:
    """A response cacheable for a day, compressed if the browser accepts that; 304 if it already has it."""
    if body.etag in [etag.strip().removeprefix("W/") for etag in request.headers.get("If-None-Match", "").split(",")]:
        response = HttpResponse(status=304)
    elif takes_gzip(request):
        response = HttpResponse(body.packed, content_type="application/json", headers={"Content-Encoding": "gzip"})
    else:
        response = HttpResponse(body.plain, content_type="application/json")
    response["ETag"] = body.etag
    patch_vary_headers(response, ["Accept-Encoding"])
    patch_cache_control(response, public=True, max_age=DAY_S, stale_while_revalidate=WEEK_S)
    return response
