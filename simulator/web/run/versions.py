"""Encode versions of a text that have most of their lines in common, so that each line is sent once.

Lines that differ only in transient parts count as the same, so a running countdown does not make a new version.
"""

import re

PASSING = re.compile(
    r'(data-(?:countdown|age-from)="\d+">)[^<]*|(href="\?t=)[0-9.]+|(name="(?:csrfmiddlewaretoken|client_key)" value=")[^"]*'
    r'|(data-grows="[\d ]+" x="\d+" y="2" width=")\d+'
)
"""Transient parts: what the browser updates by itself, and what is different each time a form is rendered."""


def seen_of(text: str) -> str:
    """The text without its transient parts."""
    return PASSING.sub(r"\1\2\3\4", text)


class TextVersions:
    """The versions seen so far, numbered from 0 in order of first appearance.

    ``lines`` has every line once. Each version in ``bodies`` is encoded as its difference from the previous one (the first from an empty
    one): how many lines at the beginning are kept, then the numbers of new lines, and how many lines at the end are kept.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.bodies: list[tuple[int, list[int], int]] = []
        self._places: dict[str, int] = {}
        self._numbers: dict[tuple[int, ...], int] = {}
        self._before: tuple[int, ...] = ()

    def number_of(self, text: str) -> int:
        """The number of a version, which is added if it is new. O(its lines)."""
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
    # Only the common beginning and end, since most versions differ in one place.
    while head < shortest and before[head] == version[head]:
        head += 1
    while tail < shortest - head and before[-1 - tail] == version[-1 - tail]:
        tail += 1
    return head, list(version[head : len(version) - tail]), tail
