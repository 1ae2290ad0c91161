"""Lanes as SVG paths. Each tone has its own shape or dash, so that a picture can be read without colours.

Elements have classes (``ln-ready``, ``mk-failure``) but no colours: a page styles them with its tokens, a card with its own style sheet.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.projection.lanes import PROBE, DrawnLane, LaneSpan

LEAST = 1.6
"""No state is drawn narrower than this, so that even brief ones are visible."""
GAP = 0.9
"""The gap between consecutive states, which makes a restart visible if the next instance has the same colour."""
_DASHED = ("starting", "waiting", "backoff")
"""Tones drawn as a thick dashed line."""


class Frame(Struct, frozen=True, kw_only=True):
    """The area where lanes are drawn: from ``left`` to ``left + width``, each lane ``height`` high and ``pitch`` below the previous one."""

    left: float
    top: float
    width: float
    height: float
    pitch: float
    until_ms: Ms

    def x(self, at_ms: Ms) -> float:
        """The x coordinate of a moment."""
        return round(self.left + self.width * min(at_ms, self.until_ms) / max(1, self.until_ms), 1)

    def y(self, row: int) -> float:
        """The y coordinate of a lane's top edge."""
        return round(self.top + row * self.pitch, 1)


def paths(lanes: Sequence[DrawnLane], frame: Frame) -> list[str]:
    """The elements of all lanes: one path per tone and per probe result, so that a picture with many spans stays small."""
    shapes: dict[str, list[str]] = {}
    for row, lane in enumerate(lanes):
        if lane.kind == PROBE:
            _marks(lane, frame, frame.y(row), shapes)
            continue
        for span in lane.spans:
            shapes.setdefault(f"ln-{span.tone}", []).append(_shape(span, frame, frame.y(row)))
    return [f'<path class="{name}"{_thick(name, frame)} d="{"".join(parts)}"/>' for name, parts in sorted(shapes.items())]


def _thick(name: str, frame: Frame) -> str:
    """The stroke width of dashed tones, which is the height of a bar."""
    return f' stroke-width="{_n(frame.height)}"' if name.removeprefix("ln-") in _DASHED else ""


def baselines(lanes: Sequence[DrawnLane], frame: Frame) -> str:
    """A thin line under each lane, visible where it has no state."""
    lines = (f"M{_n(frame.left)} {_n(frame.y(row) + frame.height - 0.5)}h{_n(frame.width)}" for row in range(len(lanes)))
    return f'<path class="ln-base" d="{"".join(lines)}"/>'


def _shape(span: LaneSpan, frame: Frame, y: float) -> str:
    x0, x1 = frame.x(span.begin_ms), frame.x(span.end_ms)
    x1, h = max(x1 - GAP if x1 - x0 > 3 else x1, x0 + LEAST), frame.height
    if span.tone in _DASHED:
        return f"M{_n(x0)} {_n(y + h / 2)}H{_n(x1)}"
    if span.tone == "notready":
        return _box(x0, x1, y + h * 0.4, h * 0.6)
    if span.tone == "terminating":
        return _polygon(((x0, y), (x1, y + h * 0.55), (x1, y + h), (x0, y + h)))
    if span.tone == "failed" and x1 - x0 > h / 2:
        return _polygon(((x0, y), (x1, y), (x1 - h / 3, y + h / 2), (x1, y + h), (x0, y + h)))
    if span.tone == "succeeded" and x1 - x0 > 6:
        return _box(x0, x1 - 3, y, h) + _box(x1 - 1.5, x1, y, h)
    return _box(x0, x1, y, h)


def _box(x0: float, x1: float, y: float, h: float) -> str:
    return _polygon(((x0, y), (x1, y), (x1, y + h), (x0, y + h)))


def _marks(lane: DrawnLane, frame: Frame, y: float, shapes: dict[str, list[str]]) -> None:
    """Add a probe's attempts: a low tick for a success, a full one for a failure, a box for a timeout. Touching marks are merged."""
    last: dict[str, float] = {}
    h = frame.height
    for mark in lane.marks:
        x = frame.x(mark.at_ms)
        if mark.at_ms > frame.until_ms or x - last.get(mark.result, -9) < LEAST + 1:
            continue
        last[mark.result] = x
        box = f"M{_n(x - 1.5)} {_n(y + h * 0.25)}h3v{_n(h * 0.5)}h-3z"
        tick = {"failure": f"M{_n(x)} {_n(y)}v{_n(h)}", "timeout": box, "error": box}
        low = f"M{_n(x)} {_n(y + h * 0.6)}v{_n(h * 0.4)}"
        shapes.setdefault(f"mk-{mark.result}", []).append(tick.get(mark.result, low))


def _polygon(points: Iterable[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points) + "Z"


def _n(value: float) -> str:
    return f"{round(value, 1):g}"
