"""Patterns of records: the smallest part of every statement about a run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.kernel.units import Ms, Scalar, Seq, Subject

OWNERS = frozenset({"deployment", "replicaset", "statefulset", "daemonset", "job", "cronjob"})
"""The kinds that create pods, directly or through others; the first part of a subject."""
PARTS_OF_PODS = frozenset({"pod", "container", "condition", "probe"})
"""First parts of the subjects that continue with a pod's namespace and name."""


class Range(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number between two others, inclusive; if one of them is missing, that side is open."""

    min: int | None = None
    max: int | None = None

    def __post_init__(self) -> None:
        if self.min is None and self.max is None:
            raise ValueError("a range needs min or max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min must be no more than max")

    def holds(self, found: Scalar) -> bool:
        """Whether ``found`` is a number in the range."""
        if isinstance(found, bool) or not isinstance(found, int):
            return False
        return (self.min is None or found >= self.min) and (self.max is None or found <= self.max)


Wanted = str | int | bool | tuple[str | int | bool, ...] | Range
"""The required value of a field in a record's data: a value, one of several, or a number in a range."""


class Lineage:
    """Who created what, according to the records: an object created by a controller has that controller's record as its cause.

    Records are added in order, from the first one on. What exists at the beginning of a run has no creator. ``given``
    are the acts that a level gives to every learner, as their moments and tags, because no record says whose act it
    was. O(1) per record; keeps one subject per record.
    """

    __slots__ = ("_given", "_left", "_makers", "_subjects")

    def __init__(self, given: Iterable[tuple[Ms, str]] = ()) -> None:
        self._subjects: list[Subject] = []
        self._makers: dict[Subject, Subject] = {}
        self._left = Counter(given)
        self._given: set[Seq] = set()

    def fork(self) -> "Lineage":
        """An independent copy that has seen the same records. O(records)."""
        twin = Lineage()
        twin._subjects, twin._makers = self._subjects.copy(), self._makers.copy()
        twin._left, twin._given = self._left.copy(), self._given.copy()
        return twin

    def add(self, record: Record) -> None:
        """Add the next record."""
        self._subjects.append(record.subject)
        if record.target == "present" and record.source == "absent" and record.machine in ("object", "api_object"):
            maker = self._subject_of(record.cause)
            if maker.partition("/")[0] in OWNERS:
                self._makers[record.subject] = maker
        if self._left and record.kind == RecordKind.COMMAND and self._left[act := (record.at_ms, str(record.get("do")))]:
            self._left[act] -= 1
            self._given.add(record.seq)

    def _subject_of(self, seq: Seq) -> Subject:
        return self._subjects[seq - 1] if 0 < seq <= len(self._subjects) else ""

    def is_own(self, record: Record) -> bool:
        """Whether it is an act by the learner. The record must have been added already."""
        return record.kind == RecordKind.COMMAND and record.get("do") is not None and record.seq not in self._given

    def owners(self, subject: Subject) -> Iterator[Subject]:
        """The owner of the thing that a subject belongs to, then the owner's own owner, and so on."""
        maker = self._makers.get(thing_of(subject))
        while maker is not None:
            yield maker
            maker = self._makers.get(maker)


class OnePattern(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which records match; empty fields match everything.

    In a ``subject`` each ``*`` stands for any text, including none: ``container/default/web-*/app`` is that container
    of the pods whose names begin with their owner's. ``#*`` stands for any incarnation of a pod: ``pod/default/slow#*``
    is the pod ``slow`` and every later pod of that name. ``owner`` restricts it to what a controller created, directly
    or through others: ``deployment/default/web``. ``target`` may list several, and a value of ``data`` may be a list or
    a range. ``own`` restricts it to acts given by the learner rather than the level.
    """

    kind: str = ""
    machine: str = ""
    subject: str = ""
    owner: str = ""
    source: str = ""
    target: str | tuple[str, ...] = ""
    rule: str = ""
    data: dict[str, Wanted] = {}
    own: bool = False

    def matches(self, record: Record, lineage: Lineage | None = None) -> bool:
        """Whether ``record`` matches. ``lineage`` holds the records before it; without it, no owner is known."""
        return self.is_target(record) and self.is_data(record) and self.is_about(record, lineage)

    def is_about(self, record: Record, lineage: Lineage | None = None) -> bool:
        """Whether subject and owner match, whatever the record says about them."""
        if not fits(self.subject, record.subject):
            return False
        if self.own and not (lineage or Lineage()).is_own(record):
            return False
        return not self.owner or any(fits(self.owner, owner) for owner in (lineage.owners(record.subject) if lineage else ()))

    def is_target(self, record: Record) -> bool:
        """Whether kind, machine, rule, source and target match."""
        # The machine first: it tells most records apart, and every check of an attempt asks this about every record.
        if self.machine not in ("", record.machine) or self.kind not in ("", record.kind):
            return False
        if self.source not in ("", record.source) or self.rule not in ("", record.rule):
            return False
        return self.target in ("", ()) or record.target in self.targets()

    def is_data(self, record: Record) -> bool:
        """Whether the record's data matches."""
        return all(_is_wanted(record.get(name), wanted) for name, wanted in self.data.items())

    def targets(self) -> tuple[str, ...]:
        """The targets as a tuple, however they are written."""
        return (self.target,) if isinstance(self.target, str) else self.target


class RecordPattern(OnePattern, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"or_": "or"}):
    """A pattern with alternatives: ``or`` lists patterns, any of which may match instead."""

    or_: tuple[OnePattern, ...] = ()

    def matches(self, record: Record, lineage: Lineage | None = None) -> bool:
        """Whether ``record`` matches the pattern itself or one of the alternatives."""
        return OnePattern.matches(self, record, lineage) or any(other.matches(record, lineage) for other in self.or_)

    def each(self) -> tuple[OnePattern, ...]:
        """The pattern itself and its alternatives."""
        return (self, *self.or_)


def thing_of(subject: Subject) -> Subject:
    """The object that a subject is about or belongs to: a container's pod, or the subject itself if it is not part of a pod."""
    parts = subject.split("/")
    if len(parts) > 2 and parts[0] in PARTS_OF_PODS:
        return f"pod/{parts[1]}/{parts[2]}"
    return subject


def is_open(subject: Subject) -> bool:
    """Whether more than one subject may match."""
    return not subject or "*" in subject


def fits(pattern: str, subject: Subject) -> bool:
    """Whether a subject matches a pattern with stars; an empty pattern matches everything. O(pattern + subject) for each star."""
    if "*" not in pattern:
        return pattern in ("", subject)
    if "#*" in pattern:
        # The incarnation is at the end of a pod's name; the first one has no number.
        pattern, subject = pattern.replace("#*", ""), _first_incarnation(subject)
        return fits(pattern, subject)
    return _has_parts(pattern.split("*"), subject)


def _first_incarnation(subject: Subject) -> Subject:
    return "/".join(part.partition("#")[0] for part in subject.split("/"))


def _has_parts(parts: Sequence[str], subject: Subject) -> bool:
    """Whether a text consists of these parts in order, with anything between them.

    Not a regular expression, so that stars in a pattern from a stranger stay cheap.
    """
    first, last = parts[0], parts[-1]
    if len(subject) < len(first) + len(last) or not subject.startswith(first) or not subject.endswith(last):
        return False
    at, end = len(first), len(subject) - len(last)
    for part in parts[1:-1]:
        found = subject.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _is_wanted(found: Scalar, wanted: Wanted) -> bool:
    if isinstance(wanted, Range):
        return wanted.holds(found)
    if isinstance(wanted, tuple):
        return any(_same(found, each) for each in wanted)
    return _same(found, wanted)


def _same(found: Scalar, wanted: Scalar) -> bool:
    """Whether a value is the wanted one. Records leave out what is empty, so an empty text also means that there is no such field."""
    if wanted == "" and found is None:
        return True
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)
