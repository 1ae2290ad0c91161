"""What the console shows."""

import logging


def without_traceback(record: logging.LogRecord) -> bool:
    """Keep a record but not its traceback: the request was bad, the code was not."""
    record.exc_info = None
    return True
