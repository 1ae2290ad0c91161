"""Units of the engine: every time is an integer of milliseconds since the run began; nothing is a float.

Plain aliases rather than ``NewType``: calling a NewType costs as much as creating a record, and the names state the unit.
"""

from typing import TypeAlias

Ms: TypeAlias = int
"""A moment (since the run began) or a span, in milliseconds."""
Seq: TypeAlias = int
"""Number of a record; 0 stands for the beginning of the run."""
Key: TypeAlias = str
"""Name of something inside a run: ``default/web``, ``default/web#2`` (created again), ``node1``."""
Subject: TypeAlias = str
"""What a record is about: ``pod/default/web``, ``container/default/web/app``, ``node/node1``, ``run``."""
Scalar: TypeAlias = str | int | bool | None

SECOND: Ms = 1000
MINUTE: Ms = 60 * SECOND
HOUR: Ms = 60 * MINUTE
DAY: Ms = 24 * HOUR


def seconds(value: int) -> Ms:
    """Milliseconds of ``value`` whole seconds, the unit of most Kubernetes fields."""
    return value * SECOND


def whole_second(moment: Ms) -> Ms:
    """``moment`` cut to the whole second, as Kubernetes stores timestamps (metav1.Time has no fractions)."""
    return moment - moment % SECOND
