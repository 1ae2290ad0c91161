"""The site's data folder: private to its owner, with a clear error message if it cannot be used.

A folder chosen with PODSCOPE_DATA_DIR keeps its mode, and its database keeps its group permissions: a proxy may serve the static files
from there, and a backup may read the database.
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
    """Make the folder (mode 0700) and its static subfolder, or tighten the mode of an existing folder unless it was chosen explicitly.

    Raises ImproperlyConfigured if that is not possible.
    """
    with in_one_line(path):
        is_new = not path.exists()
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not is_new and not is_chosen:
            _remove_rights(path, ALL_BUT_OWNER)
        (path / "static").mkdir(exist_ok=True)
    return path


def open_sqlite(path: Path, *, is_chosen: bool) -> Path:
    """Make the database file (mode 0600, which SQLite also gives its -wal and -shm files), or tighten the files that exist.

    Call it before the first connection: closing the file releases SQLite's locks. Raises ImproperlyConfigured.
    """
    with in_one_line(path.parent):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError("SQLite cannot write beside the database")
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            _remove_rights(path.with_name(name), OTHERS if is_chosen else ALL_BUT_OWNER)
    return path


@contextmanager
def in_one_line(path: Path) -> Iterator[None]:
    """Turn a failure to use ``path`` into an ImproperlyConfigured that says what to do."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise ImproperlyConfigured(f"the data folder {path} cannot be used: {why}. PODSCOPE_DATA_DIR names another one.") from None


def _remove_rights(path: Path, rights: int) -> None:
    """Remove ``rights`` from the file's mode. Missing files and those of other users are left alone: only the owner may change a mode."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return
    if status.st_mode & rights and status.st_uid == os.geteuid():
        path.chmod(stat.S_IMODE(status.st_mode) & ~rights)
