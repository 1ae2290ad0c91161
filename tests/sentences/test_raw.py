"""What the tests of all sentences recognise as raw: sentences that the product once had."""

import pytest

from simulator.engine.kernel.records import Data, Record
from tests.sentences.corpus import told_records
from tests.sentences.raw import in_sentence, of_act, raw_parts
from tests.sentences.test_browser import raw_words


def record_of(machine: str, target: str, data: Data = ()) -> Record:
    return Record(1, 0, "", "container/default/x/y", machine, "", "", target, 0, "", data)


@pytest.mark.parametrize(
    "sentence",
    [
        "container/default/x/y: stopped",
        "horizontalpodautoscaler/default/web: no-metrics",
        "readiness probe of web: failure, 99 of 3",
        "The outcome came 1 times in a row, fewer than the threshold of 3.",
        "taint_eviction of web",
        "back-off … ends",
        "web is undefined",
    ],
)
def test_sentence_is_raw(sentence):
    assert in_sentence(sentence)


def test_fields_and_tag_of_a_command_are_raw():
    record = record_of("command", "accepted", (("do", "set_probe"), ("probe", "readiness")))
    assert of_act(record, "you: set probe web (probe readiness)") == ["probe readiness", "set probe"]


@pytest.mark.parametrize(
    "sentence",
    [
        "You asked node node1 to shut down, or not to",
        "You cordoned or uncordoned node node1",
        "You cut or restored the network of node node1",
    ],
)
def test_act_that_is_left_open_is_raw(sentence):
    assert of_act(record_of("command", "accepted"), sentence)


@pytest.mark.parametrize(("sentence", "language"), [("autoscaler web: no-metrics", "en"), ("自动伸缩器 web：no-metrics", "zh-hans")])
def test_state_of_the_code_is_a_raw_word(sentence, language):
    told = told_records()[0]
    raw = raw_words(type(told)("", record_of("note", "no-metrics"), (), frozenset()), sentence, language)
    assert raw == ["no-metrics"]


@pytest.mark.parametrize("values", [{"outcome": "timeout"}, {"outcome": "in_progress"}, {"owner": "replicaset/default/web"}])
def test_value_of_the_code_is_raw(values):
    (name,) = values
    assert raw_parts(f"It is {{{name}}}", values, frozenset())


@pytest.mark.parametrize(
    "sentence", ["web-1 waits", "1 pod of 3 is ready", "2 of 2 pods are there", "The status is 1/2", "1 address is ready"]
)
def test_plain_sentence_is_not_raw(sentence):
    assert in_sentence(sentence) == []
