"""Every kind of sentence in the product: records of all stories, of every machine's rows and of every act, each once."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
from msgspec import Struct

from simulator.engine.acts.act import recorded_fields
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.kernel.machine import ANY
from simulator.engine.kernel.records import Record, RecordKind
from simulator.engine.rules.machine_tables import ALL
from tests.engine.stories import FOLDER, read
from tests.scenarios.followed import STORIES, followed

COMMANDS = (Path(__file__).parents[1] / "engine" / "acts" / "stored_commands.jsonl").read_text(encoding="utf-8").splitlines()
OF_MACHINE = {
    **dict.fromkeys(("container", "stop", "hook", "container_status"), "container/default/web/app"),
    "probe": "probe/default/web/app/readiness",
    "condition": "condition/default/web/Ready",
    **dict.fromkeys(("kubelet", "runtime", "network", "shutdown", "node_condition", "labels", "taint", "static_pod"), "node/node1"),
    "api_object": "configmap/default/settings",
    "budget": "poddisruptionbudget/default/web",
    "requests": "requests/default/web/web",
    "workload": "deployment/default/web",
}
"""The subjects of a machine's records, if not a pod."""


class Told(Struct, frozen=True):
    """A record in its history, with the names that may appear in its sentences unchanged. ``is_bare``: it is synthetic, without data."""

    where: str
    record: Record
    history: Sequence[Record]
    names: frozenset[str]
    is_bare: bool = False


@cache
def histories() -> tuple[tuple[str, tuple[Record, ...]], ...]:
    """All records of every golden story, and of every story of the gallery with and without its acts."""
    found = [(path.stem, tuple(read(path).played()[1])) for path in sorted(FOLDER.glob("*.txt"))]
    for slug in STORIES:
        found += [(slug, tuple(followed(slug)[0])), (f"{slug}, nothing done", tuple(followed(slug, acted=False)[0]))]
    return tuple(found)


@cache
def told_records() -> tuple[Told, ...]:
    """All records that differ in more than names, moments and large numbers; then the rows of all machines, then all acts."""
    found: dict[object, Told] = {}
    for where, records in histories():
        names = names_of(records)
        for record in records:
            found.setdefault(_kind_of(record), Told(where, record, records, names))
    return (*found.values(), *of_rows(), *of_acts())


def names_of(records: Sequence[Record]) -> frozenset[str]:
    """The names in a history: the parts of all subjects."""
    return frozenset(part for record in records for part in re.split(r"[/#]", record.subject.partition("/")[2]))


def _kind_of(record: Record) -> object:
    """What makes two records the same for their sentences: numbers count as none, one, or more, words by whether they exist.

    For attempts also whether they are beyond the threshold.
    """
    data = tuple((key, min(value, 2) if isinstance(value, int) else _word(value)) for key, value in record.data)
    subject = record.subject.partition("/")[0]
    run, threshold = record.get("run"), record.get("threshold")
    is_beyond = isinstance(run, int) and isinstance(threshold, int) and run > threshold
    return (record.kind, record.machine, record.source, record.trigger, _word(record.target), record.rule, subject, data, is_beyond)


def _word(value: object) -> object:
    """A lower-case word unchanged, since it may be internal; for everything else only whether it exists."""
    text = value if isinstance(value, str) else ""
    return text if re.fullmatch(r"[a-z_-]+", text) else bool(value)


def of_rows() -> Iterator[Told]:
    """A bare record of every row of every machine: without data, as a record of another revision may be."""
    for machine in ALL:
        subject = OF_MACHINE.get(machine.name, "pod/default/web")
        for row in machine.rows:
            source = "" if row.source == ANY else row.source
            target = machine.initial if row.target == ANY else row.target
            yield _alone(f"row {machine.name} {row.id}", subject, machine.name, source, row.trigger, target, row.rule)


def of_acts() -> Iterator[Told]:
    """The records of every act: carried out, with its role, and refused."""
    for line in COMMANDS:
        command = msgspec.json.decode(line.encode(), type=AnyCommand)
        act = ACTS.of(command)
        data = (("do", act.do), *recorded_fields(act, command))
        subject = act.subject(command)
        yield _alone(f"act {act.do}", subject, "command", "", "", "accepted", "COMMAND", data)
        refusal = (("do", act.do), ("message", "there is no such thing"))
        yield _alone(f"act {act.do} refused", subject, "command", "", "", "refused", "COMMAND-NO-POD", refusal)


def _alone(where: str, subject: str, machine: str, source: str, trigger: str, target: str, rule: str, data: tuple = ()) -> Told:  # type: ignore[type-arg]
    kind = RecordKind.COMMAND if machine == "command" else RecordKind.TRANSITION
    record = Record(1, 0, kind.value, subject, machine, source, trigger, target, 0, rule, data)
    return Told(where, record, (record,), names_of((record,)), is_bare=not data or target == "refused")
