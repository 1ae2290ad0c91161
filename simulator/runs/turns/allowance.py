"""How much a request may play: so much work in all, counted, whatever it asks for.

A run whose log a runner still fills, or which has not been looked at for a while, may take
minutes to play: no page waits for that. The next request goes on where this one stopped. What is
not a request (a runner, a command, a job) plays as much as it takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from simulator.engine.course.replay import OutOfWork, Purse

StillComputing = OutOfWork

_purse: ContextVar[Purse | None] = ContextVar("purse", default=None)


@contextmanager
def granted(work: int) -> Iterator[Purse]:
    """Meanwhile so much may be played, whatever was granted before."""
    purse = Purse(work)
    token = _purse.set(purse)
    try:
        yield purse
    finally:
        _purse.reset(token)


def purse() -> Purse:
    """What may be played here and now; no bound where none was set."""
    return _purse.get() or Purse()
