"""The layout of a sweep's chart for a template: one column per value, from least to most with the median, on an axis with round numbers."""

from math import floor, log10
from typing import Any

from django.utils.translation import gettext as _

from simulator.headless.sweeps.outcomes import SPAN
from simulator.headless.sweeps.sweep import Summary
from simulator.headless.sweeps.table import number_text

WIDTH, HEIGHT = 760, 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 28, 44
TICKS = 5
LABELS_MAX = 16
"""At most this many values are labelled on the axis; if there are more, only some are."""


def chart_of(rows: tuple[Summary, ...], unit: str) -> dict[str, Any]:
    """Columns, axis and the line of medians, in the units of the view box. Needs at least one row."""
    scale = 1000 if unit == SPAN else 1
    ticks = _ticks(max((row.most or 0 for row in rows), default=0) / scale, whole=unit != SPAN)
    top = ticks[-1] * scale
    width = (WIDTH - LEFT - RIGHT) / len(rows)
    every = -(-len(rows) // LABELS_MAX)
    columns = [_column(row, n, width, top, unit) | {"is_labelled": n % every == 0} for n, row in enumerate(rows)]
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "base": HEIGHT - BOTTOM,
        "top": TOP,
        "ticks": [{"y": _y(tick * scale, top), "text": f"{tick:g} s" if unit == SPAN else f"{tick:g}"} for tick in ticks],
        "columns": columns,
        "line": " ".join(f"{column['x']},{column['middle']}" for column in columns if column["middle"] is not None),
        "has_refused": any(column["refused"] for column in columns),
        "has_never": any(column["never"] or column["problem"] for column in columns),
    }


def _column(row: Summary, number: int, width: float, top: float, unit: str) -> dict[str, Any]:
    is_there = row.least is not None and row.most is not None and row.middle is not None
    return {
        "number": number,
        "row": row,
        "x": round(LEFT + (number + 0.5) * width, 1),
        "left": round(LEFT + (number + 0.5) * width - 5, 1),
        "label": _label(row, unit),
        "from": round(LEFT + number * width, 1),
        "width": round(width, 1),
        "least": _y(row.least, top) if is_there else None,
        "middle": _y(row.middle, top) if is_there else None,
        "most": _y(row.most, top) if is_there else None,
        "never": row.measured - row.happened if unit == SPAN else 0,
        "problem": row.problem,
        "refused": row.refused,
    }


def _label(row: Summary, unit: str) -> str:
    """The description of a column."""
    if row.problem and not row.measured:
        return f"{row.value}: {row.problem}"
    if row.refusal is not None and not row.measured:
        return f"{row.value}: {row.refusal.words}"
    texts = {name: number_text(getattr(row, name), unit) for name in ("least", "middle", "most")}
    said = {"value": row.value, "happened": row.happened, "measured": row.measured, **texts}
    return _("%(value)s: median %(middle)s, from %(least)s to %(most)s; happened in %(happened)d of %(measured)d runs") % said


def _y(value: float | None, top: float) -> float:
    return round(HEIGHT - BOTTOM - (value or 0) / top * (HEIGHT - BOTTOM - TOP), 1)


def _ticks(most: float, *, whole: bool) -> list[float]:
    """Round numbers from 0 to at least ``most``, about TICKS of them."""
    if most <= 0:
        return [0, 1]
    rough = most / TICKS
    power = 10 ** floor(log10(rough))
    # Steps of 1, 2 or 5 times a power of ten; the factor just below 1 allows for rounding.
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    step = max(step, 1) if whole else step
    count = 1
    while count * step < most * 0.999:
        count += 1
    return [round(step * n, 6) for n in range(count + 1)]
