"""Requests that compute are worked on by processes of their own: the web process, which all visitors share, hands them over and waits.

A worker runs the same views behind the same middleware, but for what the web process has done already. It may use one core, a bounded
time and a bounded memory; one that dies or takes too long is replaced, and only whoever asked is told. A run's requests go to the same
worker where it is free: it has the run's worlds at hand. What a view announces travels back with its answer and is sent by the web
process. Beside requests, one thing may be asked for that the web process lacks (``Errand``).

No library for process pools does this: those of ``concurrent.futures`` and pebble have one queue that all workers take from, so that no
worker can be chosen for a run, and one priority for all of them; and they lose the whole pool with a worker that dies (the former), or
wait for one that stands still with the queue's lock (the latter).

The life of a request here: ``_choose`` picks a process, ``_asked`` makes of the request what can be pickled,
the process runs the whole handler and sends an ``Answered`` back, whose announcements are then sent. The
two ends speak over one pipe with a bound on every send and receive, since a process that stands still
would otherwise hold its slot for good. Killing is safe: what a view stores it stores in transactions, and
a process has nothing else that outlives it.
"""

import ctypes
import logging
import os
import pickle
import signal
import socket
import struct
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from http.cookies import SimpleCookie
from io import BytesIO
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any, cast
from zlib import crc32

import msgspec
from asgiref.sync import async_to_sync
from channels.layers import InMemoryChannelLayer, channel_layers
from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections
from django.http import HttpRequest, HttpResponse

from lifecycle_site import last_resort
from lifecycle_site.memory import give_back, limit_memory, trim
from simulator.runs.drive.forking import name_process
from simulator.runs.log import timemachine
from simulator.runs.turns.constants import ASIDE_PAGE_NICE, PAGE_NICE
from simulator.runs.turns.slots import half_of
from simulator.runs.wire import announce

DONE_BEFORE = (
    "django.middleware.security.SecurityMiddleware",
    "lifecycle_site.middleware.SecurityHeadersMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "lifecycle_site.compression.CompressionMiddleware",
    "lifecycle_site.throttle.ThrottleMiddleware",
)
"""What the web process does with the request before it hands it over, or with the answer after it."""
MARKS = {"may_be_framed", "xframe_options_exempt", "is_under_way"}
"""``is_under_way``: the request has played as much as one may, and the next one goes on from there."""
UNDER_WAY_MAX = 256
"""Keys whose worker is remembered, since it holds what was played."""
END_S = 2.0
IDLE_S = 45.0
"""Where nobody watches a run, a process that nobody has asked for so long is let go, whatever it has grown to hold."""
WATCHED_IDLE_S = 300.0
"""While somebody does, what processes hold may be asked for at any moment: only those beyond the first are let go, and later."""
IDLE_LOOK_S = 10.0
CONNECTION_S = 60
"""A connection to the database is used for so long, unless it has failed or does not answer."""
LET_GO_LOOK_S = 10.0
"""Every so often a process looks which of the runs that it has at hand nobody watches."""
PR_SET_PDEATHSIG = 1

logger = logging.getLogger(__name__)


class Lost(Exception):
    """The process that worked on the request died."""


class TookTooLong(Exception):
    """The request took longer than a request may, and its process was ended."""


class Asked(msgspec.Struct, frozen=True):
    """A request on its way to a worker: what a WSGI server would say of it, and its whole body."""

    environ: dict[str, str]
    body: bytes


class Answered(msgspec.Struct, frozen=True):
    """An answer, and what is to be announced: messages with their groups. ``marks`` are what middleware reads off a response."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    cookies: SimpleCookie
    content: bytes
    marks: dict[str, Any]
    announced: tuple[tuple[str, dict[str, Any]], ...]

    def response(self) -> HttpResponse:
        """The answer as the view made it."""
        made = HttpResponse(self.content, status=self.status, reason=self.reason, headers=dict(self.headers))
        made.cookies = self.cookies
        vars(made).update(self.marks)
        return made


class Errand(msgspec.Struct, frozen=True):
    """What is asked for beside requests: a function of a module, with its arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


class ErrandDone(msgspec.Struct, frozen=True):
    """What the function gave, or what it raised."""

    value: Any = None
    error: Exception | None = None


