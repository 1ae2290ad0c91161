"""How Redis is reached, and what its client raises, without loading the client: it takes 6 MB of every process, and the embedded default
has no Redis."""

import socket
import sys
from typing import Any

ANSWER_S = 2
SILENCE = {"TCP_KEEPIDLE": 5, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}
"""A machine that loses its power or its cable says nothing: after 10 s a connection counts as closed, as one to PostgreSQL (env.py)."""


def redis_host(url: str) -> dict[str, Any]:
    """What the channel layer is told of a Redis: its address, and how long it may say nothing.

    The client tries nothing again by itself: it would do so ten times, ten times each, and whoever stops meanwhile would wait for that.
    """
    from redis.asyncio.retry import Retry
    from redis.backoff import NoBackoff

    from lifecycle_site.redis_parser import LossyParser

    host = {"address": url, "socket_timeout": ANSWER_S, "retry": Retry(NoBackoff(), 0), "parser_class": LossyParser}
    if url.startswith("unix:"):
        return host
    options = {getattr(socket, name): value for name, value in SILENCE.items() if hasattr(socket, name)}
    return host | {"socket_connect_timeout": ANSWER_S, "socket_keepalive": True, "socket_keepalive_options": options}


def broker_errors() -> tuple[type[Exception], ...]:
    """What an ``except`` catches while the broker is away: OSError, and RedisError where its client is loaded at all.

    Python asks only once something was raised; whoever raised a RedisError has loaded the client.
    """
    client = sys.modules.get("redis.exceptions")
    return (OSError,) if client is None else (OSError, client.RedisError)
