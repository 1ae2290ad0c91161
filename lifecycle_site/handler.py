"""Django's ASGI handler for a site whose views and middleware are synchronous: a request takes one thread, which then serves the next one.

Django's own handler starts a thread for each request and joins it afterwards, in the event loop that all visitors share, and it crosses
between loop and thread twice more, since it takes the view for asynchronous: about half the work of a request that is answered at once. A
thread that stays also keeps its connection to the database, where Django's handler has to open one for each request.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

KEPT_THREADS = 8
"""Threads that are kept while no request needs them, each with its connection to the database. More than that are ended."""


class ThreadedHandler(ASGIHandler):
    """Runs the whole middleware chain and the view in one thread. Used by the event loop only, so it needs no lock."""

    def __init__(self) -> None:
        # Not ASGIHandler's, which loads the middleware for an asynchronous view.
        self.load_middleware(is_async=False)
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # Django declares them more narrowly than the site does
        """Answer a request. The thread that was used last comes first: its connection is the freshest."""
        if scope["type"] != "http":
            raise ValueError(f"This handler answers HTTP only, not {scope['type']}.")
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        except BaseException:
            # It may not have started for want of memory, and still hold the work of this request.
            self._end(thread)
            raise
        self._keep_or_end(thread)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """The response, from the synchronous chain in the request's thread."""
        response: HttpResponseBase = await sync_to_async(self.get_response)(request)
        return response

    def _keep_or_end(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < KEPT_THREADS:
            self._idle.append(thread)
        else:
            self._end(thread)

    @staticmethod
    def _end(thread: ThreadPoolExecutor) -> None:
        with suppress(RuntimeError):  # a thread that cannot be started has no connection either
            thread.submit(connections.close_all)
        thread.shutdown(wait=False)
