"""Pages and answers go out packed where the browser takes that."""

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))")


def takes_gzip(request: HttpRequest) -> bool:
    """Whether the answer may be packed; ``gzip;q=0`` says no."""
    return bool(TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")))


class CompressionMiddleware(GZipMiddleware):
    """Packs what is not packed yet.

    Nothing is to be learnt from lengths: a random number of bytes is added, and CSRF tokens are masked anew each time.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """As Django does, but a browser's no is heard."""
        return super().process_response(request, response) if takes_gzip(request) else response
