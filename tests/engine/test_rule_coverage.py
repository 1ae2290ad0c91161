"""Which story or test covers which rule. ``make golden`` rewrites the table that the fidelity page and document read."""

import json
import re
from functools import cache
from pathlib import Path

from simulator.engine.rules.rulebook import RULEBOOK
from simulator.fidelity.measured import SHOWN
from tests.engine.stories import FOLDER, read

TESTS = Path(__file__).parents[1]
ID = re.compile(r"[A-Z][A-Z0-9.]*(?:-[A-Z0-9.]+)*")
STORIES_A_RULE = 3
NO_STORY = Path(__file__).parent / "rules_without_story.txt"


@cache
def told() -> dict[str, list[str]]:
    """By rule: the golden stories in which it fires, as the rule of a record or as a verdict in the record."""
    found: dict[str, list[str]] = {rule: [] for rule in RULEBOOK}
    for path in sorted(FOLDER.glob("*.txt")):
        records = read(path).played()[1]
        fired = {record.rule for record in records} | {value for record in records for _, value in record.data if value in found}
        for rule in fired & found.keys():
            found[rule].append(path.stem)
    return found


def named() -> dict[str, list[str]]:
    """By rule: the test modules that expect it as an outcome; those about the list itself do not count."""
    found: dict[str, list[str]] = {rule: [] for rule in RULEBOOK}
    for path in sorted(TESTS.rglob("test_*.py")):
        if path.name == "test_view_fidelity.py":
            continue
        for rule in set(ID.findall(path.read_text(encoding="utf-8"))) & found.keys():
            found[rule].append(path.relative_to(TESTS).as_posix())
    return found


def test_the_table_of_what_shows_each_rule_is_up_to_date(golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    modules = named()
    shown = {rule: (stories + modules[rule])[:STORIES_A_RULE] for rule, stories in told().items()}
    golden(SHOWN, json.dumps({rule: by for rule, by in shown.items() if by}, indent=1) + "\n")


def test_rules_without_a_story_are_listed(golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    silent = [rule for rule, stories in told().items() if not stories]
    golden(NO_STORY, "\n".join(silent) + "\n")


def test_every_rule_is_shown_by_a_story_or_a_test() -> None:
    modules = named()
    assert [rule for rule, stories in told().items() if not stories and not modules[rule]] == []
