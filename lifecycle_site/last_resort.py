"""The response when everything else has failed: it needs no template, database or session, and never raises.

A failing view gets its own error page (``simulator.web.pages.failures``). This module covers failures of that page, and failures outside
Django, where a visitor would otherwise see a message from the server library, or nothing.
"""

import json
import logging
from collections.abc import MutableMapping
from contextlib import suppress
from html import escape
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext

from lifecycle_site.addresses import Application, Receive, Scope, Send

CLOSE_FAILED = 4011
"""Same as in ``simulator.runs.wire.protocol``: something failed on the server; reconnect."""
PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>500 · Podscope</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>{title}</h1><p>{text}</p><p><a href="/">Podscope</a></p></main></body></html>
"""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}

log = logging.getLogger(__name__)


def failure(*, for_script: bool) -> HttpResponse:
    """A 500 response that people can read: a page, or a toast as JSON if a script asked."""
    title, text = "Something went wrong on our side", "The problem has been logged."
    with suppress(Exception):  # the catalog may be what failed
        title = gettext("Something went wrong on our side")
        text = gettext("The problem has been logged. Your runs are saved and keep running; reloading the page usually helps.")
    if not for_script:
        return HttpResponse(PAGE.format(title=escape(title), text=escape(text)), status=500, headers=HEADERS)
    toast = {"HX-Reswap": "none", "HX-Trigger": json.dumps({"toast:show": {"text": text, "tone": "bad"}})}
    return HttpResponse(json.dumps({"text": text}), status=500, content_type="application/json", headers=HEADERS | toast)


def is_for_script(accept: str, *, is_htmx: bool) -> bool:
    """Whether the response will be read by a script, judging by the request's headers."""
    return is_htmx or ("application/json" in accept and "text/html" not in accept)


class LastResort:
    """An ASGI application that turns any exception into a readable 500, or into a close code that the socket's page understands.

    A response that has already begun is cut off. The exception is logged.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request or serve the socket."""
        begun: set[str] = set()

        async def sent(message: MutableMapping[str, Any]) -> None:
            begun.add(str(message["type"]))
            await send(message)

        try:
            await self._application(scope, receive, sent)
        except Exception:
            log.exception("failed: %s", scope.get("path", scope["type"]))
            with suppress(Exception):  # the connection may be what failed
                await (_close(begun, send) if scope["type"] == "websocket" else _answer(scope, begun, send))


async def _answer(scope: Scope, begun: set[str], send: Send) -> None:
    if begun:
        await send({"type": "http.response.body", "body": b"", "more_body": False})  # the server has no other way to end it
        return
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope.get("headers", ())}
    response = failure(for_script=is_for_script(headers.get("accept", ""), is_htmx="hx-request" in headers))
    lines = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": lines})
    await send({"type": "http.response.body", "body": response.content})


async def _close(begun: set[str], send: Send) -> None:
    if "websocket.close" in begun:
        return
    if "websocket.accept" not in begun:
        await send({"type": "websocket.accept"})  # a close code reaches a page only through an open socket
    await send({"type": "websocket.close", "code": CLOSE_FAILED})
