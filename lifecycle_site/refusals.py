"""Report what keeps a process from starting in one line, with exit code 1 and no traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, OperationalError

DAMAGED = ("disk image is malformed", "file is not a database")
"""Parts of SQLite's messages about a damaged file, which arrive as a plain DatabaseError."""


@contextmanager
def refused_in_one_line() -> Iterator[None]:
    """Exit if a setting is wrong, or the database does not answer or is damaged. Other exceptions pass through."""
    try:
        yield
    except ImproperlyConfigured as error:
        sys.exit(f"Podscope cannot start: {_line(error)}")
    except OperationalError as error:
        sys.exit(f"The database does not answer: {_line(error)}")
    except DatabaseError as error:
        if not any(words in str(error) for words in DAMAGED):
            raise
        sys.exit(f"The database is damaged: {_line(error)}. Put a copy of it back, or move it away to begin with an empty one.")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
