"""Lanes as paths: the shape of each state."""

import pytest

from simulator.engine.projection.lanes import DrawnLane, LaneSpan
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
