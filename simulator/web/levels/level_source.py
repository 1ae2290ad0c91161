"""Make a level from a run: its start, the acts given as its solutions, and the records that its author picks."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from simulator.engine.acts.all_acts import AnyCommand, Stamped
from simulator.engine.course.header import RunHeader, renewed
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.engine.rules import explain
from simulator.levels.picking import PickedRecord, is_notable, lineage_of, pattern_of, sentence_without_names
from simulator.levels.reading import HORIZON_MAX_MS
from simulator.models import Run, RunCommand
from simulator.runs.log import timemachine
from simulator.runs.log.content import Content
from simulator.runs.log.history import commands_of
from simulator.runs.selectors.runs import run_branches
from simulator.runs.services.shares import content_so_far
from simulator.scenarios.build import story_content
from simulator.scenarios.grading.patterns import Lineage
from simulator.scenarios.grading.spans import span_text
from simulator.scenarios.portable import file_text
from simulator.web.base.stories import builtin_stories
from simulator.web.presenters import said

RECORDS_MAX = 50_000
"""The most records of a run that are considered."""
SHOWN_MAX = 80
BRANCHES_MAX = 12
_STEP_MS: Ms = 10_000


def level_table(run: Run, at_ms: Ms, *, names: tuple[str, str]) -> dict[str, Any]:
    """The table of a level that begins at ``at_ms`` of the run, 0 for its beginning. Costs a check of its manifests.

    ``names`` are the name of the right solution, and that of the wrong ones, to which a number is added.
    """
    content = content_so_far(run)
    at_ms = min(at_ms, content.until_ms)
    end_ms = min(HORIZON_MAX_MS, -(-max(content.until_ms, at_ms + 60_000) // _STEP_MS) * _STEP_MS)
    seed = content.header.seed
    solutions = [*_solutions(run, content, at_ms, names)]
    return {
        "title": run.title,
        "horizon": span_text(end_ms),
        **_start(content, at_ms),
        "seeds": [seed, seed + 1 if seed < 2**31 - 1 else 1],
        # An empty list would end up as a field that the form does not know.
        **({"solution": solutions} if solutions else {}),
    }


def _start(content: Content, at_ms: Ms) -> dict[str, Any]:
    """The story if the run began as one, otherwise the scenario up to that moment."""
    header = content.header
    story = builtin_stories().get(header.scenario)
    if not at_ms and story is not None and _same(renewed(story_content(story).header), renewed(header)):
        return {"story": story.slug}
    begun = Content(header=header, source=content.source, commands=_until(content.commands, at_ms), until_ms=at_ms)
    return {"scenario": file_text(begun, title="", indent=0)}


def _same(one: RunHeader, other: RunHeader) -> bool:
    return replace(one, seed=1) == replace(other, seed=1)


def _until(commands: Sequence[Stamped], at_ms: Ms) -> tuple[Stamped, ...]:
    return tuple(stamped for stamped in commands if at_ms and stamped.at_ms <= at_ms)


def _solutions(run: Run, content: Content, at_ms: Ms, names: tuple[str, str]) -> Iterator[dict[str, Any]]:
    """The acts in the run after that moment as a solution, then the different acts of its other branches."""
    right, wrong = names
    own = _acts_after(run, content.commands, at_ms)
    if own:
        yield {"name": right, "expect": "pass", "acts": own}
    seen, n = [own], 0
    for branch in _others(run):
        commands = commands_of(branch)
        acts = _acts_after(branch, commands, at_ms)
        if acts in seen or not acts or not _begins_alike(content, at_ms, branch, commands):
            continue
        seen.append(acts)
        n += 1
        yield {"name": f"{wrong} {n}", "expect": "fail", "acts": acts}


def _others(run: Run) -> Iterator[Run]:
    rows = [row.run_id for row in run_branches(run) if not row.is_current][:BRANCHES_MAX]
    found = Run.objects.in_bulk(rows)
    yield from (found[run_id] for run_id in rows if run_id in found)


def _begins_alike(content: Content, at_ms: Ms, branch: Run, commands: Sequence[Stamped]) -> bool:
    """Whether a branch was the same up to that moment, so that its acts can be played from there."""
    given = [[(each.at_ms, each.command) for each in _until(found, at_ms)] for found in (content.commands, commands)]
    return given[0] == given[1] and _same(renewed(branch.header()), renewed(content.header))


def _acts_after(run: Run, commands: Sequence[Stamped], at_ms: Ms) -> list[dict[str, Any]]:
    refused = set(run.commands.filter(outcome=RunCommand.Outcome.REFUSED).values_list("n", flat=True))
    after = (each for each in commands if not (at_ms and each.at_ms <= at_ms) and each.n not in refused)
    return [{"at": span_text(each.at_ms), **act_row(each.command)} for each in after]


def act_row(command: AnyCommand) -> dict[str, Any]:
    """An act as written in a level: its tag, and the fields that differ from their defaults."""
    plain: dict[str, Any] = msgspec.to_builtins(command)
    usual = {field.encode_name for field in msgspec.structs.fields(command) if getattr(command, field.name) == _default(field)}
    return {name: _without_none(value) for name, value in plain.items() if name not in usual and value is not None}


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default_factory() if field.default_factory is not msgspec.NODEFAULT else field.default


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_none(item) for name, item in value.items() if item is not None}
    return [_without_none(item) for item in value] if isinstance(value, list) else value


class RunRecords:
    """The records of a run, for picking."""

    def __init__(self, run: Run) -> None:
        self.records: list[Record] = timemachine.log(run, after=0, limit=min(run.head_seq, RECORDS_MAX))
        self.lineage: Lineage = lineage_of(self.records)

    def picked(self, seq: int) -> PickedRecord | None:
        """The record with that number, or None."""
        return self._picked(self.records[seq - 1]) if 0 < seq <= len(self.records) else None

    def shown(self, *, from_ms: Ms, query: str) -> tuple[list[PickedRecord], int]:
        """The records from a moment on that are notable, or match a text: at most 80, and how many there are in total."""
        words = query.lower().split()
        found = [
            record for record in self.records if record.at_ms >= from_ms and (self._has(record, words) if words else is_notable(record))
        ]
        return [self._picked(record) for record in found[:SHOWN_MAX]], len(found)

    def _has(self, record: Record, words: Sequence[str]) -> bool:
        text = f"{record.kind} {record.machine} {record.subject} {record.target} {said(explain.headline(record))}".lower()
        return all(word in text for word in words)

    def _picked(self, record: Record) -> PickedRecord:
        text = sentence_without_names(said(explain.headline(record)), record, self.lineage)
        return PickedRecord(record=record, pattern=pattern_of(record, self.lineage), text=text.rstrip("."))
