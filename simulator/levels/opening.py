"""At which moment an attempt opens: a level that begins with a Deployment has no pods in its first milliseconds, and nothing to show.

Raises Elsewhere in a process that leaves playing to others.
"""

from hashlib import blake2b

import msgspec
from msgspec import Struct

from simulator.engine.course.replay import Course
from simulator.engine.kernel.errors import EngineFailed
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms
from simulator.levels.level import Level
from simulator.levels.start import LevelStart
from simulator.runs.log import elsewhere
from simulator.runs.log.beginning import beginning_of
from simulator.runs.log.content import Content
from simulator.runs.log.storage import Addition
from simulator.scenarios.grading.spans import span_ms

WAIT_MS = SECOND
"""The latest time after the level's beginning at which an attempt opens."""
_WORK = 20_000


class Opening(Struct, frozen=True, kw_only=True):
    """The moment at which an attempt opens, and the log of its run up to then (None: left to the run's owner)."""

    at_ms: Ms
    beginning: Addition | None


def opening_ms(level: Level, start: LevelStart) -> Ms:
    """The moment of ``opening_of``."""
    return opening_of(level, start).at_ms


def opening_of(level: Level, start: LevelStart) -> Opening:
    """Where an attempt at the level opens: at the moment of the first pods, otherwise at the level's beginning.

    It never skips a prediction, and the level's own beginning does not move. Costs at most two plays of one second, about 20 ms, once per
    process: a class of fifty opens the same level at the same time.
    """
    elsewhere.plays()
    until_ms = min((span_ms(ask.at) for ask in level.asks), default=start.at_ms + WAIT_MS)
    until_ms = min(until_ms, start.at_ms + WAIT_MS)
    key = blake2b(msgspec.json.encode((start.header, start.commands, start.at_ms, until_ms), order="sorted")).digest()
    found = _KNOWN.get(key)
    if found is None:
        if len(_KNOWN) >= _KNOWN_MAX:
            _KNOWN.clear()
        # setdefault: if two threads play the same beginning at once, one result is kept.
        found = _KNOWN.setdefault(key, _played(start, until_ms))
    return found


_KNOWN: dict[bytes, Opening] = {}
_KNOWN_MAX = 200
"""Enough for the built-in levels and as many written on the site, some at several seeds; about 50 kB each."""


def _played(start: LevelStart, until_ms: Ms) -> Opening:
    at_ms = _first_ms(start, until_ms)
    content = Content(header=start.header, commands=start.commands, until_ms=start.at_ms)
    return Opening(at_ms=at_ms, beginning=beginning_of(content, at_ms=at_ms))


def _first_ms(start: LevelStart, until_ms: Ms) -> Ms:
    try:
        course = Course(start.header, start.commands)
        leg = course.drive(until_ms, limit=_WORK)
    except EngineFailed:
        return start.at_ms  # the run itself will report it
    first = next((record for record in (*course.world.first_records, *leg.records) if _is_new_pod(record)), None)
    return start.at_ms if first is None else max(start.at_ms, first.at_ms)


def _is_new_pod(record: Record) -> bool:
    return record.machine == "object" and record.target == "present" and record.subject.startswith("pod/")
