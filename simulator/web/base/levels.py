"""The levels that pages tell of: the built-in ones, and those that were written on this site."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache, partial
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from simulator.engine.acts.act import do_of
from simulator.engine.acts.all_acts import AnyCommand
from simulator.levels.allowing import refused_by_level
from simulator.levels.level import Level, paragraphs
from simulator.levels.practice import practice_of_key
from simulator.levels.reading import BadLevel, built_in_levels, read_level
from simulator.levels.start import start_of
from simulator.models import Run, SharedLevel
from simulator.runs.services.levels import OWN
from simulator.scenarios.grading.check import Check
from simulator.web.base.caches import ALLOWED, LEVELS

PRACTICE = "!"
"""What the key of a generated level begins with."""
EXAM = "exam:"
"""What stands before the key of a level that is a task of an exam: no hints, no solution, and no verdict before its end."""
ALONE = "alone:"
"""What stands before the key of a level that is done alone: no hints and no solution, but verdicts as ever."""


def plain_key(key: str) -> str:
    """The key of the level itself, however it is taken."""
    return key.removeprefix(EXAM).removeprefix(ALONE)


@cache
def builtin_levels() -> dict[str, Level]:
    """The built-in levels by slug, track by track, read once for a process."""
    return {level.slug: level for level in built_in_levels()}


def begin_levels() -> None:
    """Read the built-in levels and begin each of them, so that nobody who takes one waits for that in this process or its forks."""
    for level in builtin_levels().values():
        start_of(level, seed=level.seeds[0])


def level_of_key(key: str) -> Level | None:
    """The level that a run's key names; None where there is none, or none that this release can read.

    Raises Elsewhere for a generated one, in a process that leaves playing to others.
    """
    key = plain_key(key)
    if key.startswith(PRACTICE):
        practice = practice_of_key(key)
        return practice.level if practice else None
    if not key.startswith(OWN):
        return builtin_levels().get(key)
    body = SharedLevel.objects.filter(id=key.removeprefix(OWN), kind=SharedLevel.Kind.LEVEL).values_list("body", flat=True).first()
    return None if body is None else _kept(body)


def allowed_acts(run: Run) -> tuple[str, ...]:
    """The tags of the acts that the level of a run allows; none where all are. At most one query, once for a level."""
    key = plain_key(run.level)
    if not key or key.startswith(PRACTICE):  # generated levels allow every act
        return ()
    if key.startswith(OWN):
        return ALLOWED.of(key, partial(_allow, key))
    return _allow(key)


def _allow(key: str) -> tuple[str, ...]:
    level = level_of_key(key)
    return level.allow if level is not None else ()


def refused_of(run: Run, commands: Iterable[AnyCommand]) -> str:
    """Why the level of a run refuses one of these commands, in the reader's language; "" where it allows them all."""
    allow = allowed_acts(run)
    return next((refused for command in commands if (refused := refused_by_level(allow, do_of(command)))), "")


def levels_of_keys(keys: Collection[str]) -> dict[str, Level]:
    """The levels of those keys that this release can read. At most one query."""
    plain = {key: plain_key(key) for key in keys}
    own = {key.removeprefix(OWN) for key in plain.values() if key.startswith(OWN)}
    bodies = dict(SharedLevel.objects.filter(id__in=own).values_list("id", "body")) if own else {}
    found = {
        key: _kept(bodies.get(level.removeprefix(OWN), "")) if level.startswith(OWN) else builtin_levels().get(level)
        for key, level in plain.items()
    }
    return {key: level for key, level in found.items() if level is not None}


def _kept(body: str) -> Level | None:
    return LEVELS.of(body, partial(_read, body))


def _read(body: str) -> Level | None:
    try:
        return read_level(body)
    except BadLevel:
        return None


def level_text(level: Level, text: str) -> str:
    """A text of a level in the reader's language; what people wrote stays as it is."""
    return _(text) if level.slug and text else text


def level_paragraphs(level: Level, prose: str | tuple[str, ...]) -> list[str]:
    """The paragraphs of a text of a level, each in the reader's language."""
    return [level_text(level, text) for text in paragraphs(prose)]


def check_fields(level: Level, check: Check) -> dict[str, Any]:
    """A check as the browser's grader reads it; its reason, which may give the answer away, is not for the browser."""
    plain: dict[str, Any] = msgspec.to_builtins(check)
    kept = {name: _lean(value) for name, value in plain.items() if name != "reason" and not _says_nothing(value)}
    return {**kept, "id": check.id, "text": level_text(level, check.text) or check.id}


def _lean(value: Any) -> Any:
    """A pattern without its empty fields."""
    if isinstance(value, list):
        return [_lean(item) for item in value]
    return {name: _lean(item) for name, item in value.items() if not _says_nothing(item)} if isinstance(value, dict) else value


def _says_nothing(value: Any) -> bool:
    """Whether it is what a field has by itself; 0 says something."""
    return value is None or value is False or value in ("", {}, [])


def next_level(level: Level) -> Level | None:
    """The built-in level after this one: in its track, else the first of the next; None after the last and for a level of somebody's."""
    levels = list(builtin_levels().values())
    at = next((n for n, each in enumerate(levels) if each.slug == level.slug), None)
    return levels[at + 1] if level.slug and at is not None and at + 1 < len(levels) else None


def levels_of_track(track: str) -> Iterator[Level]:
    """The built-in levels of a track in their order."""
    return (level for level in builtin_levels().values() if level.track == track)
