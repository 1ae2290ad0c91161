"""A course: a sequence of links to levels, stories and shared moments, with text in between. Untrusted plain text.

The first line is the title. After that, a line with an address on this site is a link, and ``[title](address)`` a link with its own title;
everything else is text, with empty lines between paragraphs.
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.levels.reading import BadLevel

TEXT_MAX = 64 * 1024
PARTS_MAX = 300
TITLE_MAX = 120
_PLACE = re.compile(r"/(?:l|s|c|levels|scenarios)/[A-Za-z0-9_-]{1,60}/(?:\?[A-Za-z0-9_.,:;/*%&=+~-]{0,1000})?", re.ASCII)
"""A page of this site: a level, a link, another course, a story. A course cannot link to anything else."""
_NAMED = re.compile(r"\[([^\]\n]{1,200})\]\(([^)\s]{1,1100})\)")


class CoursePart(Struct, frozen=True, kw_only=True):
    """A paragraph, or a link if ``link`` is not "". A link without its own title has ``text`` ""."""

    text: str = ""
    link: str = ""


class LevelCourse(Struct, frozen=True, kw_only=True):
    """A parsed course."""

    title: str
    parts: tuple[CoursePart, ...]


def read_course(text: str) -> LevelCourse:
    """Parse a course. Raises BadLevel. O(text)."""
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_MAX:
        raise BadLevel(_("A course can have at most %(most)d kB of text.") % {"most": TEXT_MAX // 1024})
    first, _end, rest = text.strip().partition("\n")
    title, problems = first.lstrip("#").strip(), list[str]()
    if not 1 <= len(title) <= TITLE_MAX:
        problems.append(_("title: from 1 to %(most)d characters.") % {"most": TITLE_MAX})
    skipped = len(text) - len(text.lstrip())
    parts = tuple(_parts(rest, text.count("\n", 0, skipped) + 2, problems))
    if not any(part.link for part in parts):
        problems.append(_("A course needs at least one link."))
    if len(parts) > PARTS_MAX:
        problems.append(_("%(place)s: at most %(most)d.") % {"place": _("paragraphs and links"), "most": PARTS_MAX})
    if problems:
        raise BadLevel(*problems[:20])
    return LevelCourse(title=title, parts=parts)


def _parts(text: str, first_line: int, problems: list[str]) -> Iterator[CoursePart]:
    paragraph: list[str] = []
    for n, line in enumerate([*text.split("\n"), ""], start=first_line):
        link = _link(line.strip(), n, problems)
        if link is None and line.strip():
            paragraph.append(line.strip())
            continue
        if paragraph:
            yield CoursePart(text=" ".join(paragraph))
            paragraph = []
        if link is not None:
            yield link


def _link(line: str, n: int, problems: list[str]) -> CoursePart | None:
    """Parse a line as a link; None if it is text."""
    named = _NAMED.fullmatch(line)
    title, place = (named[1], named[2]) if named else ("", line)
    if _PLACE.fullmatch(place):
        return CoursePart(text=title.strip(), link=place)
    if named or re.match(r"https?://|/[a-z]+/", line):
        problems.append(
            _("line %(line)d: a link of a course leads to a level, a story, a shared moment or a course of this site.") % {"line": n}
        )
    return None