class PageWorker:
    """One process. Whoever asks waits until whoever asked before has been answered."""

    def __init__(self, context: Any, *, memory_mib: int, seconds_max: float, nice: int = PAGE_NICE) -> None:
        self._context, self._seconds_max = context, seconds_max
        self._bounds = {"memory_mib": memory_mib, "nice": nice}
        self._lock = Lock()
        self._process: BaseProcess | None = None
        self._line: Connection | None = None
        self._used_s = 0.0
        self._has_worked = False

    @property
    def is_there(self) -> bool:
        """Whether there is a process."""
        return self._process is not None

    def start(self) -> None:
        """Start the process, and do not wait until it is there. Raises Lost where there is no room for one."""
        line, other = self._context.Pipe()
        _bound(line, self._seconds_max)
        self._line, self._used_s, self._has_worked = line, monotonic(), False
        self._process = self._context.Process(target=live, args=(other,), kwargs=self._bounds, name="page", daemon=True)
        try:
            self._process.start()
        except (OSError, EOFError, MemoryError) as error:
            self.end()
            raise Lost(f"not started: {error}") from error
        finally:
            other.close()

    def answer(self, asked: Asked | Errand) -> Any:
        """The process's answer, Answered or ErrandDone. Raises Lost and TookTooLong; the next one who asks has a new process then."""
        with self._lock:
            if self._process is None or not self._process.is_alive():
                self.end()
                self.start()
            line = self._line
            assert line is not None
            self._has_worked = True
            try:
                line.send(asked)
                if not line.poll(self._seconds_max):
                    raise BlockingIOError
                answered = line.recv()
            # Also what a send or a receive raises that runs into the bound of the socket (_bound).
            except BlockingIOError as error:
                self.end()
                raise TookTooLong from error
            except (OSError, EOFError) as error:
                fate = self.end()
                raise Lost(fate) from error
            finally:
                self._used_s = monotonic()
            return answered

    def end_idle(self, idle_s: float) -> None:
        """End the process where nobody has asked it for so long."""
        if self.is_there and monotonic() - self._used_s > idle_s and self._lock.acquire(blocking=False):
            try:
                self.end()
            finally:
                self._lock.release()

    def renew_idle(self, idle_s: float) -> bool:
        """Put a fresh process in the place of one that has answered somebody, and nobody for so long; whether there was one."""
        if not self._has_worked or monotonic() - self._used_s <= idle_s or not self._lock.acquire(blocking=False):
            return False
        try:
            self.end()
            with suppress(Lost):  # the first who asks tries again
                self.start()
        finally:
            self._lock.release()
        return True

    def end(self) -> str:
        """End the process, whatever it does; says how it ended."""
        process, self._process = self._process, None
        if self._line is not None:
            self._line.close()
        if process is None or process.pid is None:
            return "not there"
        process.kill()
        process.join(END_S)
        return f"exit code {process.exitcode}"


