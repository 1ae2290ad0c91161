"""Websocket routes, behind a check of the page's origin: other sites may not open sockets here."""

from channels.routing import URLRouter
from channels.security.websocket import AllowedHostsOriginValidator, OriginValidator
from django.conf import settings
from django.urls import path, re_path

from simulator.runs.class_socket import ClassConsumer
from simulator.runs.consumers import RunConsumer, UnknownConsumer

# Without the last one the router raises for an address it does not know.
_router = URLRouter([
    path("ws/run/<uuid:run_id>/", RunConsumer.as_asgi()),
    path("ws/class/<slug:code>/", ClassConsumer.as_asgi()),
    re_path("", UnknownConsumer.as_asgi()),
])  # fmt: skip

websocket_application = (
    OriginValidator(_router, settings.CSRF_TRUSTED_ORIGINS) if settings.CSRF_TRUSTED_ORIGINS else AllowedHostsOriginValidator(_router)
)
