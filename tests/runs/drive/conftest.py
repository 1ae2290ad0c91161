"""Fixtures for the tests of runners."""

import pytest
from channels.layers import channel_layers

from tests.runs.drive.stage import Clock


@pytest.fixture
def wall(monkeypatch):
    clock = Clock()
    for module in ("simulator.runs.services.runs", "simulator.runs.log.clock", "simulator.runs.log.so_far"):
        monkeypatch.setattr(f"{module}.wall_ms", clock)
    monkeypatch.setattr("simulator.runs.log.so_far.read_wall_ms", lambda _: clock())
    # A turn gets as far as it should, however busy the machine is: the clock here is not the machine's.
    monkeypatch.setattr("simulator.runs.drive.actor.SLICE_S", 60.0)
    channel_layers.backends = {}
    return clock
