"""What pages call things: numbers and lengths in their shortest form, words in the reader's language where there are any."""

from types import SimpleNamespace

import pytest
from django.utils import translation

from simulator.runs.turns.places import Wait
from simulator.web import presenters


@pytest.mark.parametrize(
    ("length_ms", "text"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1000, "1 s"),
        (7250, "7.2 s"),
        (59_999, "59.9 s"),
        (60_000, "1 m"),
        (61_000, "1 m 1 s"),
        (3_599_999, "59 m 59 s"),
        (3_600_000, "1 h"),
        (3_660_000, "1 h 1 m"),
        (3_601_000, "1 h"),
    ],
)
def test_length_is_written_in_its_shortest_form(length_ms, text):
    assert presenters.length_text(length_ms) == text


@pytest.mark.parametrize(("ms", "text"), [(0, "0.0"), (48_000, "48.0"), (48_200, "48.2"), (48_050, "48.05"), (48_001, "48.001")])
def test_seconds_have_as_many_decimals_as_they_need(ms, text):
    assert presenters.seconds_text(ms) == text


@pytest.mark.parametrize(
    ("milli", "text"), [(0, "0"), (1, "0.001"), (50, "0.05"), (99, "0.099"), (100, "0.1"), (33_333, "33.3"), (40_000, "40"), (1000, "1")]
)
def test_rate_has_one_decimal_unless_it_would_be_none(milli, text):
    rate = SimpleNamespace(milli=milli, outcome="answered", tone="good")
    assert presenters.rates_said([rate])[0]["rate"] == text


@pytest.mark.parametrize(("moment", "text"), [(None, "–"), (0, "0:00.0"), (48_000, "0:48.0"), (3_723_000, "1:02:03.0")])
def test_moment_is_a_clock_or_a_dash(moment, text):
    assert presenters.clock_text(moment) == text


@pytest.mark.parametrize(
    ("name", "subject", "label"),
    [
        ("unknown", "container/default/web/app", ""),
        ("backoff_end", "pod/default/web", "back-off ends"),
        ("backoff_end", "container/default/web/app", "app: back-off ends"),
        ("probe_tick", "probe/default/web/app/liveness", "app · liveness: next probe attempt"),
        ("pull_end", "pull/default/web/app/app", "app: pull ends"),
    ],
)
def test_next_event_is_told_with_what_it_is_about(name, subject, label):
    assert presenters.next_label(name, subject) == label


@pytest.mark.parametrize(
    ("machine", "state", "word"),
    [("command", "refused", "被拒绝"), ("command", "unknown", "unknown"), ("phase", "Running", "Running"), ("no-such", "state", "state")],
)
def test_state_is_translated_unless_it_is_a_word_of_the_api(machine, state, word):
    with translation.override("zh-hans"):
        assert presenters.state_word(machine, state) == word


@pytest.mark.parametrize(
    ("is_present", "reason", "text"),
    [(True, "Completed", "terminated · Completed"), (True, "", "terminated"), (False, "Completed", "exited")],
)
def test_container_is_headed_by_the_apis_state_while_there_is_an_object(is_present, reason, text):
    container = SimpleNamespace(state="terminated", reason=reason, node_state="exited")
    assert presenters.container_state(container, is_present=is_present) == text


@pytest.mark.parametrize("word", ["Error", "Init:Error"])
def test_word_of_an_init_container_means_the_same(word):
    assert presenters.status_help(word) == presenters.STATUS_HELP["Error"] and presenters.status_help("Unheard") == ""


@pytest.mark.parametrize(("title", "text"), [("Scenarios · mine", "场景 · mine"), ("", ""), ("a ·  · b", "a ·  · b")])
def test_title_is_translated_part_by_part(title, text):
    with translation.override("zh-hans"):
        assert presenters.title_text(title) == text


@pytest.mark.parametrize(
    ("wait", "words"),
    [
        (Wait(reason="queue", place=3), "number 3 in the queue"),
        (Wait(reason="owner"), "You have 4 active runs"),
        (Wait(reason="address"), "Your network has 9 active runs"),
        (Wait(reason="runner"), "No worker is available"),
        (Wait(reason="opening"), "about to resume"),
    ],
)
def test_run_that_waits_says_what_for(settings, wait, words):
    settings.SIM_RUNS_PER_OWNER_MAX, settings.SIM_RUNS_PER_ADDRESS_MAX = 4, 9
    assert words in presenters.wait_text(wait)


@pytest.mark.parametrize(("name", "text"), [("basic", "Basic"), ("odd", "odd")])
def test_level_without_a_label_is_called_by_its_name(name, text):
    assert (presenters.level_label(name), presenters.lane_label("odd")) == (text, "odd")


def test_rule_is_told_without_a_record_and_an_unknown_one_by_its_id():
    assert presenters.rule_sentence("NO-SUCH-RULE") == "NO-SUCH-RULE"
    assert all("{" not in presenters.rule_sentence(rule) for rule in presenters.RULEBOOK)


@pytest.mark.parametrize(
    ("source", "shown"),
    [("spec/a.md; kubelet.go:12", "kubelet.go:12"), ("kubelet.go:1; docs", "kubelet.go:1"), ("fact x", ""), ("a; b", "a; b")],
)
def test_only_sources_that_can_be_looked_up_are_shown(source, shown):
    assert presenters.source_text(source) == shown
