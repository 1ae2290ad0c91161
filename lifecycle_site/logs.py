"""What is logged to the console, and how much: whatever visitors do, the log stays small enough to read.

The traceback of a request that fails in each of a dozen middlewares takes 80 kB. A visitor who finds such a request must not be able to
fill the disk with it or keep the site busy writing.
"""

import logging
import re
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from time import monotonic
from typing import Any

from lifecycle_site.broker import broker_errors

WINDOW_S = 60.0
TRACEBACKS_MAX = 3
"""Tracebacks of one kind that are shown per window. They are all alike, so more would add nothing."""
LINES_MAX = 30
"""Warnings and errors of one kind without a traceback that are shown per window: each names what it is about."""
KINDS_MAX = 100
"""Kinds that are counted separately per window; any others are counted together."""
ENTRY_CHARS_MAX = 8_000
"""A longer entry keeps only its beginning and its end, where the first cause and the last failure are."""

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_KEY = re.compile(r"(?<=/k8s/)[rw]-[A-Za-z0-9_-]+")
"""The key in the address of a run's API."""
_OTHER = "other kinds"
NO_ERROR = (None, None, None)
"""What ``sys.exc_info()`` returns where nothing was raised."""


def without_traceback(record: logging.LogRecord) -> bool:
    """Keep a record but not its traceback: the request was bad, the code was not."""
    record.exc_info = None
    return True


def not_unavailable(record: logging.LogRecord) -> bool:
    """Drop 503s and 501s, which are deliberate: an outage is logged where it is detected, and floods of requests must not fill the log."""
    return getattr(record, "status_code", 0) not in (501, 503)


def broker_away(record: logging.LogRecord) -> bool:
    """Reduce to one line the traceback that the channel layer logs every second while Redis is unreachable."""
    _, error, _ = record.exc_info or NO_ERROR
    if isinstance(error, broker_errors()):
        record.msg, record.args, record.exc_info = "Redis is away: %s", (error,), None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True


class BoundedFormatter(logging.Formatter):
    """Formats entries of bounded length, in which every line but the first is indented.

    So nothing that a visitor puts into a URL can pass for a log entry or send control codes to a terminal.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The entry as text."""
        text = _CONTROLS.sub(_escaped, _KEY.sub("…", super().format(record))).replace("\n", "\n    ")
        if len(text) <= ENTRY_CHARS_MAX:
            return text
        half = ENTRY_CHARS_MAX // 2
        return f"{text[:half]}\n    [{len(text) - 2 * half} characters left out]\n    {text[-half:]}"


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def _start_timer(seconds: float, function: Callable[[], None]) -> None:
    timer = Timer(seconds, function)
    timer.daemon = True
    timer.start()


class BudgetHandler(logging.StreamHandler[Any]):
    """Writes a bounded number of warnings and errors of each kind per minute, then one line per kind saying how many more there were.

    A kind is the type of an exception and the line that raised it, or the logging line if there is no exception. Each process has its own
    budget. Anything below a warning is always written.
    """

    def __init__(
        self,
        stream: Any = None,
        *,
        clock_s: Callable[[], float] = monotonic,
        later: Callable[[float, Callable[[], None]], None] = _start_timer,
    ) -> None:
        super().__init__(stream)
        self._clock_s, self._later = clock_s, later
        self._counts: dict[str, int] = {}
        self._left_out: dict[str, int] = {}
        self._since_s = clock_s()

    def emit(self, record: logging.LogRecord) -> None:
        """Write the record, or count it."""
        if record.levelno >= logging.WARNING and not self._is_within(record):
            return
        super().emit(record)

    def close(self) -> None:
        """Report what has been left out so far. The stream stays open."""
        self._end_window()
        super().close()

    def _is_within(self, record: logging.LogRecord) -> bool:
        if self._clock_s() - self._since_s >= WINDOW_S:
            self._end_window()
        kind = kind_of(record)
        if kind not in self._counts and len(self._counts) >= KINDS_MAX:
            kind = _OTHER
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= (TRACEBACKS_MAX if record.exc_info else LINES_MAX):
            return True
        if not self._left_out:
            with suppress(RuntimeError, MemoryError):  # no thread available: reported with the next window's first entry
                self._later(WINDOW_S - (self._clock_s() - self._since_s), self._end_window)
        self._left_out[kind] = self._left_out.get(kind, 0) + 1
        return False

    def _end_window(self) -> None:
        """Report what has been left out, and start counting again."""
        self.acquire()
        try:
            left_out, self._left_out, self._counts, self._since_s = self._left_out, {}, {}, self._clock_s()
            for kind, count in left_out.items():
                words = "%d more like this were left out: %s"
                super().emit(logging.LogRecord(__name__, logging.WARNING, __file__, 0, words, (count, kind), None))
        finally:
            self.release()


def kind_of(record: logging.LogRecord) -> str:
    """The kind of a record: ``KeyError at base/fields.py:12``, or the line that logged it. Walks every frame of the traceback."""
    error, _, traceback = record.exc_info or NO_ERROR
    if error is None or traceback is None:
        return f"{record.levelname} of {record.name} at {_place(record.pathname, record.lineno)}"
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return f"{error.__name__} at {_place(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)}"


def _place(path: str, line: int) -> str:
    return f"{'/'.join(path.rsplit('/', 2)[-2:])}:{line}"
