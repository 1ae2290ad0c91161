"""The engine's work, counted inside the engine: for tests of limits, independent of the limit's own counting."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulator.engine.world.effects import Effects
from simulator.engine.world.queue import EventQueue


class Count:
    """Events processed and records written since this was created."""

    def __init__(self) -> None:
        self.done = 0


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Count]:
    """Inside the block the count grows with each event and record, in any world."""
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
