"""The folder of a site's data: nobody else's to read, and a clear word where it cannot be used.

A folder that somebody chose by PODSCOPE_DATA_DIR keeps its mode, and its database keeps what it grants to the group: a proxy may
serve the static files there, a backup may read the database.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

OTHERS = 0o007
ALL_BUT_OWNER = 0o077


def open_data_dir(path: Path, *, is_chosen: bool) -> Path:
    """Make the folder (mode 0700) and its folder of static files, or tighten the one that is there unless it was chosen.

    Raises ImproperlyConfigured where that is not possible.
    """
    with in_one_line(path):
        is_new = not path.exists()
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not is_new and not is_chosen:
            _take_away(path, ALL_BUT_OWNER)
        (path / "static").mkdir(exist_ok=True)
    return path


def open_sqlite(path: Path, *, is_chosen: bool) -> Path:
    """Make the file of the database (mode 0600; SQLite gives its helpers the same) or tighten those that are there.

    Call it before the first connection: closing the file gives up SQLite's locks. Raises ImproperlyConfigured.
    """
    with in_one_line(path.parent):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError("SQLite cannot write beside the database")
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            _take_away(path.with_name(name), OTHERS if is_chosen else ALL_BUT_OWNER)
    return path


@contextmanager
def in_one_line(path: Path) -> Iterator[None]:
    """Turn a failure to use ``path`` into ImproperlyConfigured, which says what to do."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise ImproperlyConfigured(f"the data folder {path} cannot be used: {why}. PODSCOPE_DATA_DIR names another one.") from None


def _take_away(path: Path, rights: int) -> None:
    """Leave files alone that are not there or belong to somebody else: only their owner may change them."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    if status.st_mode & rights and status.st_uid == os.geteuid():
        path.chmod(stat.S_IMODE(status.st_mode) & ~rights)
