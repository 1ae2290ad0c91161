"""How Redis is reached, and what its client raises, without loading the client: it takes 6 MB of every process, and the embedded default
has no Redis."""

import socket
import sys
from typing import Any

ANSWER_S = 2
SILENCE = {"TCP_KEEPIDLE": 5, "TCP_KEEPALIVE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}
"""A machine that loses its power or its cable says nothing: after 10 s a connection counts as closed, as one to PostgreSQL (env.py). The
second is what macOS calls the first."""


def silence_options() -> dict[int, int]:
    """SILENCE as a socket takes it, as far as the system knows it."""
    return {getattr(socket, name): value for name, value in SILENCE.items() if hasattr(socket, name)}


def redis_host(url: str) -> dict[str, Any]:
    """What the channel layer is told of a Redis: its address, and how long it may say nothing."""
    from lifecycle_site.redis_parser import LossyParser

    host = {"address": url, "socket_timeout": ANSWER_S, "parser_class": LossyParser}
    if url.startswith("unix:"):
        return host
    return host | {"socket_connect_timeout": ANSWER_S, "socket_keepalive": True, "socket_keepalive_options": silence_options()}


def broker_errors() -> tuple[type[Exception], ...]:
    """What an ``except`` catches while the broker is away: OSError, and RedisError where its client is loaded at all.

    Python asks only once something was raised; whoever raised a RedisError has loaded the client.
    """
    client = sys.modules.get("redis.exceptions")
    return (OSError,) if client is None else (OSError, client.RedisError)
