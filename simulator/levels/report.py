"""Report a level's trial as lines for a terminal and as tests for CI."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from simulator.levels.reading import BadLevel
from simulator.levels.results import TestRow
from simulator.levels.trial import Trial, TriedSolution
from simulator.levels.words import clock, reason


def level_lines(path: str, trial: Trial | BadLevel) -> Iterator[str]:
    """The level, then every play with the verdict, instant, record and reason of each check, then the level's problems."""
    if isinstance(trial, BadLevel):
        yield f"{path}: " + _("This is not a level.")
        yield from (f"  ! {problem}" for problem in trial.problems)
        return
    yield f"{path}: {trial.level.title}"
    for attempt in trial.attempts:
        yield from _attempt_lines(trial, attempt)
    yield from (f"  ! {problem}" for problem in trial.problems)
    yield from (f"  ? {advice}" for advice in trial.advice)


def _attempt_lines(trial: Trial, attempt: TriedSolution) -> Iterator[str]:
    played = attempt.played
    verdict = _("passes") if played.passed else _("fails")
    mark = _("NOT AS EXPECTED") if attempt.problem else _("as expected")
    yield f"  {attempt.solution.name}, seed {played.seed}: {verdict}, {mark}"
    if played.forbidden:
        yield "    " + _("The level does not allow this: %(acts)s.") % {"acts": ", ".join(played.forbidden)}
    for check, result in zip(trial.level.checks, played.result.checks, strict=True):
        at = "" if result.at_ms is None else clock(result.at_ms)
        yield f"    {result.verdict:8} {at:>8}  #{result.seq:<5} {check.id}  {reason(check, result, played.records)}".rstrip()


def level_tests(name: str, trial: Trial | BadLevel) -> list[TestRow]:
    """One test for each play of a level, and one for each problem of the level as a whole."""
    if isinstance(trial, BadLevel):
        return [TestRow(name=name, status="error", message=str(trial))]
    tests = [
        TestRow(
            name=f"{name} · {attempt.solution.name} · seed {attempt.played.seed}",
            status="fail" if attempt.problem else "pass",
            message=attempt.problem or None,
            output="\n".join(_attempt_lines(trial, attempt)),
        )
        for attempt in trial.attempts
    ]
    played = {attempt.problem for attempt in trial.attempts}
    rest = [problem for problem in trial.problems if problem not in played]
    return [*tests, *(TestRow(name=name, status="fail", message=problem) for problem in rest)]
