"""Django's SQLite backend, of which whoever waits for the write lock asks again at an even pace.

SQLite's own way is to ask less and less often, in the end ten times a second: among processes that write all the time, whoever has waited
longest is served last. Here everybody asks every few milliseconds, and a request, for which somebody waits, several times as often as
what nobody looks at, so that it is nearly always next.
"""

import sqlite3
from collections.abc import Callable
from functools import partial
from time import monotonic, sleep
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

PAUSE_S = 0.004
REQUEST_PAUSE_S = 0.0005
"""How long whoever waits sleeps before it asks again; a question takes some twenty microseconds."""


class PatientCursor(base.SQLiteCursorWrapper):
    """A cursor that waits for the lock as its wrapper says."""

    wrapper: "DatabaseWrapper"

    def execute(self, query: str, params: Any = None) -> "PatientCursor":
        """As Django's. Raises OperationalError where the lock is not free within the wrapper's patience.

        A statement that was refused for the lock has done nothing. Within a transaction none is asked again: there the lock is held, or
        another one has it that waits for this one to end.
        """
        self.wrapper.patiently(partial(super().execute, query, params), again=lambda: not self.connection.in_transaction)
        return self


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection. ``patience_s``: how long it waits for the lock, ``OPTIONS["timeout"]`` unless ``hurry`` is called."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.patience_s, self.pause_s = float(self.settings_dict["OPTIONS"].get("timeout", 5.0)), PAUSE_S

    def hurry(self, *, patience_s: float) -> None:
        """Somebody waits for the answer: ask often, and give up after so long."""
        self.patience_s, self.pause_s = patience_s, REQUEST_PAUSE_S

    def patiently(self, ask: Callable[[], Any], *, again: Callable[[], bool] = lambda: True) -> None:
        """Ask until the lock is free, or for as long as one may wait; not ``again`` where that says no."""
        over_s = 0.0
        while True:
            try:
                ask()
                return
            except (sqlite3.OperationalError, OperationalError) as error:
                if not _is_locked(error) or not again():
                    raise
                now_s = monotonic()
                over_s = over_s or now_s + self.patience_s
                if now_s >= over_s:
                    raise
            sleep(self.pause_s)

    def _commit(self) -> None:
        """Where the journal is no WAL (a file system without shared memory) readers may be in the way."""
        self.patiently(super()._commit)  # type: ignore[misc]  # the stubs do not know it

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        """Connect, still waiting in SQLite's way, and in ours from then on."""
        self.patience_s, self.pause_s = float(conn_params.get("timeout", 5.0)), PAUSE_S
        opened: sqlite3.Connection = super().get_new_connection(conn_params)
        opened.execute("PRAGMA busy_timeout = 0")
        return opened

    def create_cursor(self, name: str | None = None) -> PatientCursor:
        """A cursor that knows this wrapper."""
        cursor: PatientCursor = self.connection.cursor(factory=PatientCursor)
        cursor.wrapper = self
        return cursor


def _is_locked(error: BaseException) -> bool:
    """Of SQLite's own error, or of Django's that it is the cause of."""
    code = getattr(error if isinstance(error, sqlite3.Error) else error.__cause__, "sqlite_errorcode", 0)
    return bool(code & 0xFF == sqlite3.SQLITE_BUSY)
