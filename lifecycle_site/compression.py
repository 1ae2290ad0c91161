"""Compress responses for browsers that accept it."""

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))")


def takes_gzip(request: HttpRequest) -> bool:
    """Whether the response may be compressed; ``gzip;q=0`` means no."""
    return bool(TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")))


class CompressionMiddleware(GZipMiddleware):
    """Compresses responses that are not compressed yet.

    Response lengths give nothing away (BREACH): a random number of bytes is added, and CSRF tokens are masked afresh each time.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """As Django does, but respect a browser's ``gzip;q=0``."""
        return super().process_response(request, response) if takes_gzip(request) else response
