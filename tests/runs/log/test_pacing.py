from simulator.runs.log.pacing import Pacer

WALL = 1_000_000


def make_pacer(**fields):
    return Pacer(**({"base_ms": 0, "base_wall_ms": WALL, "end_ms": 86_400_000} | fields))


def test_pacer_shows_the_wall_time_passed_when_at_real_speed():
    assert make_pacer().now_ms(WALL + 1500) == 1500


def test_pacer_multiplies_when_faster():
    assert make_pacer(rate_permille=4000).now_ms(WALL + 1000) == 4000


def test_pacer_stands_still_when_paused():
    assert make_pacer(base_ms=700, is_paused=True).now_ms(WALL + 9999) == 700


def test_pacer_does_not_run_back_when_the_wall_clock_is_set_back():
    assert make_pacer(base_ms=700).now_ms(WALL - 5000) == 700


def test_pacer_stops_when_the_end_is_reached():
    assert make_pacer(end_ms=2000).now_ms(WALL + 9999) == 2000


def test_pacer_does_not_jump_when_the_speed_changes():
    changed = make_pacer().changed(WALL + 1000, rate_permille=60_000)
    assert (changed.now_ms(WALL + 1000), changed.now_ms(WALL + 1100)) == (1000, 7000)


def test_pacer_goes_on_from_where_it_stood_when_started_again():
    stopped = make_pacer().changed(WALL + 1000, is_paused=True)
    assert stopped.changed(WALL + 5000, is_paused=False).now_ms(WALL + 5500) == 1500


def test_pacer_shows_the_new_moment_when_moved():
    assert make_pacer().moved(60_000, WALL + 10).now_ms(WALL + 10) == 60_000


def test_wait_ends_exactly_when_the_moment_shows():
    pacer = make_pacer(rate_permille=3000)
    wait = pacer.wait_ms(1000, WALL)
    assert pacer.now_ms(WALL + wait) >= 1000 > pacer.now_ms(WALL + wait - 1)


def test_wait_is_none_when_paused():
    assert make_pacer(is_paused=True).wait_ms(1, WALL) is None


def test_wait_is_none_when_the_moment_lies_beyond_the_end():
    assert make_pacer(end_ms=5000).wait_ms(5001, WALL) is None


def test_wait_is_zero_when_the_moment_is_past():
    assert make_pacer(base_ms=50).wait_ms(50, WALL) == 0


def test_behind_is_wall_time_when_the_world_trails():
    assert make_pacer(rate_permille=10_000).behind_ms(0, WALL + 300) == 300


def test_wait_is_none_for_a_moment_to_come_of_a_stopped_clock_and_zero_for_the_one_that_it_shows():
    stopped = make_pacer(base_ms=50, is_paused=True)
    assert [stopped.wait_ms(ms, WALL) for ms in (49, 50, 51)] == [0, 0, None]


def test_wait_for_the_last_moment_has_an_end():
    assert make_pacer(end_ms=5000).wait_ms(5000, WALL) == 5000


def test_world_ahead_of_the_clock_is_not_behind():
    assert make_pacer().behind_ms(900, WALL + 300) == 0


def test_stopped_clock_shows_no_moment_behind_the_end():
    assert make_pacer(base_ms=700, end_ms=600, is_paused=True).now_ms(WALL) == 600


def test_change_keeps_what_it_does_not_name():
    changed = make_pacer(rate_permille=4000, is_paused=True).changed(WALL)
    assert (changed.rate_permille, changed.is_paused) == (4000, True)
