"""The machines' rows: each is used by a story, and a wrong target is noticed by one."""

from pathlib import Path
from typing import Any

import pytest

from simulator.engine.kernel.machine import ANY, Machine, Row
from simulator.engine.rules.machine_tables import ALL
from tests.engine.stories import all_stories, outcome, stories_by_row, usual, with_target

UNUSED = Path(__file__).parent / "rows_without_story.txt"
UNNOTICED = Path(__file__).parent / "targets_unnoticed.txt"


def listed(path: Path) -> dict[str, str]:
    """The names in a list, with their reasons: lines ``name: reason``."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return dict(line.split(": ", 1) for line in lines)


def unnoticed(machine: Machine[Any], row: Row) -> list[str]:
    """The targets that the row could have without a change in any of its stories. The output of its own record does not count."""
    found = []
    for state in machine.states:
        if state.name == row.target:
            continue
        for story in stories_by_row()[(machine.name, row.id)]:
            with with_target(machine, row, state.name):
                changed = outcome(story, machine.name, row.rule)
            if changed != usual(story, machine.name, row.rule):
                break
        else:
            found.append(f"{machine.name} {row.id} could be {state.name or 'nothing'}")
    return found


def test_every_row_is_used_by_a_story_or_has_its_reason() -> None:
    unused = [f"{machine} {row}" for (machine, row), stories in stories_by_row().items() if not stories]
    assert unused == list(listed(UNUSED))


@pytest.mark.parametrize("machine", ALL, ids=lambda machine: machine.name)
def test_a_wrong_target_is_noticed_by_a_story(machine: Machine[Any]) -> None:
    rows = [row for row in machine.rows if row.target != ANY and stories_by_row()[(machine.name, row.id)]]
    assert [text for row in rows for text in unnoticed(machine, row)] == [
        text for text in listed(UNNOTICED) if text.startswith(f"{machine.name} ")
    ]


def test_every_transition_in_a_story_is_a_row() -> None:
    edges = {
        (machine.name, row.rule, row.source, row.target, machine.recorded_trigger(row))
        for machine in ALL
        for row in machine.rows
        if not row.quiet
    }
    names = {machine.name: machine for machine in ALL}
    strange = {
        (record.machine, record.rule, record.source, record.target)
        for story in all_stories()
        for record in story.played()[1]
        if record.kind == "transition" and not _is_row(names[record.machine], edges, record)
    }
    assert sorted(strange) == []


def _is_row(machine: Machine[Any], edges: set[tuple[str, ...]], record: Any) -> bool:
    sources = (record.source, ANY, *(state.name for state in machine.states if _is_untold(machine)))
    return any(
        (machine.name, record.rule, source, target, record.trigger) in edges for source in sources for target in (record.target, ANY)
    )


def _is_untold(machine: Machine[Any]) -> bool:
    """Whether records of the machine omit the state that was left."""
    return any(field.sourceless for field in machine.fields.values())
