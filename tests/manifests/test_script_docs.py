"""The documentation of scripts covers all their verbs."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from simulator.engine.acts.all_acts import ACTS
from simulator.engine.acts.script import Verb
from simulator.manifests.script.script import read_script

DOCS = Path(__file__).parents[2] / "docs"


def test_table_of_verbs_is_what_the_acts_declare(golden: Callable[[Path, str], None]) -> None:
    page = DOCS / "scripts.md"
    before, table, after = re.split(r"((?:^\|.*\n)+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert table.startswith("| verb |")
    golden(page, f"{before}{ACTS.script_table()}\n{after}")


MAPS = [verb for verb in ACTS.verbs.values() if verb.fields]


@pytest.mark.parametrize("verb", MAPS, ids=lambda verb: verb.name)
def test_field_that_a_verb_needs_may_not_be_left_out(verb: Verb) -> None:
    (problem,) = read_script(f"- {{at: 1, {verb.name}: {{}}}}", kubernetes="1.30").problems
    assert problem.path.startswith(f"[0].{verb.name}")


@pytest.mark.parametrize("verb", MAPS, ids=lambda verb: verb.name)
def test_field_that_a_verb_does_not_declare_is_refused(verb: Verb) -> None:
    (problem,) = read_script(f"- {{at: 1, {verb.name}: {{levitate: 1}}}}", kubernetes="1.30").problems
    assert problem.message == f'step 1: "{verb.name}" with "levitate" is not supported'
