"""Connection options and error types for Redis, without loading its client: that costs every process 6 MB, and the embedded default has
no Redis."""

import socket
import sys
from typing import Any

ANSWER_S = 2
SILENCE = {"TCP_KEEPIDLE": 5, "TCP_KEEPALIVE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}
"""A machine that loses power or its network cable does not close its connections: they count as closed after 10 s of silence, as with
PostgreSQL (env.py). The second option is macOS' name for the first."""


def silence_options() -> dict[int, int]:
    """SILENCE as socket options, limited to those the operating system knows."""
    return {getattr(socket, name): value for name, value in SILENCE.items() if hasattr(socket, name)}


def redis_host(url: str) -> dict[str, Any]:
    """The channel layer's configuration for a Redis server: its address, and how long it may stay silent."""
    from lifecycle_site.redis_parser import LossyParser

    host = {"address": url, "socket_timeout": ANSWER_S, "parser_class": LossyParser}
    if url.startswith("unix:"):
        return host
    return host | {"socket_connect_timeout": ANSWER_S, "socket_keepalive": True, "socket_keepalive_options": silence_options()}


def broker_errors() -> tuple[type[Exception], ...]:
    """The exceptions to catch while the broker is unreachable: OSError, and RedisError if the client is loaded.

    Python evaluates an ``except`` clause only after something was raised, and code that raised a RedisError has loaded the client.
    """
    client = sys.modules.get("redis.exceptions")
    return (OSError,) if client is None else (OSError, client.RedisError)