class PageWorkers:
    """At most ``size`` processes, each for one request at a time. Whoever asks holds a slot of as many, so one is free.

    The first is there from the start, another one starts when all that are there have something to do. Half as many, ``aside``, leave the
    cores to whoever else wants them, for those who have had much while others are there. ``is_watched`` tells whether somebody watches a
    run, from which it may be asked for anything at any moment.
    """

    def __init__(
        self, context: Any, *, size: int, memory_mib: int, seconds_max: float, is_watched: Callable[[], bool] = lambda: False
    ) -> None:
        nices = [PAGE_NICE] * size + [ASIDE_PAGE_NICE] * half_of(size)
        self._workers = [PageWorker(context, memory_mib=memory_mib, seconds_max=seconds_max, nice=nice) for nice in nices]
        self._busy, self._size = [0] * len(nices), size
        self._lock, self._is_watched = Lock(), is_watched
        self._under_way: OrderedDict[str, int] = OrderedDict()
        with suppress(Lost):  # the first who asks tries again
            self._workers[0].start()
        Thread(target=self._keep_letting_go, name="page workers", daemon=True).start()

    def answer(self, request: HttpRequest, *, key: str = "", is_aside: bool = False) -> HttpResponse:
        """The answer of a worker; requests of the same ``key`` prefer the same one. Raises Lost and TookTooLong."""
        number = self._choose(key, is_aside=is_aside)
        answered: Answered = self._answer(_asked(request), number)
        self._note(key, number, is_under_way=bool(answered.marks.get("is_under_way")))
        for group, message in answered.announced:
            async_to_sync(announce.send)(group, message)
        return answered.response()

    def call(self, function: Callable[..., Any], *args: Any) -> Any:
        """What the function gives in a worker; what it raises there is raised here. Raises Lost and TookTooLong."""
        done: ErrandDone = self._answer(Errand(function, args), self._choose(""))
        if done.error is not None:
            raise done.error
        return done.value

    def _answer(self, asked: Asked | Errand, number: int) -> Any:
        try:
            return self._workers[number].answer(asked)
        finally:
            with self._lock:
                self._busy[number] -= 1

    def _note(self, key: str, number: int, *, is_under_way: bool) -> None:
        """Remember which process is on its way with this key, as long as it is."""
        with self._lock:
            self._under_way.pop(key, None)
            if key and is_under_way:
                self._under_way[key] = number
                while len(self._under_way) > UNDER_WAY_MAX:
                    self._under_way.popitem(last=False)

    def _choose(self, key: str, *, is_aside: bool = False) -> int:
        """The process of the key, or whichever has least to do; one that is there rather than one that must be started.

        One that is on its way with the key is waited for, unless somebody else waits already: another one would play all of it again.
        """
        with self._lock:
            numbers = range(len(self._workers)) if is_aside else range(self._size)
            under_way = self._under_way.get(key, -1)
            if under_way in numbers and self._workers[under_way].is_there and self._busy[under_way] <= 1:
                self._busy[under_way] += 1
                return under_way
            there = [number for number in numbers if self._workers[number].is_there and (number >= self._size) == is_aside]
            # The key's usual worker, as long as the same ones are there.
            own = there[crc32(key.encode()) % len(there)] if there else numbers[0]
            kind = {each: (each >= self._size) != is_aside for each in numbers}
            # Least busy first; then one of its own kind; then one that is there; then the key's own.
            number = min(numbers, key=lambda each: (self._busy[each], kind[each], each not in there, each != own))
            self._busy[number] += 1
        return number

    def let_go(self) -> None:
        """End processes that nobody needs. What one of them has grown by goes with it; the first leaves a fresh one behind, and this
        process, which has had nothing to do either, gives back what it can."""
        is_watched = self._is_watched()
        for worker in self._workers[1:]:
            worker.end_idle(WATCHED_IDLE_S if is_watched else IDLE_S)
        if not is_watched and self._workers[0].renew_idle(IDLE_S):
            give_back()

    def _keep_letting_go(self) -> None:
        while True:
            sleep(IDLE_LOOK_S)
            self.let_go()


def _bound(line: Connection, seconds: float) -> None:
    """Let nobody wait longer than that for the other end to take, or to go on with, a message that a pipe does not hold as a whole."""
    with socket.socket(fileno=os.dup(line.fileno())) as end:
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            end.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", int(seconds), 0))


def _asked(request: HttpRequest) -> Asked:
    # WSGI's own objects (streams, functions) cannot be pickled, and the worker needs none of them.
    environ = {name: value for name, value in request.META.items() if isinstance(value, str) and not name.startswith("podscope.")}
    environ["REQUEST_METHOD"] = request.method or "GET"
    environ["wsgi.url_scheme"] = request.scheme or "http"
    environ["PATH_INFO"] = request.path_info.encode().decode("latin-1")  # as WSGI has it
    return Asked(environ, b"" if request.method in ("GET", "HEAD") else request.body)


# ---- in the worker ---------------------------------------------------------------------------------------------------
class _Collecting(InMemoryChannelLayer):  # type: ignore[misc]  # channels has no types
    """Keeps what is announced for the web process to send."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, dict[str, Any]]] = []

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Keep it."""
        self.kept.append((group, message))


class _Worker:
    def __init__(self) -> None:
        settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if name not in DONE_BEFORE]
        self.layer = _Collecting()
        channel_layers.set("default", self.layer)
        self.handler = BaseHandler()
        self.handler.load_middleware()


_worker: _Worker | None = None


