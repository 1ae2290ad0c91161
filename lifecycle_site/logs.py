"""What the console shows."""

import logging


def without_traceback(record: logging.LogRecord) -> bool:
    """Keep a record but not its traceback: the request was bad, the code was not."""
    record.exc_info = None
    return True


def not_unavailable(record: logging.LogRecord) -> bool:
    """Leave out the 503s: what is away is told where that is found, and a flood that is refused must not flood the log."""
    return getattr(record, "status_code", 0) != 503
