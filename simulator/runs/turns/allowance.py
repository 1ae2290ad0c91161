"""How much a request may play: a fixed amount of work in total, whatever it asks for.

A run whose log a runner is still writing, or which nobody has looked at for a while, may take
minutes to play: no page waits for that. The next request continues where this one stopped.
Anything else (a runner, a command, a job) plays without a limit.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from simulator.engine.course.replay import OutOfWork, Purse

StillComputing = OutOfWork

_purse: ContextVar[Purse | None] = ContextVar("purse", default=None)


@contextmanager
def granted(work: int) -> Iterator[Purse]:
    """Allow this much work inside the ``with`` block, whatever was granted before."""
    purse = Purse(work)
    token = _purse.set(purse)
    try:
        yield purse
    finally:
        _purse.reset(token)


def purse() -> Purse:
    """The work that is left in this context; unlimited if none was granted."""
    return _purse.get() or Purse()
