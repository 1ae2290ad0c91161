"""The version lens: one scenario simulated under several Kubernetes versions, its records side by side.

Records are matched by ``matching``. Random delays take their mean, so that only the version differs. The API server of
each version checks the manifests first; objects that it refuses do not exist there.

The work is limited both per version and in total, since a page waits for the answer. The acts of the run are given
again unchanged; an act that a version refuses is reported rather than left out.
"""

import json
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from simulator.engine import Course, Record, RunHeader, Stamped
from simulator.engine.apiserver.admission.cluster import EMPTY, Cluster
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions import PHASE_GATE, BadGate, Profile, about, diff, resolve, setting
from simulator.engine.world.world import object_subject
from simulator.headless.matching import ANSWER, COMMAND, REFUSED, Cell, MatchedRow, Place, matched, places
from simulator.headless.refused import RefusedAct, refused_acts
from simulator.manifests.check.check import check_text
from simulator.manifests.problems import ERROR, INFO

STRETCHES_MAX, STRETCH_WORK = 60, 1000
"""How far one version may go: the number of stretches, and units of work (engine/world/work.py) per stretch."""
STRETCHES_TOGETHER = 240
"""How many stretches all versions may take together."""

PHASE_ONLY = "1.3"
"""Stands for the scenario's own version with the phase and conditions of Kubernetes 1.3."""


class Switch(Struct, frozen=True):
    """A field of the version profile whose value differs; ``values`` are in the order of the versions."""

    field: str
    values: tuple[str, ...]
    note: str


class Lens(Struct, frozen=True):
    """The comparison. ``is_cut``: a version reached the work limit, so its column ends early.

    ``refused`` are the acts that each version refused, in the order of the versions: from the first of them on, the column no longer shows
    what was asked for.
    """

    versions: tuple[str, ...]
    until_ms: Ms
    rows: tuple[MatchedRow, ...]
    switches: tuple[Switch, ...]
    is_cut: bool
    refused: tuple[tuple[RefusedAct, ...], ...] = ()

    @property
    def differences(self) -> tuple[MatchedRow, ...]:
        """The rows that differ, and refusals: if something is refused everywhere, there is nothing else that could differ."""
        return tuple(row for row in self.rows if row.differs or (row.machine in (ANSWER, COMMAND) and row.target == REFUSED))


def look(header: RunHeader, commands: Sequence[Stamped], versions: Sequence[str], *, until_ms: Ms) -> Lens:
    """Simulate the scenario under every version (or PHASE_ONLY) up to ``until_ms`` and compare. Raises UnknownVersion."""
    columns, refused = [], []
    is_cut = False
    headers = [_header_for(header, version) for version in versions]
    for one in headers:
        judged, answers = _judged(one)
        records, reached = _records(judged, commands, until_ms, stretches=min(STRETCHES_MAX, STRETCHES_TOGETHER // len(headers)))
        columns.append(answers | places(records))
        refused.append(refused_acts(records, judged, commands))
        is_cut = is_cut or not reached
    profiles = [resolve(one.kubernetes, one.gates) for one in headers]
    return Lens(tuple(versions), until_ms, matched(columns), switches(profiles), is_cut, tuple(refused))


def switches(profiles: Sequence[Profile]) -> tuple[Switch, ...]:
    """The fields (and gates without a field) that differ between the version profiles, with their notes."""
    fields: dict[str, None] = {}
    for profile in profiles[1:]:
        fields.update(dict.fromkeys(item.field for item in diff(profiles[0], profile)))
    return tuple(Switch(field, tuple(_text(setting(profile, field)) for profile in profiles), about(field).note) for field in fields)


def version_header(header: RunHeader, version: str) -> RunHeader:
    """The scenario as the lens plays it for a version (or PHASE_ONLY): with what its API server accepts. Raises UnknownVersion."""
    return _judged(_header_for(header, version))[0]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _header_for(header: RunHeader, version: str) -> RunHeader:
    """The same scenario for another version, which has its own phase rules. Gates that the version does not know are left out."""
    if version == PHASE_ONLY:
        return msgspec.structs.replace(header, gates={**header.gates, PHASE_GATE: True}, jitter=False)
    try:
        gates = {name: on for name, on in header.gates.items() if name != PHASE_GATE}
        resolve(version, gates)
    except BadGate:
        # A gate that the version does not know drops all of them.
        gates = {}
    return msgspec.structs.replace(header, kubernetes=version, gates=gates, jitter=False)


def _judged(header: RunHeader) -> tuple[RunHeader, dict[Place, Cell]]:
    """The scenario with the manifests that the API server of its version accepts, and its answers."""
    taken: list[str] = []
    answers: dict[Place, Cell] = {}
    cluster: Cluster | None = EMPTY
    for text in header.manifests:
        checked = check_text(
            text, kubernetes=header.kubernetes, strict=False, namespace=header.namespace, gates=header.gates, cluster=cluster
        )
        cluster = checked.cluster
        if checked.ok:
            taken.append(text)
        said = [problem for problem in checked.problems if problem.severity != INFO]
        for problem in said:
            target = REFUSED if problem.severity == ERROR else "warned"
            subject = _subject(text, header.namespace)
            # There may be several answers about one object: the place counts them, as it does for records.
            number = sum(place[:3] == (ANSWER, subject, target) for place in answers)
            answers[(ANSWER, subject, target, number)] = Cell(0, f"{problem.path}: {problem.message}" if problem.path else problem.message)
    return msgspec.structs.replace(header, manifests=tuple(taken)), answers


def _subject(text: str, namespace: str) -> Subject:
    document = json.loads(text)
    metadata, kind = document.get("metadata") or {}, str(document.get("kind"))
    space = "" if kind in KINDS and not KINDS[kind].namespaced else str(metadata.get("namespace") or namespace)
    return object_subject(kind, space, str(metadata.get("name") or metadata.get("generateName")))


def _records(header: RunHeader, commands: Sequence[Stamped], until_ms: Ms, *, stretches: int) -> tuple[list[Record], bool]:
    """Every record up to a moment, and whether the moment was reached within the limit."""
    course = Course(header, commands)
    records = list(course.world.first_records)
    for _ in range(stretches):
        leg = course.drive(until_ms, limit=STRETCH_WORK)
        records += leg.records
        if leg.is_there:
            return records, True
    return records, False
