"""Parse the text of a level, which is untrusted TOML.

An accepted level is small enough to be played: the text, the number of its parts, the length of an attempt and the seeds are all limited,
and every message about a problem names its place.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from simulator.engine.kernel.json_text import DEPTH_MAX
from simulator.engine.kernel.outside_text import storable
from simulator.engine.kernel.units import Ms
from simulator.levels.level import LEVEL, Level, LevelAct, LevelHint, paragraphs
from simulator.levels.spelling import in_one_form
from simulator.scenarios.grading.patterns import OnePattern, RecordPattern
from simulator.scenarios.portable import SEED_MAX
from simulator.scenarios.portable_texts import act_problems
from simulator.scenarios.story import acts_of
from simulator.scenarios.tracks import TRACKS

HERE = Path(__file__).resolve().parent
TEXT_MAX = 512 * 1024
"""The largest file of a level, in bytes."""
HORIZON_MAX_MS: Ms = 2 * 3600 * 1000
SEEDS_MAX = 5
_PARTS_MAX = {"checks": 30, "asks": 20, "hints": 20, "solutions": 30, "happens": 50, "sources": 20, "objectives": 10, "allow": 60}
_ACTS_MAX = 100
_STARS_MAX = 20
_WANTED_MAX = 30
"""The most values that a pattern may list, and data fields that it may name."""
_OR_MAX = 5
"""The most alternatives that a pattern may list."""
_PROSE_MAX = 4000
_LINE_MAX = 500
_PROBLEMS_MAX = 20
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)
_DOTS_MAX = 20
_DOTTED = re.compile(rf"""(?:\.[ \t]*+(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+){{{_DOTS_MAX + 1}}}""")
"""A key with too many parts, which costs time and memory quadratic in their number; no sensible text has one."""
_OWN_TO = {"story": ("cluster", "script"), "scenario": ("cluster", "script", "kubernetes", "gates", "jitter")}
"""What a level may not say of a start that brings it along."""
_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `([^`\n]{1,60})`")
_NAMED = re.compile(r"([a-z]+): ", re.ASCII)
"""A field that a sentence of our own begins with (check_spans)."""
_BOM = "\ufeff"
_URL = re.compile(r"https?://[^\s<>\"']{1,500}")


class BadLevel(ValueError):
    """A text is not a valid level. ``problems`` are sentences for its author, each naming its place."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def read_level(text: str, *, slug: str = "") -> Level:
    """Parse a level from TOML. Raises BadLevel. O(text)."""
    return level_of(toml_of(text), slug=slug)


def toml_of(text: str) -> dict[str, Any]:
    """Parse untrusted TOML, with or without a byte order mark. Raises BadLevel. O(text)."""
    if len(text) > TEXT_MAX or len(text.encode("utf-8", "surrogatepass")) > TEXT_MAX:
        raise BadLevel(_("A level can have at most %(most)d kB of text.") % {"most": TEXT_MAX // 1024})
    if problem := _odd_character(text):
        raise BadLevel(problem)
    if found := _DOTTED.search(text):
        at = text.count("\n", 0, found.start()) + 1
        raise BadLevel(_("line %(line)d: a key has at most %(most)d parts.") % {"line": at, "most": _DOTS_MAX})
    try:
        table = tomllib.loads(text.removeprefix(_BOM))
    except tomllib.TOMLDecodeError as error:
        raise BadLevel(_("This is not TOML: %(error)s.") % {"error": error}) from None
    except RecursionError:
        raise BadLevel(_("Lists and tables are nested more than %(most)d levels deep.") % {"most": DEPTH_MAX}) from None
    except ValueError:
        # Python's own refusal of a number with thousands of digits.
        raise BadLevel(_("A number has too many digits.")) from None
    if problem := next(_odd_texts(table), ""):
        raise BadLevel(problem)
    return table


def level_of(table: dict[str, Any], *, slug: str = "") -> Level:
    """Convert a decoded table to a level. Raises BadLevel."""
    if "slug" in table:
        raise BadLevel(_placed("Object contains unknown field `slug`"))  # the name of the file, and nothing that a text says
    try:
        level = LEVEL.from_plain({**in_one_form(table), "slug": slug})
    except (msgspec.ValidationError, RecursionError) as error:
        raise BadLevel(_placed(str(error))) from None
    if problems := [*islice(_sizes(level), _PROBLEMS_MAX)] or [*islice(_problems(level), _PROBLEMS_MAX)]:
        raise BadLevel(*problems)
    return level


def built_in_levels(root: Path = HERE) -> tuple[Level, ...]:
    """The built-in levels in the order of their tracks. Raises BadLevel. Reads every file."""
    order = {track.slug: n for n, track in enumerate(TRACKS)}
    levels = [read_level(path.read_text(encoding="utf-8"), slug=path.stem) for path in sorted(root.glob("*/*.toml"))]
    return tuple(sorted(levels, key=lambda level: (order.get(level.track, len(order)), level.order, level.slug)))


def _odd_character(text: str) -> str:
    kept = storable(text)
    at = next((n for n, (one, other) in enumerate(zip(text, kept, strict=True)) if one != other), None)
    return (
        ""
        if at is None
        else _("line %(line)d: character U+%(code)04X is not allowed.") % {"line": text.count("\n", 0, at) + 1, "code": ord(text[at])}
    )


def _odd_texts(value: Any, place: str = "") -> Iterator[str]:
    """A problem for each text with a character that may only have been written as an escape. O(value)."""
    if isinstance(value, str) and storable(value) != value:
        yield _("%(place)s: character U+0000 is not allowed.") % {"place": place}
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _odd_texts(item, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        for n, item in enumerate(value):
            yield from _odd_texts(item, f"{place}[{n}]")


def _placed(message: str, within: str = "") -> str:
    """msgspec's message with the field first, below the place ``within``."""
    problem, _at, place = message.partition(" - at `$.")
    names = [within, place.removesuffix("`")]
    if found := _UNKNOWN_FIELD.fullmatch(problem):
        names.append(found[1])
    elif found := _NAMED.match(problem):
        names.append(found[1])
        problem = problem[found.end() :]
    path = ".".join(name for name in names if name)
    return f"{path}: {problem}" if path else problem


def _problems(level: Level) -> Iterator[str]:
    """The problems of a level whose field types and sizes are already valid."""
    yield from _head_problems(level)
    yield from _pattern_problems(level)
    yield from _scope_problems(level)
    yield from _id_problems("check", [check.id for check in level.checks])
    yield from _id_problems("ask", [ask.id for ask in level.asks])
    if not level.checks:
        yield _("check: a level needs at least one.")
    yield from _hint_problems(level.hints, {check.id for check in level.checks})
    yield from _act_problems("happens", level.happens, level.horizon_ms)
    for n, solution in enumerate(level.solutions):
        yield from _act_problems(f"solution[{n}].acts", solution.acts, level.horizon_ms)
        for name in set(solution.fails) - {check.id for check in level.checks}:
            yield _("%(place)s: there is no check with the id %(id)s.") % {"place": f"solution[{n}].fails", "id": name[:40]}


def _sizes(level: Level) -> Iterator[str]:
    for name, most in _PARTS_MAX.items():
        if len(getattr(level, name)) > most:
            yield _("%(place)s: at most %(most)d.") % {"place": name, "most": most}
    for place, prose in (("brief", level.brief), ("debrief", level.debrief)):
        if sum(map(len, paragraphs(prose))) > _PROSE_MAX:
            yield _("%(place)s: at most %(most)d characters.") % {"place": place, "most": _PROSE_MAX}
    for text in level.texts():
        if len(text) > _PROSE_MAX:
            yield _("%(place)s: at most %(most)d characters.") % {"place": text[:20] + "…", "most": _PROSE_MAX}
    if not 1 <= len(level.title.strip()) <= _LINE_MAX // 4:
        yield _("title: from 1 to %(most)d characters.") % {"most": _LINE_MAX // 4}


def _pattern_problems(level: Level) -> Iterator[str]:
    """The problems of patterns, which must be small because each is matched against every record of a run."""
    for place, pattern in level_patterns(level):
        if max(map(len, (pattern.subject, pattern.owner))) > _LINE_MAX:
            yield _("%(place)s: at most %(most)d characters.") % {"place": f"{place}.subject", "most": _LINE_MAX}
        if max(pattern.subject.count("*"), pattern.owner.count("*")) > _STARS_MAX:
            yield _("%(place)s: at most %(most)d stars.") % {"place": f"{place}.subject", "most": _STARS_MAX}
        lists = [pattern.targets(), pattern.data, *(value for value in pattern.data.values() if isinstance(value, tuple))]
        if max(map(len, lists)) > _WANTED_MAX or (isinstance(pattern, RecordPattern) and len(pattern.or_) > _OR_MAX):
            yield _("%(place)s: at most %(most)d values.") % {"place": place, "most": _WANTED_MAX}


def level_patterns(level: Level) -> Iterator[tuple[str, OnePattern]]:
    """Every pattern of a level with its place."""
    found: list[tuple[str, RecordPattern | None]] = []
    for n, check in enumerate(level.checks):
        found.append((f"check[{n}].{check.word}", check.pattern))
        found += ((f"check[{n}].{name}", getattr(check, name)) for name in ("then", "after", "until"))
    for n, ask in enumerate(level.asks):
        found.append((f"ask[{n}].place", ask.place))
        found += ((f"ask[{n}].choices[{m}].comes", choice.comes) for m, choice in enumerate(ask.choices))
    for n, hint in enumerate(level.hints):
        found += [(f"hint[{n}].when", hint.when), (f"hint[{n}].unless", hint.unless)]
    for place, pattern in found:
        if pattern is not None:
            yield place, pattern
            yield from ((f"{place}.or[{n}]", other) for n, other in enumerate(pattern.or_))


def _head_problems(level: Level) -> Iterator[str]:
    starts = [name for name in ("story", "manifests", "scenario") if getattr(level, name)]
    if len(starts) > 1 or (not starts and not level.cluster and not level.script):
        yield _("A level starts from exactly one of story, manifests and scenario.")
    for start, others in _OWN_TO.items():
        for name in others if getattr(level, start) else ():
            if getattr(level, name) not in ("", {}, True):
                yield _("%(place)s: the %(start)s has its own, so leave it out.") % {"place": name, "start": start}
    if not 0 < level.horizon_ms <= HORIZON_MAX_MS:
        yield _("horizon: more than 0 s and at most %(most)d s.") % {"most": HORIZON_MAX_MS // 1000}
    if not 1 <= len(level.seeds) <= SEEDS_MAX or len(set(level.seeds)) < len(level.seeds):
        yield _("seeds: from 1 to %(most)d different ones.") % {"most": SEEDS_MAX}
    if any(not 0 <= seed <= SEED_MAX for seed in level.seeds):
        yield _("seeds: whole numbers from 0 to %(most)d.") % {"most": SEED_MAX}
    if level.track and level.track not in {track.slug for track in TRACKS}:
        yield _("track: must be one of %(known)s.") % {"known": ", ".join(track.slug for track in TRACKS)}
    for n, source in enumerate(level.sources):
        if not _URL.fullmatch(source.url):
            yield _("%(place)s: must be an address that begins with http:// or https://.") % {"place": f"sources[{n}].url"}


def _scope_problems(level: Level) -> Iterator[str]:
    """A check that is never looked at cannot be kept."""
    for n, check in enumerate(level.checks):
        if check.from_ms > level.horizon_ms:
            place = f"check[{n}].{'at' if check.at else 'from'}"
            yield _("%(place)s: is past the horizon.") % {"place": place}
        if check.by_ms is not None and check.by_ms < check.from_ms:
            yield _("%(place)s: lies before the scope begins.") % {"place": f"check[{n}].by"}


def _id_problems(place: str, ids: Sequence[str]) -> Iterator[str]:
    for n, name in enumerate(ids):
        if not _ID.fullmatch(name):
            yield _("%(place)s: at most 40 lowercase letters, digits and dashes.") % {"place": f"{place}[{n}].id"}
        elif name in ids[:n]:
            yield _("%(place)s: %(id)s appears twice.") % {"place": f"{place}[{n}].id", "id": name}


def _hint_problems(hints: Sequence[LevelHint], ids: set[str]) -> Iterator[str]:
    for n, hint in enumerate(hints):
        if hint.check and hint.check not in ids:
            yield _("%(place)s: there is no check with the id %(id)s.") % {"place": f"hint[{n}].check", "id": hint.check[:40]}


def _act_problems(place: str, rows: Sequence[LevelAct], horizon_ms: Ms) -> Iterator[str]:
    if len(rows) > _ACTS_MAX:
        yield _("%(place)s: at most %(most)d.") % {"place": place, "most": _ACTS_MAX}
        return
    for n, row in enumerate(rows):
        here = f"{place}[{n}]"
        yield from act_problems(here, row)
        try:
            (step,) = acts_of([row])
        except (KeyError, ValueError) as error:
            yield here + ": " + _("at is missing") if isinstance(error, KeyError) else _placed(str(error), here)
            continue
        if step.at_ms > horizon_ms:
            yield _("%(place)s: is past the horizon.") % {"place": f"{here}.at"}
