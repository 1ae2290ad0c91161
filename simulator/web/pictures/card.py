"""The preview card of a run, a moment or a story: its lanes with the playhead, for chats and social sites (``og:image``).

Drawn as SVG and converted to PNG by resvg, a single wheel without system libraries (CairoSVG would need libcairo on every server). It uses
the system's fonts: without a Chinese one, Chinese titles have no glyphs (docs/sharing.md).
"""

from collections.abc import Sequence
from unicodedata import east_asian_width

import resvg_py
from django.utils.html import escape
from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.engine.projection.lanes import CONTAINER, PROBE, STATUS, DrawnLane
from simulator.web.base.caches import PNGS
from simulator.web.pictures.bars import Frame, baselines, paths
from simulator.web.pictures.palette import colours, lane_sheet
from simulator.web.presenters import clock_text

WIDTH, HEIGHT = 1200, 630
"""The size recommended for og:image."""
ROWS_MAX = 7
_LEFT, _RIGHT, _LABELS, _TOP, _BOTTOM = 60, 60, 220, 236, 84
_PITCH_MAX = 76
_FONTS = "Inter, 'Noto Sans', 'DejaVu Sans', 'Noto Sans CJK SC', 'Noto Sans CJK TC', 'WenQuanYi Zen Hei', sans-serif"
_LARGER = """
.ln-starting { stroke-dasharray: 7 2 } .ln-waiting { stroke-dasharray: 3 6 } .ln-backoff { stroke-dasharray: 14 5 }
.mk-success { stroke-width: 3 } .mk-failure { stroke-width: 4 } .mk-suppressed { stroke-width: 2 }
.mk-timeout, .mk-error { stroke-width: 2.5 }
"""
"""Adjusts lines that were designed for a thumbnail of a quarter of the size."""
_TICKS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800)
"""The possible intervals between two numbers on the ruler, in seconds."""


class PreviewCard(Struct, frozen=True):
    """The content of a card. ``at_ms`` is the moment shown; None if the card is about the whole run."""

    title: str
    facts: str
    lanes: tuple[DrawnLane, ...]
    until_ms: Ms
    at_ms: Ms | None = None
    theme: str = "dark"


def card_svg(card: PreviewCard) -> str:
    """The card as an SVG document of WIDTH by HEIGHT."""
    top = _TOP + (28 if len(_title_lines(card)) > 1 else 0)
    room = HEIGHT - top - _BOTTOM
    pitch = min(_PITCH_MAX, room / max(1, len(card.lanes)))
    frame = Frame(
        left=_LEFT + _LABELS,
        top=top + (room - pitch * len(card.lanes)) / 2,
        width=WIDTH - _LEFT - _LABELS - _RIGHT,
        height=pitch * 0.66,
        pitch=pitch,
        until_ms=card.until_ms,
    )
    known = colours(card.theme)
    inside = [*_head(card, known), baselines(card.lanes, frame), *paths(card.lanes, frame), *_words(card.lanes, frame, known)]
    inside += [*_ruler(frame, known), *_playhead(card, frame, known)]
    box = f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{known["bg"]}"/>'
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{_FONTS}">{box}{"".join(inside)}</svg>'


def card_png(card: PreviewCard) -> bytes:
    """The card as PNG, about 60 kB. Costs 50 to 150 ms the first time."""
    svg = card_svg(card)
    return PNGS.of((svg, card.theme), lambda: _png(svg, card.theme))


def _png(svg: str, theme: str) -> bytes:
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, style_sheet=lane_sheet(theme) + _LARGER))


def _head(card: PreviewCard, known: dict[str, str]) -> list[str]:
    """The mark, the facts and the title in one or two lines."""
    lines = _title_lines(card)
    y = 148 if len(lines) > 1 else 168
    mark = f'<rect x="{_LEFT}" y="48" width="18" height="18" rx="5" fill="{known["st-ready"]}"/>'
    mark += f'<rect x="{_LEFT + 22}" y="48" width="10" height="18" rx="5" fill="{known["st-failed"]}"/>'
    parts = [mark, _text(_LEFT + 44, 65, "Podscope", 26, known["text"], weight=700)]
    parts.append(_text(WIDTH - _RIGHT, 65, card.facts, 24, known["muted"], anchor="end"))
    return [*parts, *(_text(_LEFT, y + 60 * n, line, 52, known["text"], weight=700) for n, line in enumerate(lines))]


def _title_lines(card: PreviewCard) -> list[str]:
    return _lines(card.title, size=52, room=WIDTH - _LEFT - _RIGHT)


