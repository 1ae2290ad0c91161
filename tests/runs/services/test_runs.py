from datetime import timedelta

import pytest
from django.utils import timezone

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.drive import lease
from simulator.runs.log.clock import moment_of
from simulator.runs.services import runs
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from tests.factories import OWNER, STRANGER, drive, make_content, make_run, pod_json

pytestmark = pytest.mark.django_db
DELETE = DeletePod(target="default/web")


def control(run, do, owner_key=OWNER, **fields):
    runs.run_control(run=run, owner_key=owner_key, do=do, **fields)
    run.refresh_from_db()


@pytest.fixture
def wall(monkeypatch):
    now = [1_700_000_000_000]
    for module in ("simulator.runs.services.runs", "simulator.runs.log.clock"):
        monkeypatch.setattr(f"{module}.wall_ms", lambda: now[0])
    return now


def given(run):
    return [(row.at_ms, row.client_key) for row in run.commands.order_by("n")]


def test_run_create_is_refused_when_there_are_too_many_objects(settings):
    settings.SIM_RUN_PODS_MAX = 1
    with pytest.raises(LimitReached):
        make_run(content=make_content(pod_json("a"), pod_json("b")))
    assert make_run(content=make_content(pod_json("a"))).id


def test_run_create_keeps_given_commands_up_to_the_moment():
    commands = (Stamped(at_ms=1000, n=1, command=DELETE), Stamped(at_ms=5000, n=2, command=DELETE))
    content = make_content()
    run = make_run(content=type(content)(header=content.header, commands=commands, until_ms=9000), at_ms=2000)
    assert (given(run), run.base_ms) == ([(1000, "given-1")], 2000)


def test_new_run_wakes_its_owner(monkeypatch, django_capture_on_commit_callbacks):
    woken = []
    monkeypatch.setattr(runs.announce, "wake", woken.append)
    with django_capture_on_commit_callbacks(execute=True):
        run = make_run()
    assert woken == [run.id]


def test_run_stores_only_a_hash_of_its_owners_key():
    assert OWNER not in str(Run.objects.filter(id=make_run().id).values())


def test_pause_keeps_the_moment(wall):
    run = make_run()
    drive(run)
    wall[0] += 3000
    control(run, "pause")
    assert (run.is_paused, run.base_ms) == (True, 3000)


def test_pause_keeps_the_moment_shown_when_no_owner_is_alive(wall):
    run = make_run()
    drive(run, shown_ms=2000)
    Run.objects.filter(id=run.id).update(driven_at=None)
    wall[0] += 150_000
    control(run, "pause")
    assert (run.is_paused, run.base_ms) == (True, 2000)


def test_clock_of_a_run_let_go_unwatched_stands_until_somebody_drives_it_again(wall):
    run = make_run()
    lease.release(run.id, epoch=drive(run, shown_ms=2000), sign=None)
    wall[0] += 60_000
    runs.run_attend(run_id=run.id)
    wall[0] += 60_000
    run.refresh_from_db()
    assert moment_of(run) == 2000


@pytest.mark.parametrize(("after_s", "is_kept"), [(0, True), (5, False)])
def test_run_whose_last_page_closed_is_kept_for_a_reload_only(after_s, is_kept, settings):
    run = make_run()
    runs.run_attend(run_id=run.id)
    runs.run_leave(run_id=run.id)
    run.refresh_from_db()
    kept_until = run.viewers_seen_at + timedelta(seconds=settings.SIM_UNWATCHED_RELEASE_S)
    assert (kept_until > timezone.now() + timedelta(seconds=after_s)) == is_kept


def test_play_goes_on_from_the_pause(wall):
    run = make_run(paused=True)
    wall[0] += 60_000
    control(run, "play")
    assert (run.is_paused, run.base_ms) == (False, 0)


def test_rate_is_kept_within_its_limits(settings):
    run = make_run()
    control(run, "rate", rate_permille=10_000_000)
    assert run.rate_permille == settings.SIM_RATE_PERMILLE_MAX


def test_step_asks_for_one_step_and_pauses():
    run = make_run()
    control(run, "step")
    assert (run.is_paused, run.steps_asked) == (True, 1)


def test_run_to_moves_the_clock(wall):
    run = make_run(paused=True)
    control(run, "run_to", to_ms=90_000)
    assert run.base_ms == 90_000


def test_run_to_the_moment_at_which_the_clock_stands_is_no_past(wall):
    run = make_run(at_ms=5000, paused=True)
    control(run, "run_to", to_ms=5000)
    assert run.base_ms == 5000


def test_run_to_is_refused_when_the_moment_is_past(wall):
    run = make_run(at_ms=5000)
    with pytest.raises(Refused):
        control(run, "run_to", to_ms=4999)


def test_control_is_refused_when_a_stranger_asks():
    with pytest.raises(NotAllowed):
        control(make_run(), "pause", owner_key=STRANGER)


@pytest.mark.parametrize(("owner_key", "may_write"), [(OWNER, False), ("", True)])
def test_control_by_a_key_is_refused_when_it_only_reads_and_on_a_frozen_run(owner_key, may_write):
    with pytest.raises(NotAllowed):
        runs.run_control_by_key(run=make_run(owner_key=owner_key), may_write=may_write, do="play")


def test_control_is_refused_when_the_run_has_ended():
    run = make_run()
    Run.objects.filter(id=run.id).update(state=Run.State.LIMIT)
    with pytest.raises(Refused):
        control(run, "play")


def test_control_is_refused_when_it_does_not_exist():
    with pytest.raises(Refused):
        control(make_run(), "explode")


def branched(run, **fields):
    return runs.run_branch(parent=run, owner_key=STRANGER, **fields)


@pytest.fixture
def parent():
    run = make_run(at_ms=60_000)
    for n, (at_ms, seq) in enumerate([(1000, 10), (2000, 20), (2000, 25), (3000, 30)], start=1):
        run.commands.create(n=n, client_key=str(n), body=runs.encode_command(DELETE), at_ms=at_ms, applied_seq=seq)
    return run


def test_branch_copies_the_commands_before_its_moment(parent):
    assert [at_ms for at_ms, _ in given(branched(parent, at_ms=1500))] == [1000]


def test_branch_leaves_out_commands_of_the_instant_that_follow_its_record(parent):
    assert [at_ms for at_ms, _ in given(branched(parent, at_ms=2000, at_seq=22))] == [1000, 2000]


def test_branch_leaves_its_parent_alone(parent):
    branched(parent, at_ms=1500)
    assert parent.commands.count() == 4


def test_branch_belongs_to_whoever_made_it(parent):
    run = branched(parent, at_ms=1500)
    with pytest.raises(NotAllowed):
        control(run, "pause", owner_key=OWNER)


def test_branch_begins_at_the_present_when_its_moment_lies_ahead(parent, wall):
    assert branched(parent, at_ms=80_000_000).base_ms < 80_000_000


def test_branch_is_refused_when_its_record_does_not_exist(parent):
    with pytest.raises(Refused):
        branched(parent, at_seq=999)


def test_branch_is_the_same_one_when_its_key_comes_again(parent):
    first = branched(parent, at_ms=1500, branch_key="k")
    assert branched(parent, at_ms=1500, branch_key="k") == first
