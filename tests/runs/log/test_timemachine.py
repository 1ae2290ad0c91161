import random
from datetime import timedelta

import pytest
from django.utils import timezone

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import Course
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.services.runs import encode_command
from simulator.runs.turns.allowance import StillComputing, granted
from tests.factories import make_content, make_run, pod_json

pytestmark = pytest.mark.django_db
DELETE = DeletePod(target="default/web")


@pytest.fixture(autouse=True)
def _cold():
    timemachine._lines.clear()


def played(until_ms=600_000, commands_ms=(), **fields):
    """A paused run that has reached a moment, with commands already in their places."""
    run = make_run(paused=True, at_ms=until_ms, **fields)
    for n, at_ms in enumerate(commands_ms, start=1):
        run.commands.create(n=n, client_key=str(n), body=encode_command(DELETE), at_ms=at_ms, applied_seq=1)
    course = Course(run.header(), stamped(commands_ms))
    course.drive(until_ms)
    Run.objects.filter(id=run.id).update(head_ms=until_ms, head_seq=course.world.seq)
    run.refresh_from_db()
    return run


def stamped(moments):
    return [Stamped(at_ms=at_ms, n=n, command=DELETE) for n, at_ms in enumerate(moments, start=1)]


def direct(run, ms, commands_ms=()):
    course = Course(run.header(), stamped(commands_ms))
    course.drive(ms)
    return course.world


def test_seek_gives_the_world_of_that_moment():
    run = played()
    assert timemachine.seek(run, ms=45_678).digest() == direct(run, 45_678).digest()


def test_seek_is_the_same_in_whatever_order_moments_are_asked_for():
    run, commands = played(commands_ms=(61_000, 200_000)), (61_000, 200_000)
    moments = [random.Random(5).randrange(600_000) for _ in range(40)]
    for ms in moments:
        assert timemachine.seek(run, ms=ms).digest() == direct(run, ms, commands).digest()


def test_seek_sees_a_command_that_came_after_the_last_seek():
    run = played()
    timemachine.seek(run, ms=600_000)
    run.commands.create(n=1, client_key="k", body=encode_command(DELETE), at_ms=100_000, applied_seq=1)
    assert timemachine.seek(run, ms=300_000).digest() == direct(run, 300_000, (100_000,)).digest()


def test_seek_gives_the_present_when_the_moment_lies_ahead():
    run = played(until_ms=5000)
    assert timemachine.seek(run, ms=999_999).now_ms == 5000


def test_seek_gives_the_beginning_when_no_record_was_written_yet():
    run = played()
    assert timemachine.seek(run, seq=0).now_ms == 0


def test_moment_after_a_record_shows_what_has_happened_since():
    counts = pod_json(command=("sh", "-c", "while true; do date; sleep 1; done"))
    run = played(until_ms=20_000, content=make_content(counts))
    printed = [len(timemachine.seek_shown(run, seq=run.head_seq, ms=ms).tables.logs["default/web", "app"]) for ms in (15_000, 19_000)]
    assert printed[1] == printed[0] + 4


def test_moment_of_a_record_that_is_not_the_last_by_then_is_that_record():
    run = played()
    assert timemachine.seek_shown(run, seq=3, ms=600_000).digest() == timemachine.seek(run, seq=3).digest()


