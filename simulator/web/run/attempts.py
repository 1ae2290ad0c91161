"""The names of several attempts at a level."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from simulator.engine.kernel.outside_text import one_line
from simulator.levels.level import Level, Solution
from simulator.models import Run
from simulator.runs.selectors.runs import BranchRow, runs_of_tree
from simulator.runs.services.runs import TITLE_MAX
from simulator.web.base.caches import SOLUTION_TITLES
from simulator.web.base.levels import level_of_key, level_text, plain_key


def solution_title(level: Level, solution: Solution) -> str:
    """The title of a branch that shows a solution, in the reader's language."""
    return one_line(_("Solution: %(name)s") % {"name": level_text(level, solution.name)}, most=TITLE_MAX)


def attempt_names(runs: Sequence[Run]) -> list[str]:
    """The names of runs of one tree as attempts at its level: ``Attempt 2``, or the name of the solution that a run shows.

    Empty if the runs are not attempts in one tree, or if two would get the same name. The queries of ``attempts_of_tree``.
    """
    known = attempts_of_tree(runs[0])
    names = {known[run.id] for run in runs if run.id in known}
    return [known[run.id] for run in runs] if len(names) == len(runs) else []


def attempts_of_tree(run: Run, branches: list[BranchRow] | None = None) -> dict[UUID, str]:
    """The name of each run of a tree as an attempt at its level, by id; empty if the run has no level.

    Attempts are numbered in order of creation, separately for each owner from 1. ``branches`` and the queries are those of
    ``runs_of_tree``, plus one for a level written on this site.
    """
    level = level_of_key(run.level) if run.level else None
    if level is None:
        return {}
    shown = SOLUTION_TITLES.of(plain_key(run.level), lambda: _solution_titles(level))
    known: dict[UUID, str] = {}
    begun: Counter[str] = Counter()
    for each in runs_of_tree(run, branches):
        is_attempt = each.title not in shown
        begun[each.owner_hash] += is_attempt
        known[each.id] = _("Attempt %(n)s") % {"n": begun[each.owner_hash]} if is_attempt else each.title
    return known


def _solution_titles(level: Level) -> frozenset[str]:
    """The titles of branches that show a solution, in all languages."""
    titles = set[str]()
    for language, _name in settings.LANGUAGES:
        with override(language):
            titles.update(solution_title(level, solution) for solution in level.solutions)
    return frozenset(titles)
