"""Database access for code in the event loop, in a few dedicated threads, so that sockets do not queue behind each other.

The threads keep their connections. Channels' own helper opens and closes one around every call, which on SQLite takes as long
as a typical query.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Barrier
from typing import Any, Generic, ParamSpec, TypeVar

from django.db import Error, InterfaceError, InternalError, OperationalError, connection
from django.db.backends.signals import connection_created
from django.dispatch import receiver

from lifecycle_site.refusals import DAMAGED

P = ParamSpec("P")
R = TypeVar("R")
Q = TypeVar("Q")

AWAY = (OperationalError, InterfaceError, InternalError)
"""Errors of a database that is locked, full, read-only, restarting or unreachable: nobody's fault, and temporary. Others are bugs of ours.

Damage to an SQLite file is reported as a plain DatabaseError, which ``in_db`` turns into one of these."""
REQUEST_WAIT_S = 5.0
"""How long a request waits for SQLite's lock. Then the page says that the database is busy, and others get the slot; background work waits
as long as the settings say."""
is_request: ContextVar[bool] = ContextVar("is_request", default=False)
"""Whether connections opened in this context serve a request."""
THREADS = 4
TOGETHER_MAX = 100
"""The most questions in one call, so that nobody has to wait for too many of other people's rows."""
_POOL = ThreadPoolExecutor(THREADS, thread_name_prefix="db")
_MENDING = ThreadPoolExecutor(1, thread_name_prefix="mending")
"""Long computations have their own thread, because the others also renew the leases of all runs."""


async def in_db(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call the function in a database thread and return its result. Exceptions pass through."""
    return await _in(_POOL, partial(function, *args, **kwargs))


async def in_mending(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Like ``in_db``, for long computations: one at a time, in a separate thread."""
    return await _in(_MENDING, partial(function, *args, **kwargs))


async def _in(pool: ThreadPoolExecutor, function: Callable[[], R]) -> R:
    return await asyncio.get_running_loop().run_in_executor(pool, partial(copy_context().run, _with_connection, function))


class Together(Generic[Q, R]):
    """Batches questions: those asked at the same instant, or while a call is under way, go into the next call.

    ``call`` gets a list of questions in a database thread and returns their answers in the same order. An answer that is an exception is
    raised only for the one who asked. If the call itself raises because the database is unreachable, everybody gets that; if it raises
    anything else, each question is asked again on its own, so questions must be repeatable. Used in one event loop.
    """

    def __init__(self, call: Callable[[list[Q]], Sequence[R | Exception]]) -> None:
        self._call = call
        self._asked: list[tuple[Q, asyncio.Future[R]]] = []
        self._work: asyncio.Task[None] | None = None

    async def ask(self, question: Q) -> R:
        """The answer to one question."""
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._asked.append((question, answer))
        if self._work is None or self._work.done():
            self._work = asyncio.create_task(self._answer_all())
        return await answer

    async def _answer_all(self) -> None:
        while self._asked:
            # Questions that arrive during this call are in the list for the next one.
            asked, self._asked = self._asked[:TOGETHER_MAX], self._asked[TOGETHER_MAX:]
            found = await self._answers([question for question, _ in asked])
            for (_, answer), each in zip(asked, found, strict=True):
                if answer.done():  # the one who asked has gone
                    continue
                if isinstance(each, Exception):
                    answer.set_exception(each)
                else:
                    answer.set_result(each)

    async def _answers(self, questions: list[Q]) -> Sequence[R | Exception]:
        try:
            return await in_db(self._call, questions)
        except AWAY as error:
            return [error] * len(questions)
        except Exception as error:
            if len(questions) == 1:
                return [error]
        return [(await self._answers([question]))[0] for question in questions]


def start_threads() -> None:
    """Start all database threads now: later there may be no memory left for a thread. For the start of a serving process."""
    # The pool starts a thread only if none is free: a barrier keeps each busy until all are running.
    everybody = Barrier(THREADS)
    for started in [_POOL.submit(everybody.wait) for _ in range(THREADS)]:
        started.result()


def close_connections() -> None:
    """Close the connections of all database threads. For the end of a process or of its database."""
    everybody = Barrier(THREADS)  # a thread that finishes early would take the task meant for another

    def close() -> None:
        everybody.wait()
        connection.close()

    for closing in [*[_POOL.submit(close) for _ in range(THREADS)], _MENDING.submit(lambda: connection.close())]:
        closing.result()


@receiver(connection_created)
def _set_patience(connection: Any, **_: Any) -> None:
    if connection.vendor == "sqlite" and is_request.get():
        connection.hurry(patience_s=REQUEST_WAIT_S)


def _with_connection(call: Callable[[], R]) -> R:
    """Call the function; if the connection has reported an error before, close it first, and Django opens another."""
    if connection.connection is not None and connection.errors_occurred:
        connection.close()
    try:
        return call()
    except Error as error:
        if is_away(error) and not isinstance(error, AWAY):
            raise OperationalError(*error.args) from error
        raise


def is_away(error: BaseException | None) -> bool:
    """Whether the error is due to the state of the database, rather than to the query."""
    return isinstance(error, AWAY) or (isinstance(error, Error) and any(words in str(error) for words in DAMAGED))
