"""Every address of the site and every socket, from the routers."""

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from msgspec import Struct

from simulator.runs.live.routing import websocket_application

_PLACE = re.compile(r"<(?:\w+:)?(\w+)>")
_GROUP = re.compile(r"\(\?P<(\w+)>.*?\)")


class Door(Struct, frozen=True, kw_only=True):
    """An address: literal parts with the parameters of its view in between; ``names`` has one element fewer."""

    name: str
    literals: tuple[str, ...]
    names: tuple[str, ...]
    view: Callable[..., Any]


def doors() -> tuple[Door, ...]:
    """All addresses, in the router's order."""
    return tuple(_below(get_resolver(), ""))


def sockets() -> tuple[Door, ...]:
    """All sockets, behind the origin check; the last one is the catch-all."""
    return tuple(_door("socket", pattern, pattern.callback, "/") for pattern in websocket_application.application.routes)


def methods_of(view: Callable[..., Any]) -> tuple[str, ...]:
    """The methods that a view accepts, from ``require_http_methods``; empty if it is not used."""
    found: Any = view
    while found is not None:
        methods = inspect.getclosurevars(found).nonlocals.get("request_method_list") if inspect.isfunction(found) else None
        if methods is not None:
            return tuple(methods)
        found = getattr(found, "__wrapped__", None)
    return ()


def _below(resolver: URLResolver, prefix: str) -> Iterator[Door]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _below(pattern, prefix + str(pattern.pattern))
        elif isinstance(pattern, URLPattern):
            yield _door(pattern.name or pattern.lookup_str, pattern, pattern.callback, f"/{prefix}")


def _door(name: str, pattern: Any, view: Callable[..., Any], prefix: str) -> Door:
    places = _PLACE if isinstance(pattern.pattern, RoutePattern) else _GROUP
    route = prefix + str(pattern.pattern)
    return Door(name=name, literals=tuple(places.split(route)[::2]), names=tuple(places.findall(route)), view=view)
