"""Print a sweep to a terminal: a table with a small chart, or JSON."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from simulator.headless.sweeps.outcomes import SPAN
from simulator.headless.sweeps.sweep import Summary, SweepCell, SweepPlan, summaries, sweep_id

CHART = 40
"""Characters of the chart."""
NOTHING = "–"


def number_text(number: float | None, unit: str) -> str:
    """A number in a summary: lengths in seconds with one decimal, fractional counts with up to two; a dash for None."""
    if number is None:
        return NOTHING
    if unit == SPAN:
        return f"{number / 1000:.1f} s"
    return f"{number:.2f}".rstrip("0").rstrip(".")


def more_text(count: int) -> str:
    """A line for ``count`` refused acts that are not named; empty for 0."""
    return ngettext("… and %(n)d more refused action", "… and %(n)d more refused actions", count) % {"n": count} if count else ""


def sweep_table(plan: SweepPlan, cells: Sequence[SweepCell | None]) -> Iterator[str]:
    """A heading, one row per value (share of runs, least, median, most, mean, chart), then each problem once."""
    rows = summaries(plan.sweep, cells, plan.unit)
    seeds, seconds = len(plan.sweep.seeds), f"{plan.sweep.until_ms / 1000:g}"
    head = ngettext(
        "%(outcome)s against %(field)s, %(seeds)d seed, %(seconds)s s",
        "%(outcome)s against %(field)s, %(seeds)d seeds, %(seconds)s s",
        seeds,
    )
    yield head % {
        "outcome": plan.asked.title,
        "field": plan.field.text,
        "seeds": seeds,
        "seconds": seconds,
    }
    table: list[tuple[str, ...]] = [(_("value"), _("happened"), _("min"), _("median"), _("max"), _("mean"))]
    table += [_row(row, plan.unit) for row in rows]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    scale = max((row.most or 0 for row in rows), default=0)
    for line, chart in zip(table, ["", *(_mark(row) + _chart(row, scale) for row in rows)], strict=True):
        yield "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)) + (f"  {chart}" if chart else "")
    yield from _problems(plan, cells)
    yield from _refused(rows, cells)


def _row(row: Summary, unit: str) -> tuple[str, ...]:
    numbers = (row.least, row.middle, row.most, row.mean)
    return (str(row.value), f"{row.happened}/{row.measured}", *(number_text(number, unit) for number in numbers))


def _mark(row: Summary) -> str:
    """How many runs of a value do not count; empty if all do."""
    return _("[%(refused)d with a refused action, not counted]") % {"refused": row.refused} + " " if row.refused else ""


def _refused(rows: Sequence[Summary], cells: Sequence[SweepCell | None]) -> Iterator[str]:
    """In how many runs acts were refused, then each refused act with how often, and how many are not named."""
    count = sum(row.refused for row in rows)
    if not count:
        return
    yield ngettext(
        "In %(count)d of %(all)d runs an action was refused. This run is not counted:",
        "In %(count)d of %(all)d runs an action was refused. These runs are not counted:",
        count,
    ) % {"count": count, "all": len(cells)}
    there = [cell for cell in cells if cell is not None]
    for words, times in Counter(act.words for cell in there for act in cell.refused).items():
        yield f"  {times} × {words}"
    if more := more_text(sum(cell.unnamed for cell in there)):
        yield f"  {more}"


def _chart(row: Summary, scale: int) -> str:
    """A line from least to most, with the median marked on it."""
    if row.least is None or row.most is None or row.middle is None or not scale:
        return ""
    # All charts of a table have the same scale, up to the largest number of all values.
    least, middle, most = (round(number / scale * (CHART - 1)) for number in (row.least, row.middle, row.most))
    line = [" "] * least + ["─"] * (most - least + 1)
    line[least], line[most] = "├", "┤"
    line[middle] = "●"
    return "".join(line)


def _problems(plan: SweepPlan, cells: Sequence[SweepCell | None]) -> Iterator[str]:
    """What could not be computed and why, each reason once per value, with the seeds unless it applies to all."""
    found: dict[tuple[Any, str], list[int]] = {}
    for (value, seed), cell in zip(plan.places(), cells, strict=True):
        if cell is not None and cell.why:
            found.setdefault((value, cell.why), []).append(seed)
    for (value, problem), seeds in found.items():
        some = "" if len(seeds) == len(plan.sweep.seeds) else f" (seed {', '.join(map(str, seeds))})"
        yield f"{value}{some}: {problem}"


def sweep_json(plan: SweepPlan, cells: Sequence[SweepCell | None]) -> dict[str, Any]:
    """The sweep with all its cells, ready for JSON. Spans are in milliseconds."""
    sweep, width = plan.sweep, len(plan.sweep.seeds)
    rows = [cells[start : start + width] for start in range(0, len(cells), width)]
    return {
        "id": sweep_id(sweep),
        "field": plan.field.text,
        "outcome": sweep.outcome,
        "unit": plan.unit,
        "kubernetes": sweep.header.kubernetes,
        "until_ms": sweep.until_ms,
        "values": [
            {
                "value": summary.value,
                "measured": summary.measured,
                "happened": summary.happened,
                "min": summary.least,
                "median": summary.middle,
                "max": summary.most,
                "mean": summary.mean,
                "refused": summary.refused,
                "cells": [_cell_json(seed, cell) for seed, cell in zip(sweep.seeds, row, strict=True)],
            }
            for summary, row in zip(summaries(sweep, cells, plan.unit), rows, strict=True)
        ],
    }


def _cell_json(seed: int, cell: SweepCell | None) -> dict[str, Any]:
    if cell is None:
        return {"seed": seed}
    if cell.failure:
        return {"seed": seed, "problem": cell.why, "failure": cell.failure}
    if cell.problem:
        return {"seed": seed, "problem": cell.problem}
    if cell.refused:
        more = {"unnamed": cell.unnamed} if cell.unnamed else {}
        return {"seed": seed, "refused": [act.words for act in cell.refused], **more}
    return {"seed": seed, "value": cell.value, "at_ms": cell.at_ms, "subject": cell.subject}
