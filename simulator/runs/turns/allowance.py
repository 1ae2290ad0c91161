"""How much a request may play: so much work in all, counted, whatever it asks for.

A run whose log a runner still fills, or which has not been looked at for a while, may take
minutes to play: no page waits for that. The next request goes on where this one stopped. What is
not a request (a runner, a command, a job) plays as much as it takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from simulator.engine.course.replay import OutOfWork, Purse

WORK_MAX = 70_000
"""Of a request, in units (engine/world/work.py): 0.5 to 1.5 s of one core."""
RESERVE = 30_000
"""What a page may play in addition, to show at least what the log has: about 2 s in all."""
ASK_AGAIN_S = 3
"""A page of what is not yet played asks again by itself so often: longer than a request plays, so others have the core meanwhile."""

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
