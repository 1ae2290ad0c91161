"""Move what a branch begins with to another moment.

The client keys (``own``) of a branch's commands tell which of them it began with. Moving makes another branch of the
same parent with just these commands at another moment; both branches stay, so that they can be compared.
"""

from django.db.models import Count, Q
from django.urls import reverse

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.models import Run, RunCommand
from simulator.runs.log import timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.history import first_act, is_kept, later_acts, taken_along
from simulator.runs.turns.allowance import StillComputing
from simulator.web.base.common import Context
from simulator.web.presenters import said
from simulator.web.run.act_lines import act_line

ACTS_MAX = 20
"""At most this many later acts are named; the page says how many there are."""


def move_context(run: Run) -> Context | None:
    """The first act of a branch, where it is and how far it can be moved; None if it is not a branch, or has no acts. One seek."""
    if run.parent is None or run.parent_ms is None:
        return None
    act = first_act(run)
    if act is None:
        return None
    command = act.command()
    try:
        world = world_of(run.parent, run.parent_ms)
    except StillComputing:  # the page can do without the kubectl line
        world = None
    return {
        "at_ms": run.parent_ms,
        "max_ms": max(run.parent_ms, moment_of(run.parent)),
        "words": act_words(command),
        "line": act_line(world, command) if world is not None else "",
        "url": reverse("sim:run-move", args=[run.id]),
    }


def later_context(run: Run) -> Context | None:
    """The parent's acts after the branching moment: those that can be carried over, or those that were, including refused ones. None if
    there are none. At most four queries for a branch, none for another run; ACTS_MAX acts are read."""
    if run.parent_id is None:
        return None
    refused = Count("n", filter=Q(outcome=RunCommand.Outcome.REFUSED))
    taken = taken_along(run).order_by().aggregate(count=Count("n"), refused=refused)
    count = taken["count"] or later_acts(run).count()
    if not count:
        return None
    acts = (taken_along(run) if taken["count"] else later_acts(run))[:ACTS_MAX]
    return {
        "is_taken": bool(taken["count"]),
        "acts": [{"at_ms": row.at_ms, "words": act_words(row.command()), "is_refused": row.outcome == "refused"} for row in acts],
        "count": count,
        "more": max(0, count - ACTS_MAX),
        "refused": taken["refused"],
        "url": reverse("sim:run-take-along", args=[run.id]),
    }


def act_words(command: AnyCommand) -> str:
    """A command as a sentence in the reader's language."""
    return said(sentence_of(ACTS.of(command), command))


def world_of(run: Run, moment_ms: Ms) -> World | None:
    """The world of a run at a moment; None if another revision recorded it and today's rules do not lead there. One seek."""
    if not is_kept(run):
        return timemachine.seek(run, ms=moment_ms)
    return timemachine.recorded_world(run, seq=timemachine.recorded_seq(run, ms=moment_ms))
