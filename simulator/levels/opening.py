"""Where an attempt opens: a level that begins with a Deployment has no pod in its first milliseconds, and then nothing is to be seen.

Raises Elsewhere in a process that leaves playing to others.
"""

from hashlib import blake2b

import msgspec

from simulator.engine.course.replay import Course
from simulator.engine.kernel.errors import EngineFailed
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms
from simulator.levels.level import Level
from simulator.levels.start import LevelStart
from simulator.runs.log import elsewhere
from simulator.scenarios.grading.spans import span_ms

WAIT_MS = SECOND
"""An attempt opens no later than so long after the level's beginning."""
_WORK = 20_000


def opening_ms(level: Level, start: LevelStart) -> Ms:
    """The moment at which an attempt at the level stands when it opens: that of the first pods, else the level's beginning.

    It passes no prediction, and the level begins where it did: what is given at its beginning has its moment there. Costs a play of a
    second at most, some 10 ms, once for a process: a class of fifty opens one level at one moment.
    """
    elsewhere.plays()
    until_ms = min((span_ms(ask.at) for ask in level.asks), default=start.at_ms + WAIT_MS)
    until_ms = min(until_ms, start.at_ms + WAIT_MS)
    key = blake2b(msgspec.json.encode((start.header, start.commands, start.at_ms, until_ms), order="sorted")).digest()
    found = _KNOWN.get(key)
    if found is None:
        if len(_KNOWN) >= _KNOWN_MAX:
            _KNOWN.clear()
        # setdefault: two threads that play the same beginning at once keep one moment.
        found = _KNOWN.setdefault(key, _played(start, until_ms))
    return found


_KNOWN: dict[bytes, Ms] = {}
_KNOWN_MAX = 500
"""Levels of the product and as many again that people wrote, all at several seeds."""


def _played(start: LevelStart, until_ms: Ms) -> Ms:
    try:
        course = Course(start.header, start.commands)
        leg = course.drive(until_ms, limit=_WORK)
    except EngineFailed:
        return start.at_ms  # the run itself tells of it
    first = next((record for record in (*course.world.first_records, *leg.records) if _is_new_pod(record)), None)
    return start.at_ms if first is None else max(start.at_ms, first.at_ms)


def _is_new_pod(record: Record) -> bool:
    return record.machine == "object" and record.target == "present" and record.subject.startswith("pod/")
