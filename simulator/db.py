"""Database work for code that lives in the event loop: a few threads of its own, so that sockets do not queue behind each other.

The threads keep their connections. Channels' own helper opens and closes one around every call, which on SQLite takes as long
as a typical query.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Barrier
from typing import ParamSpec, TypeVar

from django.db import Error, InterfaceError, InternalError, OperationalError, connection

P = ParamSpec("P")
R = TypeVar("R")

AWAY = (OperationalError, InterfaceError, InternalError)
"""Locked, full, read-only, restarting, not to be reached: nobody's fault, and over some time. What else it says is a mistake of ours."""
_DAMAGED = "malformed"
"""In SQLite's words for a file that is damaged, which come as a plain DatabaseError; out of ``in_db`` as one of AWAY."""
THREADS = 4
_POOL = ThreadPoolExecutor(THREADS, thread_name_prefix="db")


async def in_db(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The result of ``function(*args, **kwargs)``, run in a database thread. Whatever it raises comes through."""
    call = partial(copy_context().run, _with_connection, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_POOL, call)


def close_connections() -> None:
    """Close the connections of all database threads. For the end of a process or of its database."""
    everybody = Barrier(THREADS)  # a thread that is done early would take another's turn

    def close() -> None:
        everybody.wait()
        connection.close()

    for closing in [_POOL.submit(close) for _ in range(THREADS)]:
        closing.result()


def _with_connection(call: Callable[[], R]) -> R:
    """A connection that has reported an error is given up first; Django then opens another."""
    if connection.connection is not None and connection.errors_occurred:
        connection.close()
    try:
        return call()
    except Error as error:
        if is_away(error) and not isinstance(error, AWAY):
            raise OperationalError(*error.args) from error
        raise


def is_away(error: BaseException | None) -> bool:
    """Whether it is the database's state that keeps it from answering, rather than what it was asked."""
    return isinstance(error, AWAY) or (isinstance(error, Error) and _DAMAGED in str(error))
