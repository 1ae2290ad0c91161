"""Test a level itself: all its solutions, and doing nothing, are played at every seed.

A level promises that its right solutions pass, that its wrong ones fail the checks they name, and that doing nothing does not pass. It
should also have at least one right and two wrong solutions, more than one seed, and no check that nobody can fail.
"""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine.acts.all_acts import ACTS
from simulator.engine.kernel.errors import EngineError, EngineFailed
from simulator.engine.kernel.records import Record
from simulator.levels.level import Level, Solution
from simulator.levels.playing import PLAY_WORK, PlayedAttempt, play_level
from simulator.scenarios.grading.grader import CheckVerdict

TRIAL_WORK = 1_500_000
"""The total cost of all plays of a trial on a page, in units of work (engine/world/work.py): about 15 s of one core."""
NOTHING = Solution(name="nothing", expect="fail")
"""The attempt that every level must fail."""


class TriedSolution(Struct, frozen=True, kw_only=True):
    """A solution at one seed. ``problem`` is a sentence that names both, "" if it went as promised."""

    solution: Solution
    played: PlayedAttempt
    problem: str = ""


class Trial(Struct, frozen=True, kw_only=True):
    """A level with all its plays. ``problems`` break its promises, ``advice`` does not."""

    level: Level
    attempts: tuple[TriedSolution, ...] = ()
    problems: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the level keeps its promises."""
        return not self.problems


def tried(level: Level, *, work: int | None = None) -> Trial:
    """Play a level and judge it. Raises BadLevel if it has no beginning. Costs a play per solution and seed, 10 to 200 ms each.

    ``work`` limits the cost of all plays together; if some then remain unplayed, that is reported as a problem.
    """
    attempts: list[TriedSolution] = []
    problems: list[str] = []
    for solution, seed in _plays(level):
        left = PLAY_WORK if work is None else work - sum(attempt.played.work for attempt in attempts)
        if left <= 0:
            text = _("Playing every solution takes too long, so some were not played: end attempts earlier, or use fewer seeds.")
            problems.append(text)
            break
        try:
            played = play_level(level, solution.steps(), seed=seed, work=min(left, PLAY_WORK))
        except (EngineFailed, EngineError) as error:
            problems.append(
                _("The solution “%(name)s” cannot be played (seed %(seed)d): %(error)s")
                % {"name": solution.name, "seed": seed, "error": str(error)[:200]}
            )
            continue
        attempts.append(TriedSolution(solution=solution, played=played, problem=_problem(solution, played)))
    problems += (attempt.problem for attempt in attempts if attempt.problem)
    problems += dict.fromkeys(_happening_problems(level, attempts))
    return Trial(level=level, attempts=tuple(attempts), problems=tuple(problems), advice=tuple(_advice(level, attempts)))


def _plays(level: Level) -> Iterator[tuple[Solution, int]]:
    """Every solution at every seed, doing nothing included."""
    nothing = () if any(not each.acts for each in level.solutions) else (NOTHING,)
    yield from ((solution, seed) for solution in (*level.solutions, *nothing) for seed in level.seeds)


def _problem(solution: Solution, played: PlayedAttempt) -> str:
    values = {"name": solution.name, "seed": played.seed}
    if not played.is_whole:
        text = _("The solution “%(name)s” takes too long (seed %(seed)d): it was stopped at %(at)s s. End attempts earlier.")
        return text % {**values, "at": played.ended_ms / 1000}
    missed = [check.id for check in played.result.missed]
    if solution.expect == "pass" and not played.passed:
        return _failed(played, missed, values)
    if solution.expect == "fail" and played.passed:
        if not solution.acts:
            return _("Doing nothing passes (seed %(seed)d): add a check that fails without an action.") % values
        return _("The wrong solution “%(name)s” passes (seed %(seed)d): add a check that it fails.") % values
    kept = ", ".join(name for name in solution.fails if name not in missed)
    text = _("The wrong solution “%(name)s” passes %(ids)s (seed %(seed)d), which it should fail: fix the check or the solution.")
    return text % {**values, "ids": kept} if kept else ""


def _failed(played: PlayedAttempt, missed: Sequence[str], values: dict[str, object]) -> str:
    """The problem with a right solution that does not pass."""
    if missed:
        text = _("The correct solution “%(name)s” fails %(ids)s (seed %(seed)d): fix the solution or the check.")
        told = text % {**values, "ids": ", ".join(missed)}
    else:
        text = _("The correct solution “%(name)s” fails (seed %(seed)d): the level does not allow %(acts)s. Allow it, or fix the solution.")
        told = text % {**values, "acts": ", ".join(played.forbidden)}
    refused = ", ".join(_refused(played.records))
    return f"{told} {_('Refused: %(acts)s.') % {'acts': refused}}" if refused else told


def _refused(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        if record.machine == "command" and record.target == "refused":
            yield f"{record.get('do')} ({record.rule}, {record.at_ms / 1000} s)"


def _happening_problems(level: Level, attempts: Sequence[TriedSolution]) -> Iterator[str]:
    """The level's own events that the engine refuses while a right solution is played, since they have no effect."""
    events = {(step.at_ms, type(step.command).__struct_config__.tag) for step in level.event_steps()}
    for attempt in attempts:
        if attempt.solution.expect != "pass":
            continue
        for record in attempt.played.records:
            if record.machine == "command" and record.target == "refused" and (record.at_ms, record.get("do")) in events:
                yield _("The event %(do)s at %(at)s s is refused (%(rule)s) in “%(name)s” (seed %(seed)d): change the event.") % {
                    "do": record.get("do"),
                    "at": record.at_ms / 1000,
                    "rule": record.rule,
                    "name": attempt.solution.name,
                    "seed": attempt.played.seed,
                }


def _advice(level: Level, attempts: Sequence[TriedSolution]) -> Iterator[str]:
    right = [each for each in level.solutions if each.expect == "pass"]
    wrong = [each for each in level.solutions if each.expect == "fail" and each.acts]
    if not right:
        yield _("The level has no correct solution: add one to show that it can be solved.")
    if len(wrong) < 2:
        yield _("The level has fewer than two wrong solutions: add mistakes that a learner may make.")
    for name in level.allow:
        if ACTS.named(name) is None:
            yield _("The level allows %(name)s, but there is no such action: correct the name.") % {"name": name[:40]}
    if len(level.seeds) == 1:
        yield _("The level has only one seed, so an attempt may pass by luck: add another.")
    for check in level.checks:
        verdicts = {result.verdict for attempt in attempts for result in attempt.played.result.checks if result.id == check.id}
        if attempts and verdicts == {CheckVerdict.KEPT}:
            yield _("Every attempt passes the check %(id)s: add a wrong solution that fails it, or remove the check.") % {"id": check.id}
        if attempts and verdicts == {CheckVerdict.VACUOUS}:
            yield _("The check %(id)s never had anything to judge in any attempt: correct what it looks for.") % {"id": check.id}
