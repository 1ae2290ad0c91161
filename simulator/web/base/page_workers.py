"""Worker processes for requests that compute: the web process, which all visitors share, hands these requests over and waits.

A worker runs the same views behind the same middleware, except for what the web process has already done. It may use one core, and limited
time and memory; if it dies or takes too long it is replaced, and only its current request fails. Requests for a run prefer the same worker,
which has the run's worlds in memory. Messages that a view announces come back with its response, and the web process sends them. Besides
requests, the web process can have a function called in a worker (``Errand``).

No library for process pools can do this. Those of ``concurrent.futures`` and pebble have one queue for all workers, so that no worker can
be chosen for a run, and one priority for all. If a worker dies, the former loses the whole pool; if one hangs while it holds the queue's
lock, the latter waits for it.

How a request is handled: ``_choose`` picks a process, ``_to_pickle`` turns the request into data that can be pickled, the process runs the
whole handler and returns an ``Answered``, whose announcements are then sent. The two ends communicate over one pipe with a timeout on every
send and receive, since a process that hangs would otherwise hold its slot for ever. Killing a process is safe: views store everything in
transactions, and a process has no other persistent state.
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
from django.db import close_old_connections
from django.http import HttpRequest, HttpResponse

from lifecycle_site import last_resort
from lifecycle_site.connections import keep_connections
from lifecycle_site.memory import give_back, limit_memory, trim
from simulator.headless.priorities import step_aside
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
"""Middleware that the web process applies before it hands a request over, or to the response afterwards."""
MARKS = {"may_be_framed", "xframe_options_exempt", "is_under_way", "ordered_s"}
"""Attributes of a response that are passed on. ``is_under_way``: the request has played as much as it may, and the next one continues.
``ordered_s``: seconds of computing that other processes will do for it."""
UNDER_WAY_MAX = 256
"""Keys whose worker is remembered, because it holds what has been played so far."""
END_S = 2.0
IDLE_S = 45.0
"""While nobody watches any run, a process without a request for this long is ended, to free the memory it has accumulated."""
WATCHED_IDLE_S = 300.0
"""While somebody watches a run, what processes hold may be needed at any moment: only those after the first are ended, and later."""
IDLE_LOOK_S = 10.0
LET_GO_LOOK_S = 10.0
"""How often a process checks which of the runs it has in memory nobody watches."""
PR_SET_PDEATHSIG = 1

logger = logging.getLogger(__name__)


class Lost(Exception):
    """The process that handled the request died."""


class TookTooLong(Exception):
    """The request exceeded its time limit, and its process was killed."""


class Asked(msgspec.Struct, frozen=True):
    """A request for a worker: its WSGI environment and its whole body."""

    environ: dict[str, str]
    body: bytes


class Answered(msgspec.Struct, frozen=True):
    """A response, and the messages to announce with their groups. ``marks`` are attributes of the response that middleware reads."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]
    cookies: SimpleCookie
    content: bytes
    marks: dict[str, Any]
    announced: tuple[tuple[str, dict[str, Any]], ...]

    def response(self) -> HttpResponse:
        """The response as the view returned it."""
        made = HttpResponse(self.content, status=self.status, reason=self.reason, headers=dict(self.headers))
        made.cookies = self.cookies
        vars(made).update(self.marks)
        return made


class Errand(msgspec.Struct, frozen=True):
    """A call to make in a worker: a module-level function and its arguments."""

    function: Callable[..., Any]
    args: tuple[Any, ...]


class ErrandDone(msgspec.Struct, frozen=True):
    """What the function returned or raised."""

    value: Any = None
    error: Exception | None = None


class PageWorker:
    """One process, which handles one request at a time; others wait."""

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
        """Start the process without waiting until it is ready. Raises Lost if it cannot be started."""
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
        """The process's answer, Answered or ErrandDone. Raises Lost and TookTooLong; after either, the next call starts a new process."""
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
            # A send or receive that times out raises this too (_bound).
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
        """End the process if it has had no request for that long."""
        if self.is_there and monotonic() - self._used_s > idle_s and self._lock.acquire(blocking=False):
            try:
                self.end()
            finally:
                self._lock.release()

    def renew_idle(self, idle_s: float) -> bool:
        """Replace the process if it has worked, but has had no request for that long; return whether it was replaced."""
        if not self._has_worked or monotonic() - self._used_s <= idle_s or not self._lock.acquire(blocking=False):
            return False
        try:
            self.end()
            with suppress(Lost):  # the first request tries again
                self.start()
        finally:
            self._lock.release()
        return True

    def end(self) -> str:
        """Kill the process, whatever it is doing; return how it ended."""
        process, self._process = self._process, None
        if self._line is not None:
            self._line.close()
        if process is None or process.pid is None:
            return "not there"
        process.kill()
        process.join(END_S)
        return f"exit code {process.exitcode}"


