"""No sentence of the product shows a path, an internal word or a placeholder, in any language."""

import msgspec
import pytest
from django.utils import translation

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.kernel.records import Record
from simulator.engine.rules import explain
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.headless.matching import MACHINES
from simulator.headless.refused import why_refused
from simulator.web import presenters
from tests.sentences.corpus import COMMANDS, told_records
from tests.sentences.raw import LANGUAGES, counts, in_page, of_act, raw_parts


@pytest.fixture(params=LANGUAGES, autouse=True)
def language(request):
    with translation.override(request.param):
        yield request.param


def test_no_headline_is_raw():
    found = {}
    for told in told_records():
        text = explain.headline(told.record)
        for raw in (*raw_parts(text.msgid, dict(text.values), told.names), *of_act(told.record, presenters.said(text))):
            found.setdefault((text.msgid, raw), (told.where, told.record.rule, presenters.said(text)))
    assert found == {}


def test_no_reason_in_why_is_raw():
    found = {}
    for told in told_records():
        step = explain.why(told.history, told.record.seq, limit=1)[0]
        for raw in raw_parts(step.sentence.msgid, dict(step.sentence.values), told.names):
            if raw != "…" or not told.is_bare:
                found.setdefault((step.rule_id, raw), (told.where, presenters.said(step.sentence)))
    assert found == {}


def test_no_row_of_a_comparison_or_lens_is_raw():
    found = {}
    for told in told_records():
        machine, target = told.record.machine, told.record.target
        if machine in MACHINES and target:
            for raw in in_page(presenters.lane_label(machine), presenters.state_word(machine, target)):
                found.setdefault((machine, target, raw), told.where)
    assert found == {}


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: msgspec.json.decode(line)["do"])
def test_nothing_that_is_asked_for_is_raw(line):
    command = msgspec.json.decode(line.encode(), type=AnyCommand)
    text = sentence_of(ACTS.of(command), command)
    assert raw_parts(text.msgid, dict(text.values), frozenset({"memory"})) == [], presenters.said(text)


def test_no_refusal_is_raw():
    found = {}
    for told in told_records():
        if told.record.machine == "command" and told.record.target == "refused" and not told.is_bare:
            text = why_refused(told.record)
            for raw in raw_parts(text.msgid, dict(text.values), told.names):
                found.setdefault((told.record.rule, raw), (told.where, presenters.said(text)))
    assert found == {}


def test_every_rule_that_counts_can_count_one():
    found = {}
    for rule in RULEBOOK.values():
        raw = raw_parts(rule.sentence, dict.fromkeys(counts(rule.sentence), 1), frozenset())
        found[rule.id] = [part for part in raw if part != "…"]
    assert {rule: raw for rule, raw in found.items() if raw} == {}


def test_record_of_a_rule_that_is_no_longer_there_is_told_without_its_words(language):
    record = Record(1, 0, "transition", "deployment/team/web", "former_machine", "", "", "some_state", 0, "FORMER-RULE")
    text = explain.headline(record)
    assert raw_parts(text.msgid, dict(text.values), frozenset()) == []
    assert "team · web" in presenters.said(text)
