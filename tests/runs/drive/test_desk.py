"""What an owner stores of its clock, and what it stores no more."""

from types import SimpleNamespace

import pytest

from simulator.models import Run
from simulator.runs.drive import desk
from simulator.runs.log.pacing import Pacer
from simulator.runs.log.storage import LostLease
from simulator.runs.state_notes import state_note
from tests.factories import make_run, own

pytestmark = pytest.mark.django_db


def settled(run, *, epoch, controls=0, is_paused=False, steps=0, **how):
    pacer = Pacer(base_ms=5000, base_wall_ms=1_800_000_000_000, is_paused=is_paused, end_ms=10**9)
    found = desk.settle(run.id, epoch=epoch, inbox=SimpleNamespace(controls=controls), pacer=pacer, steps=steps, **how)
    run.refresh_from_db()
    return found


@pytest.mark.parametrize(
    ("is_paused", "how", "stored"),
    [
        (False, {}, (False, None)),
        (True, {}, (True, None)),
        (True, {"is_idle": True}, (True, 0)),
        (True, {"rests": True}, (False, 0)),
        (False, {"rests": True}, (False, 0)),
    ],
)
def test_clock_that_rests_is_not_stored_as_paused(is_paused, how, stored):
    run = make_run()
    assert settled(run, epoch=own(run), is_paused=is_paused, **how)
    assert (run.is_paused, run.idle_as_of, run.base_ms, run.stands_ms) == (*stored, 5000, 5000)
    assert run.driven_at is not None


@pytest.mark.parametrize(("epoch", "controls", "is_stored", "steps"), [(0, 0, True, 2), (0, 1, False, 2), (1, 0, False, 0)])
def test_clock_is_stored_by_the_owner_that_has_seen_its_last_move_and_steps_count_in_any_case(epoch, controls, is_stored, steps):
    run = make_run()
    Run.objects.filter(id=run.id).update(base_ms=7)
    assert settled(run, epoch=own(run) + epoch, controls=controls, steps=2) is is_stored
    assert (run.base_ms, run.steps_done) == (5000 if is_stored else 7, steps)


def test_run_is_closed_by_its_owner_alone():
    run = make_run()
    epoch, note = own(run), state_note("limit_hours", hours=24)
    with pytest.raises(LostLease):
        desk.close(run.id, epoch=epoch + 1, state="limit", note=note)
    desk.close(run.id, epoch=epoch, state="limit", note=note)
    run.refresh_from_db()
    assert (run.state, run.state_note) == ("limit", note)
