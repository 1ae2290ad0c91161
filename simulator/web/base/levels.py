"""The levels shown on pages: the built-in ones, and those written on this site."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache, partial
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from simulator.engine.acts.all_acts import AnyCommand
from simulator.levels.allowing import allowed_as, refused_by_level
from simulator.levels.level import Level, paragraphs
from simulator.levels.practice import practice_of_key
from simulator.levels.reading import BadLevel, built_in_levels, read_level
from simulator.levels.start import start_of
from simulator.models import Run, SharedLevel
from simulator.runs.services.levels import OWN
from simulator.scenarios.grading.check import Check
from simulator.web.base.caches import ALLOWED, LEVELS

PRACTICE = "!"
"""Prefix of the keys of generated levels."""
EXAM = "exam:"
"""Prefix of the key of a level taken as an exam task: no hints, no solution, and no verdict before the end of the exam."""
ALONE = "alone:"
"""Prefix of the key of a level taken alone: no hints and no solution, but the usual verdicts."""


def plain_key(key: str) -> str:
    """The key of the level itself, without such a prefix."""
    return key.removeprefix(EXAM).removeprefix(ALONE)


@cache
def builtin_levels() -> dict[str, Level]:
    """The built-in levels by slug, track by track, read once per process."""
    return {level.slug: level for level in built_in_levels()}


def begin_levels() -> None:
    """Read the built-in levels and compute each one's start, so that nobody has to wait for that in this process or its forks."""
    for level in builtin_levels().values():
        start_of(level, seed=level.seeds[0])


def level_of_key(key: str) -> Level | None:
    """The level with a run's key; None if there is none, or if this release cannot read it.

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
    """The tags of the acts that a run's level allows; empty if all are. At most one query, once per level."""
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
    """Why a run's level refuses one of these commands, in the reader's language; "" if it allows them all."""
    allow = allowed_acts(run)
    return next((refused for command in commands if (refused := refused_by_level(allow, allowed_as(command)))), "")


def levels_of_keys(keys: Collection[str]) -> dict[str, Level]:
    """The levels with those keys that this release can read. At most one query."""
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
    """A level's text in the reader's language; texts written on the site stay as they are."""
    return _(text) if level.slug and text else text


def level_paragraphs(level: Level, prose: str | tuple[str, ...]) -> list[str]:
    """The paragraphs of a level's text, each in the reader's language."""
    return [level_text(level, text) for text in paragraphs(prose)]


def check_fields(level: Level, check: Check) -> dict[str, Any]:
    """A check for the browser's grader, without its reason, which might give the answer away."""
    plain: dict[str, Any] = msgspec.to_builtins(check)
    kept = {name: _lean(value) for name, value in plain.items() if name != "reason" and not _is_empty_default(value)}
    return {**kept, "id": check.id, "text": level_text(level, check.text) or check.id}


def _lean(value: Any) -> Any:
    """A pattern without its empty fields; in its data, false and an empty text are values to match."""
    if isinstance(value, (list, tuple)):
        return [_lean(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: item if name == "data" else _lean(item) for name, item in value.items() if not _is_empty_default(item)}


def _is_empty_default(value: Any) -> bool:
    """Whether it is an empty default; 0 is not."""
    return value is None or value is False or value in ("", {}, [], ())


def next_level(level: Level) -> Level | None:
    """The built-in level after this one, in its track or the first of the next; None after the last and for levels written on the site."""
    levels = list(builtin_levels().values())
    at = next((n for n, each in enumerate(levels) if each.slug == level.slug), None)
    return levels[at + 1] if level.slug and at is not None and at + 1 < len(levels) else None


def levels_of_track(track: str) -> Iterator[Level]:
    """The built-in levels of a track, in order."""
    return (level for level in builtin_levels().values() if level.track == track)