def live(line: Connection, *, memory_mib: int, nice: int = PAGE_NICE) -> None:
    """The whole life of a worker: answer until nobody is at the other end."""
    global _worker  # one process is one worker
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group of processes; what is under way is answered
    name_process("page worker")
    os.nice(nice)
    limit_memory(memory_mib)
    keep_connections()
    _worker = _Worker()
    with suppress(OSError, EOFError):
        serve(line)


def keep_connections() -> None:
    """Use one connection to the database for many requests.

    A worker answers them all in one thread, so the connection is at hand next time, which it is not in the web process: each request has a
    thread of its own there. To open one takes a millisecond on SQLite and four on PostgreSQL.
    """
    for each in connections.settings.values():
        each["CONN_MAX_AGE"] = CONNECTION_S


def serve(line: Connection) -> None:
    """Answer, and between two answers let go of what nobody needs. Raises EOFError where nobody is at the other end any more."""
    looked_s = monotonic()
    while True:
        if line.poll(LET_GO_LOOK_S):
            asked = line.recv()
            line.send_bytes(packed(run_errand(asked)) if isinstance(asked, Errand) else packed(work(asked)))
        if monotonic() - looked_s >= LET_GO_LOOK_S:
            let_go()
            looked_s = monotonic()


def let_go() -> None:
    """Let go of the checkpoints of runs that nobody watches. A database that does not answer is asked again later."""
    done = run_errand(Errand(timemachine.let_go, ()))
    if done.value:
        trim()
    elif done.error is not None:
        logger.warning("Checkpoints could not be let go: %s", done.error)


def packed(answer: "Answered | ErrandDone") -> bytes:
    """What goes to the web process. Where something in it cannot go there, or would not arrive, that is what is told instead."""
    try:
        text = ForkingPickler.dumps(answer)
        if isinstance(answer, ErrandDone) and answer.error is not None:
            pickle.loads(text)  # exceptions are made again from their arguments, which not all of them take
        return bytes(text)
    except Exception as error:
        logger.exception("an answer could not be handed over")
        if isinstance(answer, Answered):
            return bytes(ForkingPickler.dumps(_failed(for_script=False)))
        said = answer.error or error
        return bytes(ForkingPickler.dumps(ErrandDone(error=RuntimeError(f"{type(said).__name__}: {said}"))))


def _end_with_parent() -> None:
    """Let the system end this process with the one that it was forked from, which ends with the site, however that ends (Linux)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def is_worker() -> bool:
    """Whether this process is a worker: views then compute here."""
    return _worker is not None


def work(asked: Asked) -> Answered:
    """Answer one request."""
    assert _worker is not None, "live() has not begun"
    _worker.layer.kept.clear()
    try:
        request_started.send(sender=_Worker, environ=asked.environ)
        request = WSGIRequest(asked.environ | {"wsgi.input": BytesIO(asked.body), "CONTENT_LENGTH": str(len(asked.body))})
        return _answered(cast(HttpResponse, _worker.handler.get_response(request)), tuple(_worker.layer.kept))
    except BaseException:  # whatever it is: the process would have to be made again, and whoever waits for it would be told nothing
        logger.exception("failed outside its view: %s", asked.environ.get("PATH_INFO", ""))
        accept, is_htmx = asked.environ.get("HTTP_ACCEPT", ""), "HTTP_HX_REQUEST" in asked.environ
        return _failed(for_script=last_resort.is_for_script(accept, is_htmx=is_htmx))
    finally:
        with suppress(Exception):  # it closes connections, which may be what failed
            request_finished.send(sender=_Worker)


def _failed(*, for_script: bool) -> Answered:
    return _answered(last_resort.failure(for_script=for_script), ())


def _answered(made: HttpResponse, announced: tuple[tuple[str, dict[str, Any]], ...]) -> Answered:
    marks = {name: value for name, value in vars(made).items() if name in MARKS}
    return Answered(made.status_code, made.reason_phrase, tuple(made.headers.items()), made.cookies, made.content, marks, announced)


def run_errand(errand: Errand) -> ErrandDone:
    """Call a function for the web process."""
    close_old_connections()
    try:
        return ErrandDone(value=errand.function(*errand.args))
    except Exception as error:
        return ErrandDone(error=error)
    finally:
        close_old_connections()
