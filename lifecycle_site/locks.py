"""Locks for work that several processes may begin at once, on this machine and on others."""

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
"""The number of our advisory lock in PostgreSQL; any that nobody else of this database uses."""
PATIENCE = ["idle_in_transaction_session_timeout", "transaction_timeout"]
"""Settings that would end a transaction which waits for work elsewhere. PostgreSQL knows the second one since 17."""
AGAIN_S = 0.2
"""Between two looks whether the lock is free."""


@contextmanager
def alone_here(folder: Path) -> Iterator[None]:
    """Wait until no other process with this data folder is in here. Raises ImproperlyConfigured where the folder cannot be written."""
    with in_one_line(folder):
        handle = os.open(folder / "prepare.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which gives the lock up


@contextmanager
def alone_in_database() -> Iterator[None]:
    """Wait until no other process of the site, on any machine, is in here. On SQLite, which is one machine's, nothing happens.

    The lock belongs to a transaction on a connection of its own, as a pooler keeps a session together for no longer than that. Whoever
    waits asks again and again and holds no transaction meanwhile: a pooler with few sessions would have none left for whoever works.
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
        with suppress(Error):  # PostgreSQL gives up a lost connection's locks
            holder.rollback()
        holder.close()


def _locked(holder: BaseDatabaseWrapper) -> bool:
    """Begin a transaction that may last, and try to take the lock for as long as it does."""
    with holder.cursor() as cursor:
        cursor.execute("SELECT set_config(name, '0', true) FROM pg_settings WHERE name = ANY(%s)", [PATIENCE])
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [PREPARE])
        return bool(cursor.fetchone()[0])
