"""Database work for code that lives in the event loop: a few threads of its own, so that sockets do not queue behind each other."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from channels.db import database_sync_to_async

P = ParamSpec("P")
R = TypeVar("R")

THREADS = 4
_POOL = ThreadPoolExecutor(THREADS, thread_name_prefix="db")


async def in_db(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The result of ``function(*args, **kwargs)``, run in a database thread. Whatever it raises comes through."""
    result: R = await database_sync_to_async(function, thread_sensitive=False, executor=_POOL)(*args, **kwargs)
    return result