class PageWorkers:
    """At most ``size`` processes, each for one request at a time. Callers hold one of as many slots, so there is always a free one.

    The first starts immediately, another one whenever all existing ones are busy. Half as many low-priority processes ("aside") serve
    visitors who have used a lot while others are present. ``is_watched`` returns whether anybody is watching a run, because then anything
    about it may be requested at any moment.
    """

    def __init__(
        self, context: Any, *, size: int, memory_mib: int, seconds_max: float, is_watched: Callable[[], bool] = lambda: False
    ) -> None:
        nices = [PAGE_NICE] * size + [ASIDE_PAGE_NICE] * half_of(size)
        self._workers = [PageWorker(context, memory_mib=memory_mib, seconds_max=seconds_max, nice=nice) for nice in nices]
        self._busy, self._size = [0] * len(nices), size
        self._lock, self._is_watched = Lock(), is_watched
        self._under_way: OrderedDict[str, int] = OrderedDict()
        with suppress(Lost):  # the first request tries again
            self._workers[0].start()
        Thread(target=self._keep_letting_go, name="page workers", daemon=True).start()

    def answer(self, request: HttpRequest, *, key: str = "", is_aside: bool = False) -> HttpResponse:
        """A worker's response to the request; requests with the same ``key`` prefer the same worker. Raises Lost and TookTooLong."""
        number = self._choose(key, is_aside=is_aside)
        answered: Answered = self._answer(_to_pickle(request), number)
        self._note(key, number, is_under_way=bool(answered.marks.get("is_under_way")))
        for group, message in answered.announced:
            async_to_sync(announce.send)(group, message)
        return answered.response()

    def call(self, function: Callable[..., Any], *args: Any, key: str = "", is_aside: bool = False) -> Any:
        """Call the function in a worker and return its result; calls prefer a worker as requests do, and the same one for the same key.

        Its exceptions are raised here. Raises Lost and TookTooLong.
        """
        done: ErrandDone = self._answer(Errand(function, args), self._choose(key, is_aside=is_aside))
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
        """Remember which process has partly played something for this key, until it is finished."""
        with self._lock:
            self._under_way.pop(key, None)
            if key and is_under_way:
                self._under_way[key] = number
                while len(self._under_way) > UNDER_WAY_MAX:
                    self._under_way.popitem(last=False)

    def _choose(self, key: str, *, is_aside: bool = False) -> int:
        """The number of the key's process, or of the least busy one; a running process is preferred to starting one.

        A process that has partly played something for the key is used even if it is busy, unless another request already waits for it:
        any other process would have to play all of it again.
        """
        with self._lock:
            numbers = range(len(self._workers)) if is_aside else range(self._size)
            under_way = self._under_way.get(key, -1)
            if under_way in numbers and self._workers[under_way].is_there and self._busy[under_way] <= 1:
                self._busy[under_way] += 1
                return under_way
            there = [number for number in numbers if self._workers[number].is_there and (number >= self._size) == is_aside]
            # The key's usual worker, as long as the same workers are running.
            own = there[crc32(key.encode()) % len(there)] if there else numbers[0]
            kind = {each: (each >= self._size) != is_aside for each in numbers}
            # Least busy first; then the matching priority; then one that is running; then the key's usual worker.
            number = min(numbers, key=lambda each: (self._busy[each], kind[each], each not in there, each != own))
            self._busy[number] += 1
        return number

    def let_go(self) -> None:
        """End processes that nobody needs, to free the memory they have accumulated. The first one is replaced by a new one; then this
        process, which is idle as well, also returns unused memory to the system."""
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
    """Set a timeout on sends and receives: a message that is larger than the pipe's buffer waits for the other end."""
    with socket.socket(fileno=os.dup(line.fileno())) as end:
        for option in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            end.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", int(seconds), 0))


def _to_pickle(request: HttpRequest) -> Asked:
    # WSGI's objects (streams, functions) cannot be pickled, and the worker does not need them.
    environ = {name: value for name, value in request.META.items() if isinstance(value, str) and not name.startswith("podscope.")}
    environ["REQUEST_METHOD"] = request.method or "GET"
    environ["wsgi.url_scheme"] = request.scheme or "http"
    environ["PATH_INFO"] = request.path_info.encode().decode("latin-1")  # as in WSGI
    return Asked(environ, b"" if request.method in ("GET", "HEAD") else request.body)


