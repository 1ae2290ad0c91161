"""The lines of golden stories, and their times: each moment is relative to an earlier one, so that a changed figure moves few lines.

The first line of a moment has its time; lines without one are at the moment of the line above. A time is

* * ``10.000``: seconds since the beginning (the first moment, and acts of users)
* * ``·``: the usual time of such a line, from ``usual_times.txt`` (``+0.370``: after the moment above; ``~.500``: the next moment with
* this fraction); ``·2``: counted from the second moment above; ``· +1``: a second later
* * ``··``: the usual time of such rules, by their first word
* * ``+0.042``: seconds after the moment above; ``run+2.000``: after the container's start;
  ``+6.010 since object present``: after the latest line with that text
  (in data also ``before+10.000``: after the previous line of the same machine and name)
* * ``~.700``: the next moment with this fraction; ``~.700 +2``: two seconds later

Nothing is lost: ``times`` computes the time of each line from the text.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec import Struct, field

from simulator.engine import Record
from simulator.engine.kernel.grid import next_beat

Usual = tuple[str, int]
"""``+`` and ms after an earlier moment, or ``~`` and the ms of the fraction of a second."""
Pattern = tuple[str, str, str]
"""Machine, change and rule of a line."""
Usuals = dict[Pattern, Usual]
HIDDEN_DATA = ("uid", "group", "component", "field_path", "ip", "pod_ready", "deleting", "scheduled")
"""The last three have lines of their own: the Ready condition, the object, the PodScheduled condition."""
MOMENTS = ("until_ms", "deadline_ms", "next_ms")
"""Data fields that are moments of the run."""
BACK = 12
"""How many moments back a usual time may count from."""
LEAST, SHARE = 3, 0.4
"""The minimum number of lines for a usual time, and their minimum share of the lines of their pattern that begin a moment."""
SECOND = 1000


class StoryLine(Struct, frozen=True):
    """A line of a story. ``time`` is empty within a moment."""

    time: str
    name: str
    machine: str
    change: str
    rule: str
    said: str

    @property
    def pattern(self) -> Pattern:
        """What such lines have in common."""
        return (self.machine, self.change, self.rule)

    @property
    def of_such_rules(self) -> Pattern:
        """What the line has in common with the other lines of its machine whose rules begin with the same word."""
        return (self.machine, "*", f"{self.rule.partition('-')[0]}-*")

    @property
    def goes_by(self) -> Pattern | None:
        """The row of the usual times that gives the time of the line; None if it has its own."""
        if not self.time.startswith("·"):
            return None
        return self.of_such_rules if self.time.startswith("··") else self.pattern

    @property
    def target(self) -> str:
        """The state in the line."""
        return self.change.rpartition("→")[2].strip(" ␠")

    def __str__(self) -> str:
        return f"{self.time:9}  {self.name:18}  {self.machine:14}  {self.change:34}  {self.rule:24}  {self.said}".rstrip()


def parsed(text: str) -> list[StoryLine]:
    """The lines of the expected part of a golden file."""
    return [_parsed(line) for line in text.splitlines()]


def _parsed(line: str) -> StoryLine:
    time, rest = ("", line) if line.startswith(" ") else line.split("  ", 1)
    columns: list[str] = []
    while len(columns) < 4:
        column, _, rest = rest.strip(" ").partition("  ")
        columns.append(column)
    return StoryLine(time, *columns, rest.strip(" "))


class Past(Struct):
    """The lines above, as both the writer and the reader of a line know them."""

    moments: list[int] = field(default_factory=list)
    latest: dict[str, int] = field(default_factory=dict)
    of: dict[tuple[str, str], int] = field(default_factory=dict)
    running: dict[str, int] = field(default_factory=dict)

    def add(self, line: StoryLine, at_ms: int) -> None:
        """Add a line."""
        if not self.moments or self.moments[-1] != at_ms:
            self.moments.append(at_ms)
        self.latest[f"{line.machine} {line.target}"] = self.of[line.machine, line.name] = at_ms
        if line.machine == "container" and line.target == "running":
            self.running[line.name] = at_ms


class _Part(Struct):
    """A shown record with the possible reference points of its time."""

    record: Record
    line: StoryLine
    cause: tuple[str, int]
    """The nearest shown cause: its text, and when."""


def _parts(records: Sequence[Record], shown: Iterable[int]) -> Iterator[_Part]:
    """The shown records (by seq) as lines without times."""
    by_seq = {record.seq: record for record in records}
    seen = set(shown)
    for record in records:
        if record.seq in seen:
            cause = by_seq.get(record.cause)
            while cause and cause.seq not in seen:
                cause = by_seq.get(cause.cause)
            yield _Part(record, _bare(record), (f"{cause.machine} {cause.target}", cause.at_ms) if cause else ("", 0))


def _bare(record: Record) -> StoryLine:
    name = record.subject.partition("/")[2].removeprefix("default/") or record.subject
    change = f"{record.source} → {record.target}" if record.source else record.target or "–"
    return StoryLine("", name, record.machine, _seen(change), record.rule, "")


def _seen(text: str) -> str:
    """The text as one line, with a trailing space made visible."""
    return f"{text.rstrip(' ')}{'␠' * (len(text) - len(text.rstrip(' ')))}".replace("\r", "␍").replace("\n", "⏎")


def lines(records: Sequence[Record], shown: Iterable[int], usuals: Usuals) -> list[StoryLine]:
    """The story of these records (those shown, by seq)."""
    found, past = [], Past()
    for part in _parts(records, shown):
        record, line = part.record, part.line
        new = not past.moments or past.moments[-1] != record.at_ms
        time = _time(part, past, usuals) if new else ""
        found.append(StoryLine(time, line.name, line.machine, line.change, line.rule, _said(part, past)))
        past.add(line, record.at_ms)
    return found


def _said(part: _Part, past: Past) -> str:
    record = part.record
    told = ((key, value) for key, value in record.data if key not in HIDDEN_DATA and value not in ("", None))
    return _seen(", ".join(f"{key}={_moment(int(value or 0), part, past) if key in MOMENTS else value}" for key, value in told))


def _moment(at_ms: int, part: _Part, past: Past) -> str:
    """A moment in data: relative to the line itself, the previous line of this machine and name, or the cause; the roundest."""
    line, (name, cause) = part.line, part.cause
    ways = [(at_ms - part.record.at_ms, "", "")]
    if (before := past.of.get((line.machine, line.name))) is not None:
        ways.append((at_ms - before, "before", ""))
    if _named(part, past):
        ways.append((at_ms - cause, "", f" since {name}"))
    ms, by, since = max(ways, key=lambda way: _roundness(way[0]))
    return f"{by}{_after(ms)}{since}"


def _named(part: _Part, past: Past) -> bool:
    """Whether the text of the cause identifies it: no later line has the same."""
    name, cause = part.cause
    return not name.endswith(" ") and past.latest.get(name) == cause


def _after(ms: int) -> str:
    return f"{ms / SECOND:+.3f}"


def _roundness(ms: int) -> int:
    """How many of the usual steps of a clock divide it."""
    return sum(ms % step == 0 for step in (10, 100, 500, SECOND))


def _time(part: _Part, past: Past, usuals: Usuals) -> str:
    at_ms = part.record.at_ms
    if part.line.machine == "command" or not past.moments:
        return f"{at_ms / SECOND:.3f}"
    for mark, pattern in (("·", part.line.pattern), ("··", part.line.of_such_rules)):
        if (usual := usuals.get(pattern)) and (said := _usually(at_ms, past.moments, usual)) is not None:
            return mark + said
    before, (name, cause) = past.moments[-1], part.cause
    ways = [(_roundness(at_ms - before), _after(at_ms - before))]
    if at_ms % 100 == 0:
        ways.append((_roundness(at_ms), f"~.{at_ms % SECOND:03}{_later(at_ms, before)}"))
    if _named(part, past):
        ways.append((_roundness(at_ms - cause), f"{_after(at_ms - cause)} since {name}"))
    if began := past.running.get(part.line.name):
        ways.insert(0, (_roundness(at_ms - began), f"run{_after(at_ms - began)}"))
    return max(ways, key=lambda way: way[0])[1]


def _later(at_ms: int, before: int) -> str:
    seconds = (at_ms - before - 1) // SECOND
    return f" +{seconds}" if seconds else ""


def _usually(at_ms: int, moments: Sequence[int], usual: Usual) -> str | None:
    """The part after the mark of a usual time; None if the moment is not at it."""
    kind, ms = usual
    if kind == "~":
        return _later(at_ms, moments[-1]) if at_ms % SECOND == ms else None
    if (from_ms := at_ms - ms) not in moments[-BACK:]:
        return None
    back = len(moments) - moments.index(from_ms)
    return "" if back == 1 else str(back)


def times(story: Sequence[StoryLine], usuals: Usuals) -> list[int]:
    """When each line of a story is, in ms since the beginning."""
    found, past = [], Past()
    for line in story:
        at_ms = _read(line, past, usuals) if line.time else past.moments[-1]
        past.add(line, at_ms)
        found.append(at_ms)
    return found


def _read(line: StoryLine, past: Past, usuals: Usuals) -> int:
    said, _, since = line.time.partition(" since ")
    word, _, later = said.partition(" ")
    seconds = int(later or 0) * SECOND
    if word.startswith("·"):
        mark = word.rstrip("0123456789")
        kind, ms = usuals[line.goes_by or line.pattern]
        if kind == "+":
            return past.moments[-int(word.removeprefix(mark) or 1)] + ms
        return next_beat(past.moments[-1], ms, SECOND) + seconds
    if word.startswith("~"):
        return next_beat(past.moments[-1], int(word[2:]), SECOND) + seconds
    ms = round(float(word.removeprefix("run")) * SECOND)
    if word.startswith("run"):
        return past.running[line.name] + ms
    if since:
        return past.latest[since] + ms
    return past.moments[-1] + ms if word[0] in "+-" else ms


def usual_times(stories: Iterable[tuple[Sequence[Record], Iterable[int]]]) -> Usuals:
    """The most common time of each pattern in these stories (records, and which of them are shown)."""
    left: list[tuple[StoryLine, int, list[int]]] = []
    for records, shown in stories:
        past = Past()
        for part in _parts(records, shown):
            if past.moments and past.moments[-1] != part.record.at_ms and part.line.machine != "command":
                left.append((part.line, part.record.at_ms, past.moments[-BACK:]))
            past.add(part.line, part.record.at_ms)
    found: Usuals = {}
    for pattern in (attrgetter("pattern"), attrgetter("of_such_rules")):
        found |= _voted([(pattern(line), at_ms, moments) for line, at_ms, moments in left])
        left = [each for each in left if not _explained(*each, found)]
    return dict(sorted(found.items()))


def _explained(line: StoryLine, at_ms: int, moments: list[int], usuals: Usuals) -> bool:
    return any((usual := usuals.get(each)) and _usually(at_ms, moments, usual) is not None for each in (line.pattern, line.of_such_rules))


def _voted(moments: Iterable[tuple[Pattern, int, list[int]]]) -> Usuals:
    votes: defaultdict[Pattern, Counter[Usual]] = defaultdict(Counter)
    all_of: Counter[Pattern] = Counter()
    for pattern, at_ms, before in moments:
        votes[pattern].update([("~", at_ms % SECOND), *(("+", at_ms - each) for each in before)])
        all_of[pattern] += 1
    best = {pattern: max(of.items(), key=_weight) for pattern, of in votes.items()}
    return {pattern: usual for pattern, (usual, count) in best.items() if count >= max(LEAST, SHARE * all_of[pattern])}


def _weight(vote: tuple[Usual, int]) -> tuple[int, bool, bool, int]:
    """More lines first; then a round fraction, and the shortest time after an earlier moment."""
    (kind, ms), count = vote
    return count, kind == "~" and ms % 100 == 0, kind == "+", -ms


def usual_text(usual: Usual) -> str:
    """A usual time as written in the tables and stories."""
    kind, ms = usual
    return f"~.{ms:03}" if kind == "~" else _after(ms)


def as_table(usuals: Usuals) -> str:
    """The file of usual times."""
    rows = (f"{machine:14}  {change:34}  {rule:28}  {usual_text(usual)}\n" for (machine, change, rule), usual in usuals.items())
    return HEAD + "".join(rows)


HEAD = "# When lines of golden stories usually are: telling.py says how. `make golden` writes it.\n"


def from_table(text: str) -> Usuals:
    """The content of a file of usual times."""
    found: Usuals = {}
    for row in text.splitlines():
        if not row.startswith("#"):
            machine, change, rule, usual = (column.strip() for column in row.split("  ") if column.strip())
            found[machine, change, rule] = ("~", int(usual[2:])) if usual[0] == "~" else ("+", round(float(usual) * SECOND))
    return found
