"""How a serving process exits."""

import logging
import os
import sys
from contextlib import suppress
from typing import NoReturn


def leave(code: int) -> NoReturn:
    """Flush logs and output, then exit at once. Requests still waiting have threads that nothing would ever wake up."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
