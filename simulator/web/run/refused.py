"""The refused acts of a run: because of them a branch, a link or a file shows a different run from the one intended, so pages say so."""

from django.utils.translation import gettext as _

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS
from simulator.models import Run, RunCommand
from simulator.runs.log.statements import RUN, Statement
from simulator.web.base.common import Context, Moment
from simulator.web.presenters import clock_text, said

NAMED_MAX = 3
"""At most this many refused acts are named."""


def refused_facts(run: Run) -> Context:
    """How many acts a run has refused so far, the first ones in words, and a link to the first one's record.

    One query, and another to count them if there are more than are named.
    """
    rows = _FIRST.rows(run=run.id)
    if not rows:
        return {"count": 0, "href": "", "title": _("These actions had no effect.")}
    named = [f"{clock_text(row.at_ms or 0)} {_words(row)}" for row in rows[:NAMED_MAX]]
    more = ["…"] if len(rows) > NAMED_MAX else []
    title = " ".join([_("These actions had no effect."), "; ".join([*named, *more])])
    return {
        "count": run.commands.filter(outcome=RunCommand.Outcome.REFUSED).count() if more else len(rows),
        "href": Moment(t_ms=rows[0].at_ms, rec=rows[0].applied_seq or 0).query(),
        "title": title,
    }


_FIRST = Statement(lambda: RunCommand.objects.filter(run=RUN, outcome=RunCommand.Outcome.REFUSED).order_by("n")[: NAMED_MAX + 1])


def _words(row: RunCommand) -> str:
    command = row.command()
    return said(sentence_of(ACTS.of(command), command))
