"""Why a run has ended, in the reader's language: a code with its numbers is stored."""

import json
from pathlib import Path

import pytest
from django.utils.translation import override

from simulator.engine.projection.text import missing
from simulator.models import Run
from simulator.runs.drive.jobs.kinds import KINDS
from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.services.errors import Refused
from simulator.runs.services.runs import check_live
from simulator.runs.state_notes import JOB_TEXTS, RUN_TEXTS, note_text, state_note
from simulator.web.presenters import js_message_sources

LIMITS = RunnerLimits(run_ms_max=24 * 3_600_000, records_max=200_000, pods_max=500)
CASES = json.loads((Path(__file__).parents[2] / "web" / "state-notes.json").read_text())
"""Notes and their English texts; ``tests/js/playback/clock.test.mjs`` reads the same file."""
NUMBERED = [
    (state_note("quarantined", times=3), "3", "分支"),
    (LIMITS.met(now_ms=LIMITS.run_ms_max, seq=0, pods=0), "24", "模"),
    (LIMITS.met(now_ms=0, seq=200_000, pods=0), "200000", "上限"),
    (LIMITS.met(now_ms=0, seq=0, pods=501), "500", "Pod"),
]


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
@pytest.mark.parametrize(("note", "number", "word"), NUMBERED)
def test_act_on_a_run_that_has_ended_is_refused_in_the_readers_language(language, note, number, word):
    with override(language), pytest.raises(Refused) as refused:
        check_live(Run(state=Run.State.FAILED, state_note=note))
    told = str(refused.value)
    assert number in told and word in told and "This run" not in told


@pytest.mark.parametrize(("note", "text"), CASES)
def test_note_has_the_text_that_the_browser_gives_it(note, text):
    with override("en"):
        assert note_text(note) == text


def test_cases_have_every_code_and_the_scripts_every_text():
    assert [note["code"] for note, _text in CASES] == [*RUN_TEXTS, "other"]
    scripts = {key.removeprefix("ended."): text for key, text in js_message_sources().items() if key.startswith("ended.")}
    assert scripts == RUN_TEXTS


def test_every_end_of_a_run_is_a_code():
    assert {*Run.State.values} - {"live"} <= RUN_TEXTS.keys()


def test_every_end_of_a_job_is_a_code_without_numbers():
    codes = {code for kind in KINDS.values() for code in (kind.too_long, kind.lost, kind.unplayable) if code}
    assert {*codes, "sweep_stopped"} == JOB_TEXTS.keys()
    assert not [text for text in JOB_TEXTS.values() if missing(text, {})]


@pytest.mark.parametrize("language", ["zh-hans", "zh-hant"])
@pytest.mark.parametrize("code", [code for code in (*RUN_TEXTS, *JOB_TEXTS) if not code.startswith("replay")])
def test_text_of_every_code_is_translated(language, code):
    with override(language):
        assert not note_text({"code": code}).isascii()


@pytest.mark.parametrize("note", [{}, {"code": "of_a_later_release", "pods": 3}])
def test_nothing_is_said_of_a_note_without_a_known_code(note):
    assert note_text(note) == ""


@pytest.mark.parametrize(("code", "numbers"), [("no_such_code", {}), ("limit_hours", {}), ("limit_hours", {"pods": 3})])
def test_code_without_its_numbers_is_never_stored(code, numbers):
    with pytest.raises(KeyError):
        state_note(code, **numbers)