# ---- in the worker ---------------------------------------------------------------------------------------------------
class _Collecting(InMemoryChannelLayer):  # type: ignore[misc]  # channels has no types
    """Collects announced messages for the web process to send."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[tuple[str, dict[str, Any]]] = []

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Keep the message."""
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
    """The main function of a worker: serve until the other end closes."""
    global _worker  # one process is one worker
    _end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole process group; requests in progress are still answered
    name_process("page worker")
    if nice >= ASIDE_PAGE_NICE:
        step_aside(nice)
    else:
        os.nice(nice)
    limit_memory(memory_mib)
    keep_connections()
    _worker = _Worker()
    with suppress(OSError, EOFError):
        serve(line)


def serve(line: Connection) -> None:
    """Answer requests, and in between drop what nobody needs. Raises EOFError when the other end closes."""
    looked_s = monotonic()
    while True:
        if line.poll(LET_GO_LOOK_S):
            asked = line.recv()
            line.send_bytes(packed(run_errand(asked)) if isinstance(asked, Errand) else packed(work(asked)))
        if monotonic() - looked_s >= LET_GO_LOOK_S:
            let_go()
            looked_s = monotonic()


def let_go() -> None:
    """Drop the checkpoints of runs that nobody watches. If the database does not answer, the next call tries again."""
    done = run_errand(Errand(timemachine.let_go, ()))
    if done.value:
        trim()
    elif done.error is not None:
        logger.warning("Checkpoints could not be let go: %s", done.error)


def packed(answer: "Answered | ErrandDone") -> bytes:
    """The answer, pickled for the web process. If it cannot be pickled, or an error in it not be unpickled, an error is packed instead."""
    try:
        text = ForkingPickler.dumps(answer)
        if isinstance(answer, ErrandDone) and answer.error is not None:
            pickle.loads(text)  # unpickling calls an exception's class with its ``args``, which not every class accepts
        return bytes(text)
    except Exception as error:
        logger.exception("an answer could not be handed over")
        if isinstance(answer, Answered):
            return bytes(ForkingPickler.dumps(_failed(for_script=False)))
        said = answer.error or error
        return bytes(ForkingPickler.dumps(ErrandDone(error=RuntimeError(f"{type(said).__name__}: {said}"))))


def _end_with_parent() -> None:
    """On Linux, have the system kill this process when its parent dies; the parent ends with the site, however that ends."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def is_worker() -> bool:
    """Whether this process is a worker, in which views compute."""
    return _worker is not None


def work(asked: Asked) -> Answered:
    """Handle one request."""
    assert _worker is not None, "live() has not begun"
    _worker.layer.kept.clear()
    try:
        request_started.send(sender=_Worker, environ=asked.environ)
        request = WSGIRequest(asked.environ | {"wsgi.input": BytesIO(asked.body), "CONTENT_LENGTH": str(len(asked.body))})
        return _answered(cast(HttpResponse, _worker.handler.get_response(request)), tuple(_worker.layer.kept))
    except BaseException:  # anything else would end the process, and leave its client without a response
        logger.exception("failed outside its view: %s", asked.environ.get("PATH_INFO", ""))
        accept, is_htmx = asked.environ.get("HTTP_ACCEPT", ""), "HTTP_HX_REQUEST" in asked.environ
        return _failed(for_script=last_resort.is_for_script(accept, is_htmx=is_htmx))
    finally:
        with suppress(Exception):  # it closes connections, which may have been the failure
            request_finished.send(sender=_Worker)


def _failed(*, for_script: bool) -> Answered:
    return _answered(last_resort.failure(for_script=for_script), ())


def _answered(made: HttpResponse, announced: tuple[tuple[str, dict[str, Any]], ...]) -> Answered:
    marks = {name: value for name, value in vars(made).items() if name in MARKS}
    return Answered(made.status_code, made.reason_phrase, tuple(made.headers.items()), made.cookies, made.content, marks, announced)


def run_errand(errand: Errand) -> ErrandDone:
    """Call an errand's function, for the web process."""
    close_old_connections()
    try:
        return ErrandDone(value=errand.function(*errand.args))
    except Exception as error:
        return ErrandDone(error=error)
    finally:
        close_old_connections()
