"""What the console shows."""

import logging

from lifecycle_site.broker import broker_errors


def without_traceback(record: logging.LogRecord) -> bool:
    """Keep a record but not its traceback: the request was bad, the code was not."""
    record.exc_info = None
    return True


def not_unavailable(record: logging.LogRecord) -> bool:
    """Leave out the 503s: what is away is told where that is found, and a flood that is refused must not flood the log."""
    return getattr(record, "status_code", 0) != 503


def broker_away(record: logging.LogRecord) -> bool:
    """Say in one line what the channel layer says with a traceback every second while Redis is away."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, broker_errors()):
        record.msg, record.args, record.exc_info = "Redis is away: %s", (error,), None
        record.levelno, record.levelname = logging.WARNING, "WARNING"
    return True
