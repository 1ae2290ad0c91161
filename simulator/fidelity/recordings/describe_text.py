"""Two outputs of ``kubectl describe pods`` compared line by line.

Masked is what two runs of one cluster never share: ids, addresses, ages, names of tokens, measured durations. Blanks
are compared as they are; only the width of the Age column follows from what is masked. Dates count from the beginning of the run,
as exactly as the recording says its times are; those that say *never* (the year 1, or 1970) are compared as they stand.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from email.utils import parsedate_to_datetime

from msgspec import Struct

PARTING = "\n\n\n"
"""Stands between two pods."""
AGE_WIDTH = 24
TIE_S = 1
"""Events whose last moments lie no further apart have no order of their own: stored moments are whole seconds."""
_AGE = r"(?:<invalid>|<unknown>|(?:\d+[ydhms])+)"
_HEADER = re.compile(r"  Type +Reason +Age +From +Message")
_DATE = re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 2\d{3} \d\d:\d\d:\d\d [+]0000")
_MASKS = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "<uid>"),
    (re.compile(r"(Image ID: +)\S.*"), r"\1<id>"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "<id>"),
    (re.compile(r"\b\d+\.\d+\.\d+\.\d+\b"), "<ip>"),
    (_DATE, "<date>"),
    (re.compile(r"\bdefault-token-[a-z0-9]{5}\b"), "default-token-<x>"),
    (re.compile(rf"\(lasts {_AGE}\)"), "(lasts <age>)"),
    (re.compile(r"\bin \d+(?:\.\d+)?(?:ns|µs|ms|s|m)\b"), "in <duration>"),
)


class Exactness(Struct, frozen=True):
    """How far two dates may lie apart, in seconds: ``tol`` and that share of the time since the beginning, and what rounding makes."""

    tol: float = 3.0
    slope: float = 0.08

    def allows(self, recorded_s: float, made_s: float) -> bool:
        """Whether two moments, in seconds since their runs began, count as one."""
        return abs(recorded_s - made_s) <= self.tol + self.slope * max(recorded_s, 0) + TIE_S


EXACTNESS = Exactness()
"""Of a recording that names none."""


_MADE_UP = re.compile(r"Name:\s+((\S+)-[bcdfghjklmnpqrstvwxz2456789]{5})$", re.MULTILINE)
"""A name whose end an API server has drawn: the whole of it, and what was asked for."""
_HASH = re.compile(r"\b(?:pod-template-hash|controller-revision-hash)=(?:\S+-)?([bcdfghjklmnpqrstvwxz2456789]{8,10})$", re.MULTILINE)


class DescribedPod(Struct, frozen=True):
    """One pod's output: the lines but for the rows of its Events, and those rows with how long ago the last one was, in seconds.

    ``dates`` are those of the lines, by the number of the line, in seconds since the run began.
    """

    name: str
    lines: tuple[str, ...]
    events: tuple[tuple[int, str], ...]
    dates: dict[int, float]

    @property
    def text(self) -> tuple[str, ...]:
        """Every masked line."""
        return (*self.lines, *(line for _, line in self.events))


def read_pods(text: str, *, began_s: float | None = None) -> dict[str, DescribedPod]:
    """The pods of an output by name, in its order, masked; none in ``No resources found``.

    ``began_s`` is when the run began, since the Unix epoch; without it no date is kept.
    """
    blocks = [block for block in text.rstrip("\n").split(PARTING) if block.startswith("Name:")]
    return {pod.name: pod for pod in (_pod(block, began_s) for block in _numbered(blocks))}


def _numbered(blocks: list[str]) -> list[str]:
    """The outputs with made-up names replaced: those of one stem numbered in the order of their start; hashes of templates are masked."""
    found: list[str] = []
    seen: dict[str, int] = {}
    for block in sorted(map(_without_hash, blocks), key=lambda block: date_s(block) or 0):
        match = _MADE_UP.match(block)
        if match is None:
            found.append(block)
            continue
        base = match[2]
        seen[base] = seen.get(base, 0) + 1
        found.append(block.replace(match[1], f"{base}-#{seen[base]}"))
    return found


def _without_hash(block: str) -> str:
    """The output without the hash of the pod's template, wherever it stands: it is one of a dump of Go's structures."""
    for value in _HASH.findall(block):
        block = block.replace(value, "<hash>")
    return block


def date_s(text: str) -> float | None:
    """The first date of a line, in seconds since the Unix epoch; None where there is none or it says *never*."""
    found = _DATE.search(text)
    return None if found is None else parsedate_to_datetime(found[0]).timestamp()


def _pod(block: str, began_s: float | None) -> DescribedPod:
    lines: list[str] = []
    dates: dict[int, float] = {}
    events: list[tuple[int, str]] = []
    column: tuple[int, int] | None = None
    for line in block.split("\n"):
        if _HEADER.fullmatch(line):
            column = (line.index("Age"), line.index("From"))
        if column is None:
            date = date_s(line)
            if date is not None and began_s is not None:
                dates[len(lines)] = date - began_s
            lines.append(_masked(line))
            continue
        cell = line[slice(*column)].rstrip()
        shown = re.sub(_AGE, "<age>", cell).ljust(AGE_WIDTH)
        masked = _masked(f"{line[: column[0]]}{shown}{line[column[1] :]}")
        if cell in ("Age", "----") and len(lines) + len(events) and not events:
            lines.append(masked)
        else:
            events.append((seconds_of(cell), masked))
    return DescribedPod(lines[0].partition(":")[2].strip(), tuple(lines), tuple(events), dates)


def _masked(line: str) -> str:
    for pattern, word in _MASKS:
        line = pattern.sub(word, line)
    return line


def seconds_of(cell: str) -> int:
    """The first age of a cell of the Age column, such as ``2m5s (x3 over 4m)``, in seconds."""
    sizes = {"y": 31_536_000, "d": 86_400, "h": 3600, "m": 60, "s": 1}
    return sum(int(number) * sizes[unit] for number, unit in re.findall(r"(\d+)([ydhms])", cell.partition(" ")[0]))


def agrees(recorded: DescribedPod, made: DescribedPod, exactness: Exactness = EXACTNESS) -> bool:
    """Whether all lines are equal and all dates near enough. Where the recording hides a path, any path will do."""
    return _reads_same(recorded, made) and not any(True for _ in _wrong_dates(recorded, made, exactness))


def _reads_same(recorded: DescribedPod, made: DescribedPod) -> bool:
    if len(recorded.lines) != len(made.lines) or not all(map(_fits, recorded.lines, made.lines)):
        return False
    places = _places(recorded.events, made.events)
    return places is not None and _is_tied(recorded.events, places)


def _wrong_dates(recorded: DescribedPod, made: DescribedPod, exactness: Exactness) -> Iterator[str]:
    """What to say of each date that is too far off, of two outputs with the same lines."""
    for place, moment in recorded.dates.items():
        other = made.dates.get(place)
        if other is not None and not exactness.allows(moment, other):
            yield f"{recorded.lines[place].strip()} recorded at {moment:.0f} s, simulated at {other:.0f} s"


def _fits(recorded: str, made: str) -> bool:
    if "<path>" not in recorded:
        return recorded == made
    return re.fullmatch(r"\S+".join(map(re.escape, recorded.split("<path>"))), made) is not None


def _places(recorded: Sequence[tuple[int, str]], made: Sequence[tuple[int, str]]) -> list[int] | None:
    """Where each recorded row stands among the made ones; None where one side has a row that the other has not."""
    left = list(range(len(made)))
    places = []
    for _, line in recorded:
        place = next((place for place in left if _fits(line, made[place][1])), None)
        if place is None:
            return None
        left.remove(place)
        places.append(place)
    return None if left else places


def _is_tied(recorded: Sequence[tuple[int, str]], places: Sequence[int]) -> bool:
    """Whether only rows of about the same moment changed places."""
    pairs = ((first, second) for first in range(len(places)) for second in range(first + 1, len(places)))
    return all(places[first] < places[second] or abs(recorded[first][0] - recorded[second][0]) <= TIE_S for first, second in pairs)


def differing(recorded: dict[str, DescribedPod], made: dict[str, DescribedPod], exactness: Exactness = EXACTNESS) -> Iterator[str]:
    """Every line of a pod that does not agree: ``-`` recorded, ``+`` simulated, ``~`` equal but for a date."""
    for name in dict.fromkeys((*recorded, *made)):
        if name in recorded and name in made and _reads_same(recorded[name], made[name]):
            yield from (f"{name} ~ {text}" for text in _wrong_dates(recorded[name], made[name], exactness))
            continue
        before, after = (pods[name].text if name in pods else () for pods in (recorded, made))
        for line in unified_diff(before, after, lineterm="", n=0):
            if not line.startswith(("---", "+++", "@@")):
                yield f"{name} {line[0]} {line[1:].rstrip()}"
