"""What keeps a process from starting, in one line and with exit code 1 instead of a traceback."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError


@contextmanager
def refused_in_one_line() -> Iterator[None]:
    """End the process where a setting is wrong or the database does not answer. Whatever else is raised comes through."""
    try:
        yield
    except ImproperlyConfigured as error:
        sys.exit(f"Podscope cannot start: {_line(error)}")
    except OperationalError as error:
        sys.exit(f"The database does not answer: {_line(error)}")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
