"""The acts in which two runs differ: given in only one of them, or at another moment."""

from typing import Any

from simulator.engine.kernel.units import Ms
from simulator.models import Run, RunCommand
from simulator.web.views.moves import act_words


def acts_apart(runs: tuple[Run, Run], zeros: tuple[Ms, Ms]) -> list[dict[str, Any]]:
    """The acts that only one run was given at that moment after its zero, in order of time: the moment, the words, and of each side
    whether it was accepted, refused or is pending; empty where it was not given. Two queries."""
    sides = [_acts(run, zero) for run, zero in zip(runs, zeros, strict=True)]
    found = []
    for place, acts in enumerate(sides):
        other = set(sides[1 - place])
        for (at_ms, *_rest), row in ((key, row) for key, row in acts.items() if key not in other):
            outcomes = ["", ""]
            outcomes[place] = row.outcome
            found.append({"at_ms": at_ms, "words": act_words(row.command()), "outcomes": outcomes})
    return sorted(found, key=lambda item: item["at_ms"])


def _acts(run: Run, zero: Ms) -> dict[tuple[Ms, str, int], RunCommand]:
    """By moment, what it asks for, and the how manieth of that it is."""
    found: dict[tuple[Ms, str, int], RunCommand] = {}
    for row in run.commands.filter(at_ms__isnull=False).order_by("at_ms", "n"):
        assert row.at_ms is not None
        at_ms, count = row.at_ms - zero, 1
        while (at_ms, row.body, count) in found:
            count += 1
        found[at_ms, row.body, count] = row
    return found
