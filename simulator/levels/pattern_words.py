"""Words of patterns that no record has: a check with one finds nothing, and "never" would hold for everybody.

What the engine can write is known: its machines with their states, the rulebook and the kinds of records. What was played counts as
well, since kinds of objects may be custom ones.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine.acts.all_acts import ACTS
from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.named_kinds import NAMED
from simulator.engine.rules.machine_tables import ALL as MACHINES
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.scenarios.grading.patterns import OWNERS, OnePattern, Wanted

WITHOUT_TABLE = frozenset(
    (
        *("probe_attempt", "k8s_event", "scheduling", "preemption", "eviction", "oom", "drain", "pod_eviction", "pod_actions"),
        *("backoff", "note", "import", "command"),
    )
)
"""Machines of records that tell of one moment, and of no state that lasts."""
_OPEN = frozenset({"status_word", "user_namespace"})
"""Machines whose states are not all in their tables."""
STATES = {machine.name: frozenset(state.name for state in machine.states) for machine in MACHINES if machine.name not in _OPEN}
_OUTCOMES = ("accepted", "refused")
"""What becomes of an act."""
_PARTS = {"pod": 3, "container": 4, "probe": 5, "node": 2, "requests": 4}
"""How many parts a subject of that sort has."""
SORTS = frozenset({*_PARTS, "condition", "image", "run", *(info.singular for info in (*KINDS.values(), *(each.info for each in NAMED)))})
"""What a subject begins with; the kinds of custom objects are not among them."""


class PlayedWords(Struct, frozen=True):
    """What stands in the records of some plays."""

    machines: frozenset[str] = frozenset()
    sorts: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()


def words_of(plays: Iterable[Iterable[Record]]) -> PlayedWords:
    """The words of those records. O(records)."""
    records = [record for play in plays for record in play]
    return PlayedWords(
        machines=frozenset(record.machine for record in records),
        sorts=frozenset(sort_of(record.subject) for record in records),
        rules=frozenset(record.rule for record in records),
    )


def unknown_words(place: str, pattern: OnePattern, played: PlayedWords) -> Iterator[str]:
    """A sentence for every field of a pattern that no record can match; each begins with its place."""
    for name, text in _unknown(pattern, played):
        yield _("%(place)s: no record has %(text)s here.") % {"place": f"{place}.{name}", "text": text[:60]}


def _unknown(pattern: OnePattern, played: PlayedWords) -> Iterator[tuple[str, str]]:
    if pattern.target == ():
        yield "target", "[]"
    yield from ((f"data.{name}", "[]") for name, value in pattern.data.items() if value == ())
    if pattern.kind and pattern.kind not in [kind.value for kind in RecordKind]:
        yield "kind", pattern.kind
    if pattern.machine and pattern.machine not in STATES.keys() | _OPEN | WITHOUT_TABLE | played.machines:
        yield "machine", pattern.machine
    if RecordKind.COMMAND in (pattern.kind, pattern.machine):
        yield from _none_of("target", pattern.targets(), ("", *_OUTCOMES))
        yield from _none_of("data.do", dos := _listed(pattern.data.get("do", ())), [do for do in dos if ACTS.named(do) is not None])
    states = STATES.get(pattern.machine)
    if states is not None:
        yield from _none_of("target", pattern.targets(), {"", *states})
        if pattern.source and pattern.source not in states:
            yield "source", pattern.source
    if pattern.rule and pattern.rule not in RULEBOOK.keys() | played.rules:
        yield "rule", pattern.rule
    if not _is_subject(pattern.subject, played):
        yield "subject", pattern.subject
    if pattern.owner and "*" not in sort_of(pattern.owner) and sort_of(pattern.owner) not in OWNERS:
        yield "owner", pattern.owner


def _none_of(name: str, listed: Sequence[str], known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Of several values one that a record may have is enough."""
    if listed and not any(each in known for each in listed):
        yield name, ", ".join(listed)


def _listed(wanted: Wanted) -> list[str]:
    return [str(each) for each in (wanted if isinstance(wanted, tuple) else (wanted,))]


def _is_subject(subject: str, played: PlayedWords) -> bool:
    sort = sort_of(subject)
    if not subject or "*" in sort:
        return True
    if "*" not in subject and sort in _PARTS and len(subject.split("/")) != _PARTS[sort]:
        return False
    return sort in SORTS | played.sorts


def sort_of(subject: str) -> str:
    """The first part of a subject, which says what sort of thing it is."""
    return subject.partition("/")[0]
