"""Locks for work that several processes may begin at once, on this machine and on others."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from lifecycle_site.data_dir import in_one_line

PREPARE = 7_638_104_968_020_361
"""The number of our advisory lock in PostgreSQL; any that nobody else of this database uses."""


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
    """Wait until no other process of the site, on any machine, is in here. On SQLite, which is one machine's, nothing happens."""
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [PREPARE])
    try:
        yield
    finally:
        if connection.connection is not None and not connection.connection.closed:  # PostgreSQL gives up a lost connection's locks
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [PREPARE])
