"""Locks for work that several processes may start at the same time, on this machine or on others."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper

from lifecycle_site.data_dir import in_one_line

PREPARE = 7_638_104_968_020_361
"""The key of our PostgreSQL advisory lock; arbitrary, but nothing else in this database may use it."""
PATIENCE = ["idle_in_transaction_session_timeout", "transaction_timeout"]
"""Settings that would abort a transaction that stays open during work elsewhere. The second exists since PostgreSQL 17."""
AGAIN_S = 0.2
"""Seconds between two attempts to take the lock."""


@contextmanager
def alone_here(folder: Path) -> Iterator[None]:
    """Hold a lock that excludes other processes with this data folder. Raises ImproperlyConfigured if the folder cannot be written."""
    with in_one_line(folder):
        handle = os.open(folder / "prepare.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which releases the lock


@contextmanager
def alone_in_database() -> Iterator[None]:
    """Hold a lock that excludes all other processes of the site, on any machine. Does nothing on SQLite, which is limited to one machine.

    The lock belongs to a transaction on its own connection, because a pooler keeps a session for no longer than a transaction. A waiting
    process polls and holds no transaction in between: a pooler with few sessions would have none left for the process that has the lock.
    """
    if connection.vendor != "postgresql":
        yield
        return
    holder = connection.copy()
    try:
        holder.set_autocommit(False)
        while not _locked(holder):
            holder.rollback()
            time.sleep(AGAIN_S)
        yield
    finally:
        with suppress(Error):  # PostgreSQL releases the locks of a lost connection
            holder.rollback()
        holder.close()


def _locked(holder: BaseDatabaseWrapper) -> bool:
    """Begin a transaction without timeouts and try to take the lock for its duration."""
    with holder.cursor() as cursor:
        cursor.execute("SELECT set_config(name, '0', true) FROM pg_settings WHERE name = ANY(%s)", [PATIENCE])
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [PREPARE])
        return bool(cursor.fetchone()[0])