def _words(lanes: Sequence[DrawnLane], frame: Frame, known: dict[str, str]) -> list[str]:
    """The names in front of the lanes, and Kubernetes' names for the states inside the bars if there is room."""
    parts = []
    for row, lane in enumerate(lanes):
        y = frame.y(row) + frame.height / 2
        indent = 22 if lane.kind in (CONTAINER, PROBE) else 0
        size = min(22, frame.height * 0.66)
        name = _squeezed(lane.name, size=size, room=_LABELS - indent - 16)
        ink = known["text" if lane.kind == STATUS else "muted"]
        parts.append(_text(_LEFT + indent, y + size * 0.36, name, size, ink, weight=600 if lane.kind == STATUS else 400))
        for span in lane.spans if lane.kind != PROBE else ():
            x0, x1 = frame.x(span.begin_ms), frame.x(span.end_ms)
            size = min(20, frame.height * 0.6)
            if _width(span.word, size) + 20 <= x1 - x0:
                parts += _in_bar(span.word, span.tone, x0 + 10, y, size, known)
    return parts


def _in_bar(word: str, tone: str, x: float, y: float, size: float, known: dict[str, str]) -> list[str]:
    """A word on its bar; dashed bars get a plain background for it."""
    ink, fill = known.get(f"st-{tone}-ink", known["text"]), known.get(f"st-{tone}")
    text = _text(x, y + size * 0.36 + (size * 0.35 if tone == "notready" else 0), word, size, ink, weight=600)
    if tone not in ("starting", "waiting", "backoff") or fill is None:
        return [text]
    width = _width(word, size) + 12
    return [f'<rect x="{x - 6:g}" y="{y - size * 0.65:g}" width="{width:g}" height="{size * 1.3:g}" fill="{fill}"/>', text]


def _ruler(frame: Frame, known: dict[str, str]) -> list[str]:
    """Round moments under the lanes."""
    # At most seven steps, so that the numbers do not overlap.
    step = next((tick for tick in _TICKS if frame.until_ms / 1000 / tick <= 7), _TICKS[-1] * 2)
    y = HEIGHT - 44
    moments = range(0, frame.until_ms // 1000 + 1, step)
    return [
        _text(frame.x(s * 1000), y, f"{s // 60}:{s % 60:02d}", 20, known["faint"], anchor="start" if s == 0 else "middle") for s in moments
    ]


def _playhead(card: PreviewCard, frame: Frame, known: dict[str, str]) -> list[str]:
    """The playhead at the shown moment; everything after it is veiled."""
    if card.at_ms is None:
        return []
    x, top, foot = frame.x(card.at_ms), round(frame.top - 14), HEIGHT - _BOTTOM + 14
    veil = f'<rect x="{x:g}" y="{top}" width="{WIDTH - _RIGHT - x:g}" height="{foot - top}" fill="{known["bg"]}" fill-opacity="0.62"/>'
    line = f'<path d="M{x:g} {top}V{foot}" stroke="{known["accent"]}" stroke-width="3"/>'
    label = clock_text(card.at_ms)
    width = _width(label, 22) + 24
    left = min(max(x - width / 2, frame.left), WIDTH - _RIGHT - width)
    chip = f'<rect x="{left:g}" y="{top - 36}" width="{width:g}" height="36" rx="8" fill="{known["accent"]}"/>'
    return [veil, line, chip, _text(left + width / 2, top - 10, label, 22, known["accent-ink"], weight=700, anchor="middle")]


def _text(x: float, y: float, words: str, size: float, ink: str, *, weight: int = 400, anchor: str = "start") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" text-anchor="{anchor}" fill="{ink}">{escape(words)}</text>'
    )


def _width(words: str, size: float) -> float:
    """The approximate width of a text, estimated generously because it cannot be measured."""
    return sum(1.0 if east_asian_width(letter) in "WF" else 0.64 for letter in words) * size


def _cut(words: str, *, size: float, room: float) -> str:
    if _width(words, size) <= room:
        return words
    while words and _width(words + "…", size) > room:
        words = words[:-1]
    return words + "…"


def _squeezed(name: str, *, size: float, room: float) -> str:
    """A name that is too long, shortened in the middle: pods of one set differ at the end."""
    if _width(name, size) <= room:
        return name
    letters = max(6, int(room / size / 0.64) - 1)
    return f"{name[: letters // 2]}…{name[-(letters - letters // 2) :]}"


def _lines(words: str, *, size: float, room: float) -> list[str]:
    """One line, or two if it does not fit; the second is truncated."""
    if _width(words, size) <= room:
        return [words]
    # Chinese has no spaces to break at: break at any character.
    pieces = words.split(" ") if " " in words else list(words)
    glue, first = (" ", "") if " " in words else ("", "")
    while pieces and _width(f"{first}{glue}{pieces[0]}", size) <= room:
        first = f"{first}{glue}{pieces.pop(0)}" if first else pieces.pop(0)
    if not first:
        return [_cut(words, size=size, room=room)]
    return [first, _cut(glue.join(pieces), size=size, room=room)]
