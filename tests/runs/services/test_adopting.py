"""Whether a run that another revision recorded can go on under today's rules."""

from types import SimpleNamespace

import pytest

from simulator.engine.course.header import REVISION
from simulator.models import Run
from simulator.runs.services import runs
from tests.factories import make_run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("is_frozen", "is_kept", "repeats", "adopted"),
    [(False, True, True, True), (False, True, False, False), (False, False, False, True), (True, True, True, False)],
)
def test_run_is_adopted_if_todays_rules_repeat_it_or_nothing_is_recorded(monkeypatch, is_frozen, is_kept, repeats, adopted):
    run = make_run()
    Run.objects.filter(id=run.id).update(revision=REVISION - 1, state=Run.State.RECORDED, is_frozen=is_frozen)
    run.refresh_from_db()
    monkeypatch.setattr(runs, "is_kept", lambda run: is_kept)
    monkeypatch.setattr(runs, "timemachine", SimpleNamespace(repeats=lambda run: repeats))
    assert runs.run_adopt(run=run) is adopted
    assert (run.revision, run.state) == ((REVISION, Run.State.LIVE) if adopted else (REVISION - 1, Run.State.RECORDED))


@pytest.mark.parametrize("is_frozen", [True, False])
def test_run_of_this_revision_needs_nothing(is_frozen):
    run = make_run()
    run.is_frozen = is_frozen
    assert runs.run_adopt(run=run)
