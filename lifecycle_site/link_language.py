"""A link may carry its language: ``?lang=zh-hans`` is remembered like a choice in the language menu, then dropped from the URL."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import escape_leading_slashes

ITSELF = re.compile(r"^/embed/|/(card\.png|qr\.svg)$")
"""URLs that answer in the language they name, or else the browser's, regardless of cookies: other sites' pages and servers request them,
and shared caches may keep them."""
Answer = Callable[[HttpRequest], HttpResponse]
FIELD = "lang"


class LinkLanguageMiddleware:
    """Redirects a URL with a language to the same URL without it, and sets the language cookie. Unknown languages are ignored."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the page, or a redirect to it."""
        wanted = request.GET.get(FIELD, "")
        if ITSELF.search(request.path):
            request.COOKIES.pop(settings.LANGUAGE_COOKIE_NAME, None)
        if request.method not in ("GET", "HEAD") or wanted not in dict(settings.LANGUAGES):
            return self._answer(request)
        if ITSELF.search(request.path):
            request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = wanted  # read by LocaleMiddleware, which comes next
            return self._answer(request)
        query = request.GET.copy()
        del query[FIELD]
        path = escape_leading_slashes(request.path)  # a leading double slash would point to another site
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
