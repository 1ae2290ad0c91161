"""Lanes as paths: the shape of each state."""

import pytest

from simulator.engine.projection.lanes import PROBE, DrawnLane, LaneMark, LaneSpan
from simulator.web.pictures.bars import Frame, paths

FRAME = Frame(left=0, top=0, width=100, height=10, pitch=20, until_ms=100)


def drawn(tone: str, begin_ms: int = 0, end_ms: int = 50) -> str:
    """The path of a lane with only this state, which is 49.1 wide and 10 high."""
    span = LaneSpan(begin_ms=begin_ms, end_ms=end_ms, tone=tone, word="")
    (path,) = paths([DrawnLane(kind="pod", subject="pod/a/b", owner="pod/a/b", name="b", spans=(span,))], FRAME)
    return path.partition(' d="')[2].removesuffix('"/>')


@pytest.mark.parametrize(
    ("tone", "path"),
    [
        ("ready", "M0 0L49.1 0L49.1 10L0 10Z"),
        ("notready", "M0 4L49.1 4L49.1 10L0 10Z"),
        ("terminating", "M0 0L49.1 5.5L49.1 10L0 10Z"),
        ("failed", "M0 0L49.1 0L45.8 5L49.1 10L0 10Z"),
        ("succeeded", "M0 0L46.1 0L46.1 10L0 10ZM47.6 0L49.1 0L49.1 10L47.6 10Z"),
        ("backoff", "M0 5H49.1"),
    ],
)
def test_tone_has_a_shape_of_its_own(tone: str, path: str) -> None:
    assert drawn(tone) == path


@pytest.mark.parametrize("tone", ["failed", "succeeded"])
def test_short_state_is_a_plain_box(tone: str) -> None:
    assert drawn(tone, 0, 5) == "M0 0L4.1 0L4.1 10L0 10Z"


def test_state_of_a_moment_is_seen() -> None:
    assert drawn("ready", 20, 20) == "M20 0L21.6 0L21.6 10L20 10Z"


def marked(*marks: tuple[int, str], pixels: int = 100) -> dict[str, str]:
    """The paths of a probe's attempts by result; a millisecond is a pixel."""
    found = [LaneMark(at_ms, result) for at_ms, result in marks]
    frame = Frame(left=0, top=0, width=pixels, height=10, pitch=20, until_ms=pixels)
    drawn = paths([DrawnLane(PROBE, "probe/a/b/c/liveness", "pod/a/b", "liveness", (), tuple(found))], frame)
    return {path.partition('class="')[2].partition('"')[0]: path.partition(' d="')[2].removesuffix('"/>') for path in drawn}


@pytest.mark.parametrize(
    ("result", "path"),
    [
        ("success", "M10 6v4"),
        ("failure", "M10 0v10"),
        ("timeout", "M8.5 2.5h3v5h-3z"),
        ("error", "M8.5 2.5h3v5h-3z"),
        ("suppressed", "M10 6v4"),
    ],
)
def test_attempt_of_a_probe_has_a_mark_for_its_result(result: str, path: str) -> None:
    assert marked((10, result)) == {f"mk-{result}": path}


@pytest.mark.parametrize(("at_ms", "is_drawn"), [(100, True), (101, False)])
def test_attempt_behind_the_end_is_not_drawn(at_ms: int, is_drawn: bool) -> None:
    assert bool(marked((at_ms, "failure"))) is is_drawn


@pytest.mark.parametrize(("apart", "count"), [(2, 1), (3, 2)])
def test_marks_that_touch_are_one_unless_their_results_differ(apart: int, count: int) -> None:
    assert marked((10, "failure"), (10 + apart, "failure"))["mk-failure"].count("M") == count
    assert len(marked((10, "failure"), (10 + apart, "success"))) == 2


def test_first_attempt_is_drawn_at_the_very_beginning() -> None:
    assert marked((0, "failure")) == {"mk-failure": "M0 0v10"}


@pytest.mark.parametrize(("tone", "is_thick"), [("backoff", True), ("waiting", True), ("ready", False), ("failed", False)])
def test_dashed_state_is_as_thick_as_a_bar(tone: str, is_thick: bool) -> None:
    span = LaneSpan(begin_ms=0, end_ms=50, tone=tone, word="")
    (path,) = paths([DrawnLane("pod", "pod/a/b", "pod/a/b", "b", (span,))], FRAME)
    assert ('stroke-width="10"' in path) is is_thick


def test_moment_behind_the_end_is_drawn_at_the_end() -> None:
    frame = Frame(left=10, top=5, width=100, height=10, pitch=20, until_ms=1000)
    assert [frame.x(ms) for ms in (0, 500, 1000, 2000)] == [10, 60, 110, 110] and [frame.y(row) for row in (0, 2)] == [5, 45]
    assert Frame(left=0, top=0, width=100, height=10, pitch=20, until_ms=0).x(0) == 0


@pytest.mark.parametrize(("at_ms", "count"), [(25, 1), (26, 2)])
def test_marks_have_just_enough_room_from_where_they_do_not_touch(at_ms: int, count: int) -> None:
    frame = Frame(left=0, top=0, width=100, height=10, pitch=20, until_ms=1000)
    lane = DrawnLane(PROBE, "probe/a/b/c/liveness", "pod/a/b", "liveness", (), (LaneMark(0, "failure"), LaneMark(at_ms, "failure")))
    (path,) = paths([lane], frame)
    assert path.count("M") == count