def test_seek_by_number_stops_at_the_step_that_wrote_it():
    run = played(commands_ms=(61_000,))
    for seq in range(1, run.head_seq, max(1, run.head_seq // 20)):
        world = timemachine.seek(run, seq=seq)
        assert world.seq >= seq
        at_ms = next(record.at_ms for record in everything(run, (61_000,)) if record.seq == seq)
        assert world.now_ms == at_ms


def everything(run, commands_ms=()):
    course = Course(run.header(), stamped(commands_ms))
    return [*course.world.first_records, *course.drive(run.head_ms).records]


def test_seek_by_number_gives_the_present_when_there_is_no_such_record():
    run = played(until_ms=5000)
    assert timemachine.seek(run, seq=10**6).seq == run.head_seq


def test_world_may_be_changed_without_harming_the_next_seek():
    run = played()
    timemachine.seek(run, ms=90_000).tables.pods.clear()
    assert timemachine.seek(run, ms=90_000).tables.pods


def test_checkpoints_do_not_grow_without_limit(monkeypatch):
    monkeypatch.setattr(timemachine, "CHECKPOINTS_MAX", 4)
    run = played()
    timemachine.seek(run, ms=600_000)
    assert len(timemachine._lines[run.id.hex].stops) <= 4


def test_checkpoints_of_large_worlds_are_thinned_out_and_let_go(monkeypatch):
    monkeypatch.setattr(timemachine, "ROWS_MAX", 400)
    runs = [played(until_ms=600_000) for _ in range(3)]
    for run in runs:
        timemachine.seek(run, ms=600_000)
    lines = timemachine._lines
    assert list(lines) == [runs[-1].id.hex] or sum(line.rows() for line in lines.values()) <= 400
    assert all(line.rows() <= 200 or len(line.stops) <= 2 for line in lines.values())


def test_past_can_be_seen_when_the_engine_fails_later(monkeypatch):
    run = played(until_ms=20_000)
    drive = Course.drive

    def fail(course, until_ms, **fields):
        assert until_ms <= 20_000, "the engine would fail there"
        return drive(course, until_ms, **fields)

    monkeypatch.setattr(Course, "drive", fail)
    assert timemachine.seek(run, seq=run.head_seq).seq == run.head_seq


def test_seek_does_not_compute_more_than_a_run_may_hold(settings):
    settings.SIM_RUN_RECORDS_MAX = 10
    run = played(until_ms=3_600_000)
    assert timemachine.seek(run, ms=3_600_000).now_ms < 3_600_000


@pytest.fixture
def now_s(monkeypatch):
    """A clock for the time machine, as a list with its seconds."""
    clock = [1000.0]
    monkeypatch.setattr(timemachine, "monotonic", lambda: clock[0])
    return clock


def watched(run, *, seconds_ago):
    Run.objects.filter(id=run.id).update(viewers_seen_at=timezone.now() - timedelta(seconds=seconds_ago))


def test_checkpoints_that_nobody_watches_or_has_asked_for_within_a_minute_are_let_go(now_s):
    forgotten, asked = played(until_ms=1000), played(until_ms=1000)
    for run in (forgotten, asked):
        watched(run, seconds_ago=60)
        timemachine.seek(run, ms=500)
    now_s[0] += 50
    timemachine.seek(asked, ms=500)
    assert timemachine.let_go() == 1
    assert list(timemachine._lines) == [asked.id.hex]


def test_checkpoints_of_a_run_that_somebody_watches_stay(now_s):
    run = played(until_ms=1000)
    timemachine.seek(run, ms=500)
    watched(run, seconds_ago=10)
    now_s[0] += 3600
    assert (timemachine.let_go(), list(timemachine._lines)) == (0, [run.id.hex])


def test_database_is_not_asked_while_all_checkpoints_are_in_use(now_s, django_assert_num_queries):
    timemachine.seek(played(until_ms=1000), ms=500)
    with django_assert_num_queries(0):
        assert timemachine.let_go() == 0


def test_world_of_a_run_that_was_let_go_is_the_same(now_s):
    run = played()
    before = timemachine.seek(run, ms=90_000).digest()
    watched(run, seconds_ago=60)
    now_s[0] += 3600
    assert timemachine.let_go() == 1
    assert timemachine.seek(run, ms=90_000).digest() == before


def test_lines_do_not_grow_without_limit(monkeypatch):
    monkeypatch.setattr(timemachine, "LINES_MAX", 2)
    for _ in range(3):
        timemachine.seek(played(until_ms=1000), ms=500)
    assert len(timemachine._lines) == 2


def test_beginning_of_a_run_is_played_only_until_it_has_checkpoints(monkeypatch):
    begun, beginning = [], timemachine._beginning
    monkeypatch.setattr(timemachine, "_beginning", lambda run: begun.append(run.id) or beginning(run))
    run = played(until_ms=1000)
    for ms in (500, 600):
        timemachine.seek(run, ms=ms)
        assert begun == [run.id]


@pytest.mark.parametrize(("spare", "kept"), [(0, 2), (-1, 1)])
def test_checkpoints_of_several_runs_are_kept_as_far_as_there_is_room(monkeypatch, spare, kept):
    runs = [played(until_ms=1000) for _ in range(2)]
    for run in runs:
        timemachine.seek(run, ms=500)
    lines = [timemachine._lines[run.id.hex] for run in runs]
    monkeypatch.setattr(timemachine, "ROWS_MAX", 2 * (sum(line.held() for line in lines) + spare))
    timemachine._line(runs[1])
    assert len(timemachine._lines) == kept


def test_only_run_keeps_its_checkpoints_however_large(monkeypatch):
    run = played()
    timemachine.seek(run, ms=600_000)
    line = timemachine._lines[run.id.hex]
    monkeypatch.setattr(timemachine, "ROWS_MAX", 1)
    timemachine.seek(run, ms=300_000)
    assert timemachine._lines == {run.id.hex: line}


def test_course_is_without_an_act_that_takes_its_place_while_it_is_made(monkeypatch):
    run = played()
    Run.objects.filter(id=run.id).update(base_ms=700_000, stands_ms=700_000)
    run.refresh_from_db()
    commands_until = timemachine.commands_until

    def later(*args, **fields):
        run.commands.create(n=1, client_key="k", body=encode_command(DELETE), at_ms=650_000, applied_seq=run.head_seq + 1)
        return commands_until(*args, **fields)

    monkeypatch.setattr(timemachine, "commands_until", later)
    course = timemachine.course_from(run, at_ms=700_000)
    course.drive(700_000)
    assert course.world.digest() == direct(run, 700_000).digest()


COUNTS = pod_json(command=("sh", "-c", "while true; do date; sleep 1; done"))


@pytest.mark.parametrize("work", [7, 60, 400])
def test_seek_that_may_not_play_so_far_is_gone_on_with_by_the_next(work):
    """Wherever it is cut, even in the middle of an instant, and with a command on the way."""
    moments = (500_000, 500_001)
    run, tries = played(commands_ms=moments, content=make_content(COUNTS)), 0
    while True:
        tries += 1
        try:
            with granted(work):
                world = timemachine.seek(run, ms=600_000)
            break
        except StillComputing:
            assert tries < 1000
    assert tries > 1 and world.digest() == direct(run, 600_000, moments).digest()


def test_command_that_came_meanwhile_is_not_passed_by():
    run = played(content=make_content(COUNTS))
    with granted(200), pytest.raises(StillComputing):
        timemachine.seek(run, ms=600_000)
    run.commands.create(n=1, client_key="k", body=encode_command(DELETE), at_ms=100, applied_seq=1)
    assert timemachine.seek(run, ms=300_000).digest() == direct(run, 300_000, (100,)).digest()


def test_world_at_hand_is_of_no_record_that_the_log_lacks():
    run = played(content=make_content(COUNTS))
    Run.objects.filter(id=run.id).update(head_seq=40)
    run.refresh_from_db()
    with granted(300), pytest.raises(StillComputing):
        timemachine.seek(run, ms=600_000)
    assert 0 < timemachine.seek_logged(run).seq <= 41
