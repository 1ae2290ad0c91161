"""What Redis' client raises, without loading the client: it takes 6 MB of every process, and the embedded default has no Redis."""

import sys


def broker_errors() -> tuple[type[Exception], ...]:
    """What an ``except`` catches while the broker is away: OSError, and RedisError where its client is loaded at all.

    Python asks only once something was raised; whoever raised a RedisError has loaded the client.
    """
    client = sys.modules.get("redis.exceptions")
    return (OSError,) if client is None else (OSError, client.RedisError)
