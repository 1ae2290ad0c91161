"""What is told of an attempt: its record, its prediction, its report. Without a run."""

from types import SimpleNamespace

import pytest

from simulator.engine.kernel.records import Record
from simulator.levels.asking import AskedTruth
from simulator.scenarios.asks import Ask, Choice
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.grader import CheckResult, CheckVerdict
from simulator.scenarios.grading.patterns import RecordPattern
from simulator.web.levels import level_attempts, level_editor
from simulator.web.run import level_card

RECORD = Record(4, 7000, "transition", "pod/default/a", "phase", "", "", "Running", 0, "POD-RUNNING", ())
ASK = Ask(
    id="q", at="5s", question="?",
    choices=(Choice(text="a", comes=RecordPattern(target="Running"), why="Scenarios"), Choice(text="b", comes=RecordPattern(target="x"))),
)  # fmt: skip


def graded(choice=0, record=RECORD, level=None, ask=ASK):
    truth = AskedTruth(choice=0, record=record, until_ms=65_000, records=[])
    return level_attempts._graded(level, ask, truth, choice=choice, at_ms=None)


@pytest.mark.parametrize(("seq", "found"), [(0, None), (1, "a"), (2, "b"), (3, None)])
def test_record_is_found_by_its_number(seq, found):
    assert level_attempts._record(seq, ["a", "b"]) == found


@pytest.mark.parametrize(("choice", "right", "why"), [(0, True, "Scenarios"), (1, False, ""), (2, False, ""), (None, False, "")])
def test_answer_is_graded_with_what_its_author_says_of_it(choice, right, why):
    found = graded(choice)
    assert (found["right"], found["why"], found["truth"]) == (right, why, 0)


def test_what_happens_is_told_with_its_record_or_with_how_long_nothing_did():
    shown = {name: value for name, value in graded().items() if name in ("at_ms", "seq", "subject")}
    assert shown == {"at_ms": 7000, "seq": 4, "subject": "pod/default/a"}
    none = graded(record=None)
    assert (none["at_ms"], none["seq"], none["subject"], "by 1:05.0" in none["told"]) == (65_000, 0, "", True)


def check(name, verdict):
    return {"id": name, "verdict": verdict, "at_ms": 1, "seq": 2, "subject": "s", "reason": "r", "near_seq": 3}


def test_report_names_the_checks_that_were_not_kept():
    level = SimpleNamespace(slug="", checks=[SimpleNamespace(text=text) for text in ("A", "B", "C", "D")])
    told = {"checks": [check("a", "kept"), check("b", "broken"), check("c", "open"), check("d", "vacuous")]}
    report = level_attempts._report(level, told)
    assert [(each["id"], each["text"]) for each in report] == [("b", "B"), ("d", "D")]
    assert set(report[0]) == {"id", "at_ms", "seq", "subject", "reason", "text"}


@pytest.mark.parametrize(
    ("fields", "body"),
    [
        ({}, ""),
        ({"command": ("sh", "-c", "echo a b")}, "sh -c 'echo a b'"),
        ({"patch": '{"a":1}'}, "a: 1"),
        ({"documents": ('{"a":1}', '{"b":2}')}, "a: 1\n---\nb: 2"),
        ({"document": '{"a":1}'}, "a: 1"),
        ({"document": ""}, ""),
        ({"patch": "{"}, ""),
        ({"patch": '{"a":1}', "documents": ('{"b":2}',)}, "a: 1"),
    ],
)
def test_body_of_an_act_is_what_its_text_leaves_out(fields, body):
    assert level_card.act_body(SimpleNamespace(**fields)) == body


@pytest.mark.parametrize(("at_ms", "text"), [(None, ""), (0, "0:00.0"), (5000, "0:05.0")])
def test_act_without_a_moment_has_no_clock(at_ms, text):
    assert level_card._clock(at_ms) == text


@pytest.mark.parametrize(
    ("key", "address"), [("hello", "/levels/hello/"), ("~abc", "/l/abc/"), ("exam:hello", "/levels/hello/"), ("alone:~abc", "/l/abc/")]
)
def test_level_has_a_page_however_it_is_attempted(key, address):
    assert level_card.level_address(key) == address


@pytest.mark.parametrize(
    ("verdict", "at_ms", "told"),
    [
        (CheckVerdict.KEPT, 5000, ("", 5000)),
        (CheckVerdict.BROKEN, 5000, ("It had not happened by 0:05.0. Own reason.", 5000)),
        (CheckVerdict.VACUOUS, 5000, ("Nothing that this check is about happened. Own reason.", None)),
    ],
)
def test_reason_of_a_check_is_told_where_it_is_not_kept(verdict, at_ms, told):
    of = Check(id="a", eventually=RecordPattern(machine="phase"), by="5s", reason="Own reason.")
    result = CheckResult(id="a", verdict=verdict, at_ms=at_ms)
    found = level_attempts._check_told(SimpleNamespace(slug=""), of, result, SimpleNamespace(records=[]))
    assert (found["reason"], found["at_ms"]) == told
    assert (found["subject"], found["near_ms"], found["near_subject"]) == ("", None, "")


@pytest.mark.parametrize(("at_ms", "shown"), [(None, ""), (5000, "0:05.0")])
def test_row_of_a_trial_has_the_instant_of_each_check_if_it_has_one(at_ms, shown):
    result = CheckResult(id="a", verdict=CheckVerdict.KEPT, at_ms=at_ms)
    played = SimpleNamespace(seed=7, passed=True, forbidden=("x", "x", "y"), records=[], result=SimpleNamespace(checks=[result]))
    attempt = SimpleNamespace(solution=SimpleNamespace(name="s", acts=()), played=played, problem="")
    trial = SimpleNamespace(
        level=SimpleNamespace(checks=[Check(id="a", never=RecordPattern())]), attempts=[attempt], problems=(), advice=(), ok=True
    )
    (row,) = level_editor._trial_rows(trial)["rows"]
    assert (row["checks"][0]["at"], row["forbidden"], row["is_nothing"]) == (shown, "x, y", True)
