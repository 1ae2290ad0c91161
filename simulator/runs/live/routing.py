"""Websocket routes behind an origin check: other sites may not open sockets here."""

from typing import Any
from urllib.parse import urlsplit

from channels.routing import URLRouter
from channels.security.websocket import OriginValidator, WebsocketDenier
from django.conf import settings
from django.urls import path, re_path

from simulator.runs.live.class_socket import ClassConsumer
from simulator.runs.live.consumers import RunConsumer, UnknownConsumer

# Without the last route, the router raises for unknown paths.
_router = URLRouter([
    path("ws/run/<uuid:run_id>/", RunConsumer.as_asgi()),
    path("ws/class/<slug:code>/", ClassConsumer.as_asgi()),
    re_path("", UnknownConsumer.as_asgi()),
])  # fmt: skip


class OwnOrigins(OriginValidator):  # type: ignore[misc]  # channels has no types
    """Opens sockets for pages from these origins. A malformed origin is refused rather than raising an error."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        """Serve the socket, or refuse it."""
        origin = b",".join(value for name, value in scope["headers"] if name == b"origin").decode("latin-1")
        try:
            _ = urlsplit(origin).port
        except ValueError:
            return await WebsocketDenier()(scope, receive, send)
        return await super().__call__(scope, receive, send)


_hosts = settings.ALLOWED_HOSTS or (["localhost", "127.0.0.1", "[::1]"] if settings.DEBUG else [])
websocket_application = OwnOrigins(_router, settings.CSRF_TRUSTED_ORIGINS or _hosts)
