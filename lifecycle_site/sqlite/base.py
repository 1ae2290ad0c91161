"""Django's SQLite backend, polling for the write lock at a constant rate.

SQLite's own busy handler backs off, in the end to ten attempts a second: among processes that write constantly, the one that has waited
longest is served last. Here everybody tries every few milliseconds, and requests, which somebody is waiting for, several times as often as
background work, so they are nearly always next.
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
"""Seconds between two attempts; an attempt takes about twenty microseconds."""


class PatientCursor(base.SQLiteCursorWrapper):
    """A cursor that waits for the lock as its wrapper prescribes."""

    wrapper: "DatabaseWrapper"

    def execute(self, query: str, params: Any = None) -> "PatientCursor":
        """Same as Django's. Raises OperationalError if the lock is not free within the wrapper's patience.

        A statement refused because of the lock has done nothing. Within a transaction it is not retried: either this connection already
        holds the lock, or its holder is waiting for this transaction to end.
        """
        self.wrapper.patiently(partial(super().execute, query, params), again=lambda: not self.connection.in_transaction)
        return self


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection. ``patience_s`` is how long it waits for the lock: ``OPTIONS["timeout"]`` unless ``hurry`` was called."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.patience_s, self.pause_s = float(self.settings_dict["OPTIONS"].get("timeout", 5.0)), PAUSE_S

    def hurry(self, *, patience_s: float) -> None:
        """Poll for the lock more often, and give up after ``patience_s``: for work that somebody is waiting for."""
        self.patience_s, self.pause_s = patience_s, REQUEST_PAUSE_S

    def patiently(self, ask: Callable[[], Any], *, again: Callable[[], bool] = lambda: True) -> None:
        """Call ``ask`` until the lock is free or patience runs out; retry only while ``again`` returns True."""
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
        """Commit. Without a WAL journal (on a file system without shared memory) readers may block a commit."""
        self.patiently(super()._commit)  # type: ignore[misc]  # the stubs do not know it

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        """Connect with SQLite's own busy handler, then switch to polling."""
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
    """Whether an error of SQLite, or Django's wrapper around one, means that the database is locked."""
    code = getattr(error if isinstance(error, sqlite3.Error) else error.__cause__, "sqlite_errorcode", 0)
    return bool(code & 0xFF == sqlite3.SQLITE_BUSY)
