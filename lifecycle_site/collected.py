"""The collected static files: rebuilt when any source has changed, and finished if an earlier build was killed halfway."""

import hashlib
import os
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

from lifecycle_site.data_dir import in_one_line
from lifecycle_site.locks import alone_here

COLLECTED = "collected.sha256"
UNFINISHED = "static.unfinished"
"""A marker file in the data folder, there from before the first file is touched until after the last: a process that finds it finishes the
work."""
SOURCES = ["editor-src", "bundle-src", "*.d.ts"]
"""Files below static/ that are for building and checking, not for browsers."""


def collect_static() -> bool:
    """Collect static files if any changed since the last time, or if the last time was interrupted; return whether that was necessary.

    Call it within ``alone_here``. Raises ImproperlyConfigured if the folder cannot be written.
    """
    mark, begun = Path(settings.STATIC_ROOT) / COLLECTED, _begun()
    now = _fingerprint()
    if not begun.exists() and mark.exists() and mark.read_text() == now:
        return False
    with in_one_line(begun.parent):
        begun.touch()
        call_command("collectstatic", interactive=False, clear=True, verbosity=0, ignore_patterns=SOURCES)
        draft = mark.with_suffix(f".{os.getpid()}")
        draft.write_text(now)
        draft.replace(mark)
        begun.unlink()
    return True


def finish_static() -> bool:
    """Finish a collection that was killed halfway, for a process that is about to serve; return whether there was anything to do.

    Waits for a collection that is still going on. Costs a single file lookup if there is nothing to do.
    """
    if not _begun().exists():
        return False
    with alone_here(settings.DATA_DIR):
        return _begun().exists() and collect_static()


def _begun() -> Path:
    return Path(settings.DATA_DIR) / UNFINISHED


def _fingerprint() -> str:
    """A digest of the name, size and modification time of every static file."""
    found = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list(SOURCES):
            status = Path(storage.path(name)).stat()
            found.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return found.hexdigest()
