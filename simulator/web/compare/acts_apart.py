"""The acts in which two runs differ: given in only one of them, or at different moments."""

from collections import defaultdict
from collections.abc import Iterator

from simulator.engine.kernel.units import Ms
from simulator.headless.matching import TOLERANCE_MS
from simulator.models import Run, RunCommand
from simulator.web.base.common import Context
from simulator.web.run.moves import act_words

Given = tuple[Ms, RunCommand]
"""An act, with its moment after the zero."""


def acts_apart(runs: tuple[Run, Run], zeros: tuple[Ms, Ms], *, horizon_ms: Ms, rows_max: int) -> Context:
    """The acts given to only one run at their moment after the zero, up to ``horizon_ms``, which both have reached.

    ``count`` is how many there are, and ``hidden`` how many of them are beyond ``rows_max``. ``rows`` has the others in order of time: the
    moment, the text, and for each side whether it was accepted, refused or is pending; empty if it was not given. Moments that count as
    the same elsewhere on the page do so here. Two queries.
    """
    sides = [_acts(run, zero) for run, zero in zip(runs, zeros, strict=True)]
    found: list[tuple[Ms, int, RunCommand]] = []
    for body in {**sides[0], **sides[1]}:
        apart = _unmatched(sides[0].get(body, []), sides[1].get(body, []))
        found += ((at_ms, place, row) for place, (at_ms, row) in apart if at_ms <= horizon_ms)
    found.sort(key=lambda item: (item[0], item[1], item[2].n))
    return {
        "count": len(found),
        "hidden": max(0, len(found) - rows_max),
        "rows": [_row_context(at_ms, place, row) for at_ms, place, row in found[:rows_max]],
    }


def _row_context(at_ms: Ms, place: int, row: RunCommand) -> Context:
    outcomes = ["", ""]
    outcomes[place] = row.outcome
    return {"at_ms": at_ms, "words": act_words(row.command()), "outcomes": outcomes}


def _acts(run: Run, zero: Ms) -> dict[str, list[Given]]:
    """A run's acts by what they do, in order of time."""
    found: dict[str, list[Given]] = defaultdict(list)
    for row in run.commands.filter(at_ms__isnull=False).order_by("at_ms", "n"):
        assert row.at_ms is not None
        found[row.body].append((row.at_ms - zero, row))
    return found


def _unmatched(left: list[Given], right: list[Given]) -> Iterator[tuple[int, Given]]:
    """Yield the acts without a counterpart within the tolerance, with their side."""
    # A merge of two lists in order of time: two acts within the tolerance count as one.
    here = there = 0
    while here < len(left) and there < len(right):
        behind_ms = right[there][0] - left[here][0]
        if abs(behind_ms) <= TOLERANCE_MS:
            here, there = here + 1, there + 1
        elif behind_ms > 0:
            yield 0, left[here]
            here += 1
        else:
            yield 1, right[there]
            there += 1
    yield from ((0, given) for given in left[here:])
    yield from ((1, given) for given in right[there:])
