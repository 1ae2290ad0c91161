"""Which answers to a prediction are right: what counts is what happens after the question, up to an instant."""

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.records import Record
from simulator.levels.asking import AskedTruth, has_right_choice, is_right, truth_of
from simulator.scenarios.asks import Ask, Choice
from simulator.scenarios.grading.patterns import RecordPattern
from tests.factories import make_content, pod_json


def record(at_ms, target="Running", seq=1):
    return Record(seq, at_ms, "transition", "pod/default/a", "phase", "", "", target, 0, "R", ())


def pattern(target):
    return RecordPattern(machine="phase", target=target)


def choosing(*targets, at="5s"):
    return Ask(id="q", at=at, question="?", choices=tuple(Choice(text="c", comes=target and pattern(target)) for target in targets))


PLACING = Ask(id="q", at="5s", question="?", place=pattern("Running"), tolerance="2s")


@pytest.mark.parametrize(
    ("at_ms", "until_ms", "is_one_right"), [(5000, 9000, False), (5001, 9000, True), (9000, 9000, True), (9001, 9000, False)]
)
def test_choice_is_right_if_it_comes_after_the_question_and_no_later_than_the_end(at_ms, until_ms, is_one_right):
    assert has_right_choice(choosing("Running", "Failed"), [record(at_ms)], until_ms=until_ms) is is_one_right


@pytest.mark.parametrize(("targets", "is_one_right"), [(("Failed", "Pending"), False), (("Failed", None), True)])
def test_choice_that_none_of_the_others_comes_is_always_right(targets, is_one_right):
    assert has_right_choice(choosing(*targets), [record(6000)], until_ms=9000) is is_one_right


@pytest.mark.parametrize(("truth", "choice", "right"), [(1, 1, True), (1, 0, False), (None, None, False), (0, 0, True), (None, 0, False)])
def test_answer_is_right_if_it_is_the_choice_that_comes(truth, choice, right):
    known = AskedTruth(choice=truth, record=None, until_ms=9000, records=[])
    assert is_right(choosing("Running", "Failed"), known, choice=choice, at_ms=None) is right


@pytest.mark.parametrize(
    ("came_ms", "at_ms", "right"),
    [
        (10_000, 10_000, True),
        (10_000, 8000, True),
        (10_000, 12_000, True),
        (10_000, 7999, False),
        (10_000, 12_001, False),
        (10_000, None, False),
        (None, None, True),
        (None, 10_000, False),
    ],
)
def test_flag_is_right_within_the_tolerance(came_ms, at_ms, right):
    truth = AskedTruth(choice=None, record=None if came_ms is None else record(came_ms), until_ms=20_000, records=[])
    assert is_right(PLACING, truth, choice=None, at_ms=at_ms) is right


@pytest.mark.parametrize(("act_ms", "choice"), [(4999, 0), (5000, 0), (5001, 1)])
def test_truth_is_what_follows_from_the_acts_up_to_the_question(act_ms, choice):
    gone = Choice(text="gone", comes=RecordPattern(machine="object", target="gone"))
    ask = Ask(id="q", at="5s", question="?", choices=(gone, Choice(text="nothing")))
    acts = [Stamped(at_ms=act_ms, n=1, command=DeletePod(target="default/web", grace_s=1))]
    truth = truth_of(ask, make_content(pod_json()).header, acts)
    assert (truth.choice, truth.record is not None, truth.until_ms) == (choice, choice == 0, 65_000)


@pytest.mark.parametrize(("within", "is_placed"), [("60s", True), ("0.001s", False)])
def test_flag_belongs_to_the_first_such_record_within_the_time(within, is_placed):
    ask = Ask(id="q", at="0s", question="?", within=within, place=RecordPattern(machine="phase", target="Running"))
    truth = truth_of(ask, make_content(pod_json()).header, [])
    assert (truth.choice, truth.record is not None) == (None, is_placed)
