"""Why a run has ended, in the reader's language: what is stored is English with its numbers filled in."""

import pytest
from django.utils.translation import override

from simulator.models import Run
from simulator.runs.drive.limits import RunnerLimits
from simulator.runs.drive.pool import FAILED
from simulator.runs.services.errors import Refused
from simulator.runs.services.runs import check_live
from simulator.runs.state_notes import QUARANTINED, note_text

LIMITS = RunnerLimits(run_ms_max=24 * 3_600_000, records_max=200_000, pods_max=500)
NUMBERED = [
    (QUARANTINED % {"times": 3}, "3", "接手"),
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


@pytest.mark.parametrize("note", [note for note, *_ in NUMBERED])
def test_note_with_a_number_stays_as_it_is_in_english(note):
    with override("en"):
        assert note_text(note) == note


def test_note_without_a_number_is_translated():
    with override("zh-hans"):
        assert "模拟失败" in note_text(FAILED)


@pytest.mark.parametrize("note", ["", "Something else ended 3 runs."])
def test_note_nobody_knows_is_told_as_it_is(note):
    with override("zh-hans"):
        assert note_text(note) == note
