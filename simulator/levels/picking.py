"""Make checks from records that an author points at: which records are notable, which pattern matches a record, and the resulting check.

A pattern is as general as possible: the names of pods made by a controller differ between seeds, and so do the incarnations of a recreated
pod, so neither belongs in a check.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.kernel.units import Ms
from simulator.levels.writing import lean
from simulator.scenarios.grading.patterns import PARTS_OF_PODS, Lineage, Range, RecordPattern, Wanted, thing_of
from simulator.scenarios.grading.spans import span_text

_CONDITIONS = frozenset({"Ready", "PodScheduled", "DisruptionTarget"})
_TARGETS = {
    "container": frozenset({"running", "exited", "stopping"}),
    "stop": frozenset({"pre_stop", "term", "killed"}),
    "hook": frozenset({"done", "failed"}),
    "object": frozenset({"present", "terminating", "gone"}),
    "container_status": frozenset({"terminated"}),
}
_WHOLE = frozenset({"phase", "workload", "node_condition", "taint", "command", "status_word"})
"""Machines whose every record is notable."""
_DATA = {
    "container": ("exit_code",),
    "container_status": ("reason",),
    "hook": ("hook",),
    "node_condition": ("condition",),
    "taint": ("key",),
    "command": ("do",),
}
"""The parts of a record's data that belong in its pattern."""
_STABLE = frozenset({"statefulset"})
"""Kinds of owners whose pods have the same names at every seed."""


class PickedRecord(Struct, frozen=True, kw_only=True):
    """A record as an author sees it. ``text`` is its sentence without names that differ between seeds."""

    record: Record
    pattern: RecordPattern
    text: str


def is_notable(record: Record) -> bool:
    """Whether a record is of the sort that levels are usually about."""
    if record.machine == "condition":
        return record.subject.rpartition("/")[2] in _CONDITIONS and record.source != record.target
    if record.machine == "api_object":
        return record.source != record.target
    if record.machine == "k8s_event":
        return record.get("type") == "Warning"
    if record.machine == "container_status" and record.target == "waiting":
        return str(record.get("reason")) not in ("", "None", "ContainerCreating", "PodInitializing")
    if record.machine == "status_word":
        return bool(record.target)
    return record.machine in _WHOLE or record.target in _TARGETS.get(record.machine, ())


def lineage_of(records: Iterable[Record]) -> Lineage:
    """The ownership of objects in a run."""
    lineage = Lineage()
    for record in records:
        lineage.add(record)
    return lineage


def pattern_of(record: Record, lineage: Lineage) -> RecordPattern:
    """The pattern for a record, matching at every seed and for every incarnation of its pod."""
    subject, owner = _about(record, lineage)
    is_place = record.machine == "scheduling" and record.get("node") == record.target
    data: dict[str, Wanted] = {
        name: value for name in _DATA.get(record.machine, ()) if isinstance(value := record.get(name), (str, int)) and value != ""
    }
    instance = record.get("instance")
    if record.machine == "container" and record.target == "running" and isinstance(instance, int) and instance:
        data["instance"] = Range(min=instance)
    return RecordPattern(
        kind=record.kind if record.kind != RecordKind.TRANSITION else "",
        machine=record.machine,
        subject=subject,
        owner=owner,
        target="" if is_place else record.target,
        rule=record.rule if is_place or not record.target else "",
        data=data,
    )


def _about(record: Record, lineage: Lineage) -> tuple[str, str]:
    """A record's subject and owner in the form used by patterns."""
    subject = record.subject
    if record.machine == "command":
        return "", ""
    parts = subject.split("/")
    owners = [*lineage.owners(subject)]
    if owners:
        is_stable = owners[0].partition("/")[0] in _STABLE
        parts[2] = f"{_name(parts[2])}#*" if is_stable else "*"
        return "/".join(parts), owners[-1]
    if len(parts) > 2 and parts[0] in PARTS_OF_PODS:
        parts[2] = f"{_name(parts[2])}#*"
        return "/".join(parts), ""
    return subject, ""


def _name(pod: str) -> str:
    return pod.partition("#")[0]


def sentence_without_names(text: str, record: Record, lineage: Lineage) -> str:
    """A record's sentence, with a generated name cut down to the part that stays the same."""
    owners = [*lineage.owners(record.subject)]
    parts = thing_of(record.subject).split("/")
    if not owners or len(parts) < 3 or owners[0].partition("/")[0] in _STABLE:
        return text
    return text.replace(parts[2], f"{owners[-1].rpartition('/')[2]}-…")


def check_of(word: str, picked: PickedRecord, *, text: str, taken: Sequence[str], from_ms: Ms = 0) -> dict[str, Any]:
    """The table of a check with one word about a record, counted from the level's beginning."""
    scope = {"from": span_text(from_ms)} if from_ms else {}
    return {"id": _free_id(picked.record, taken), "text": text, word: lean(picked.pattern), **scope}


def order_of(first: PickedRecord, then: PickedRecord, *, text: str, taken: Sequence[str], from_ms: Ms = 0) -> dict[str, Any]:
    """A check that one record comes before another."""
    return {**check_of("order", first, text=text, taken=taken, from_ms=from_ms), "then": lean(then.pattern)}


def within_of(
    first: PickedRecord, then: PickedRecord, *, within_ms: Ms, text: str, taken: Sequence[str], from_ms: Ms = 0
) -> dict[str, Any]:
    """A check that a record comes within a time after another."""
    check = check_of("eventually", then, text=text, taken=taken, from_ms=from_ms)
    return {**check, "after": lean(first.pattern), "within": span_text(within_ms)}


def holds_of(picked: PickedRecord, *, from_ms: Ms, until_ms: Ms, text: str, taken: Sequence[str]) -> dict[str, Any]:
    """A check that the state entered with a record lasts from one moment to another."""
    return {**check_of("always", picked, text=text, taken=taken), "from": span_text(from_ms), "by": span_text(until_ms)}


def is_state(picked: PickedRecord) -> bool:
    """Whether a record's pattern describes a state, which lasts, rather than an instant."""
    return bool(picked.pattern.machine and picked.pattern.target) and picked.record.kind == RecordKind.TRANSITION


def free_id(wanted: str, taken: Sequence[str]) -> str:
    """A unique name for a check: the wanted one, with a number appended if necessary."""
    return next(name for n in range(1, len(taken) + 2) if (name := wanted if n == 1 else f"{wanted}-{n}") not in taken)


def _free_id(record: Record, taken: Sequence[str]) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", f"{record.machine}-{record.target}".lower()).strip("-")[:36] or "check"
    return free_id(plain, taken)
