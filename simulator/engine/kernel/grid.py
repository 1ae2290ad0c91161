"""Ticks: moments on a grid ``phase + k × period``. None is queued while nothing happens; it is computed when something waits for it."""

from simulator.engine.kernel.units import Ms


def next_beat(now: Ms, phase: Ms, period: Ms) -> Ms:
    """The first moment of the grid strictly after ``now``."""
    return now + period - (now - phase) % period


def last_beat(now: Ms, phase: Ms, period: Ms) -> Ms:
    """The last moment of the grid at or before ``now``."""
    return now - (now - phase) % period
