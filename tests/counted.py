"""How much the engine did, counted where it does it: for tests that a bound holds, whatever the bound counts itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulator.engine.world.effects import Effects
from simulator.engine.world.queue import EventQueue


class Count:
    """Events taken and records written since this was made."""

    def __init__(self) -> None:
        self.done = 0


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Count]:
    """Meanwhile the count grows with each event and record, in whatever world."""
    count, pop, record = Count(), EventQueue.pop, Effects.record

    def popped(queue, until_ms):
        due = pop(queue, until_ms)
        count.done += due is not None
        return due

    def recorded(fx, **fields):
        count.done += 1
        return record(fx, **fields)

    with monkeypatch.context() as patch:
        patch.setattr(EventQueue, "pop", popped)
        patch.setattr(Effects, "record", recorded)
        yield count
