"""Versions of one text that have most of their lines in common, told so that each line is told once.

A line counts as the same where it differs only in what passes, so a countdown that moves makes no version.
"""

import re

PASSING = re.compile(
    r'(data-(?:countdown|age-from)="\d+">)[^<]*|(href="\?t=)[0-9.]+|(name="(?:csrfmiddlewaretoken|client_key)" value=")[^"]*'
    r'|(data-grows="[\d ]+" x="\d+" y="2" width=")\d+'
)
"""What the browser fills in by itself, and what differs each time a form is made: it makes no other version."""


def seen_of(text: str) -> str:
    """The text without what passes."""
    return PASSING.sub(r"\1\2\3\4", text)


class TextVersions:
    """The versions that have been met, numbered from 0 in the order of their first appearance.

    ``lines`` holds every line once. A version of ``bodies`` is told by its difference from the one before it in the list (the first by
    that from nothing): so many lines of its beginning stay, then come lines by their numbers, and so many of its end stay.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.bodies: list[tuple[int, list[int], int]] = []
        self._places: dict[str, int] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._before: tuple[int, ...] = ()

    def number_of(self, text: str) -> int:
        """The number of a version, which is told if it is a new one. O(its lines)."""
        version = tuple(map(self._place, text.split("\n")))
        if version not in self._numbers:
            self._numbers[version] = len(self.bodies)
            self.bodies.append(_difference(self._before, version))
            self._before = version
        return self._numbers[version]

    def _place(self, line: str) -> int:
        kind = seen_of(line)
        if kind not in self._places:
            self._places[kind] = len(self.lines)
            self.lines.append(line)
        return self._places[kind]


def _difference(before: tuple[int, ...], version: tuple[int, ...]) -> tuple[int, list[int], int]:
    shortest, head, tail = min(len(before), len(version)), 0, 0
    # Common beginning and end only: most versions differ in one place.
    while head < shortest and before[head] == version[head]:
        head += 1
    while tail < shortest - head and before[-1 - tail] == version[-1 - tail]:
        tail += 1
    return head, list(version[head : len(version) - tail]), tail
