"""A link may carry the language it was made in: ``?lang=zh-hans`` is remembered as the language menu does, and leaves the address."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import escape_leading_slashes

ITSELF = re.compile(r"^/embed/|/(card\.png|qr\.svg)$")
"""Addresses that answer in the language they name, or else the browser's, whatever a cookie says: other sites' pages and servers ask for
them, and caches may keep them for everybody."""
Answer = Callable[[HttpRequest], HttpResponse]
FIELD = "lang"


class LinkLanguageMiddleware:
    """Sends a page that is asked for in a language to its address without it, with the language chosen. Unknown ones change nothing."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """The page, or the way to it."""
        wanted = request.GET.get(FIELD, "")
        if ITSELF.search(request.path):
            request.COOKIES.pop(settings.LANGUAGE_COOKIE_NAME, None)
        if request.method not in ("GET", "HEAD") or wanted not in dict(settings.LANGUAGES):
            return self._answer(request)
        if ITSELF.search(request.path):
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = wanted  # which LocaleMiddleware, the next one, reads
            return self._answer(request)
        query = request.GET.copy()
        del query[FIELD]
        path = escape_leading_slashes(request.path)  # two slashes would name another site
        response = HttpResponseRedirect(f"{path}?{query.urlencode()}" if query else path)
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            wanted,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            path=settings.LANGUAGE_COOKIE_PATH,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite=settings.LANGUAGE_COOKIE_SAMESITE,
        )
        return response
