"""What is wrong with a level itself: all its solutions are played at every seed, and doing nothing, too.

A level promises that its right solutions pass, that its wrong ones do not keep the checks which it names, and that doing nothing does
not pass. Beside that it should have at least one right and two wrong solutions, more than one seed, and no check that nobody can fail.
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
"""How much all plays of a trial on a page may cost together, in units of work (engine/world/work.py): some 15 s of one core."""
NOTHING = Solution(name="nothing", expect="fail")
"""The attempt that every level must fail."""


class TriedSolution(Struct, frozen=True, kw_only=True):
    """A solution at one seed. ``problem`` is "" where it went as promised."""

    solution: Solution
    played: PlayedAttempt
    problem: str = ""


class Trial(Struct, frozen=True, kw_only=True):
    """A level with everything that was played of it. ``problems`` break its promise, ``advice`` does not."""

    level: Level
    attempts: tuple[TriedSolution, ...] = ()
    problems: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the level keeps its promise."""
        return not self.problems


def tried(level: Level, *, work: int | None = None) -> Trial:
    """Play a level and judge it. Raises BadLevel where it has no beginning. Costs a play for each solution and seed, 10 to 200 ms each.

    With ``work`` all plays together cost no more than that; what is left then is not played, which is a problem of the level.
    """
    attempts: list[TriedSolution] = []
    problems: list[str] = []
    for solution, seed in _plays(level):
        left = PLAY_WORK if work is None else work - sum(attempt.played.work for attempt in attempts)
        if left <= 0:
            problems.append(_("All plays together are too much work: the rest was not played."))
            break
        try:
            played = play_level(level, solution.steps(), seed=seed, work=min(left, PLAY_WORK))
        except (EngineFailed, EngineError) as error:
            problems.append(
                _("%(solution)s, seed %(seed)d: cannot be played: %(error)s")
                % {"solution": solution.name, "seed": seed, "error": str(error)[:200]}
            )
            continue
        attempts.append(TriedSolution(solution=solution, played=played, problem=_problem(level, solution, played)))
    problems += (f"{attempt.solution.name}, seed {attempt.played.seed}: {attempt.problem}" for attempt in attempts if attempt.problem)
    problems += dict.fromkeys(_happening_problems(level, attempts))
    return Trial(level=level, attempts=tuple(attempts), problems=tuple(problems), advice=tuple(_advice(level, attempts)))


def _plays(level: Level) -> Iterator[tuple[Solution, int]]:
    """Every solution at every seed, doing nothing included."""
    nothing = () if any(not each.acts for each in level.solutions) else (NOTHING,)
    yield from ((solution, seed) for solution in (*level.solutions, *nothing) for seed in level.seeds)


def _problem(level: Level, solution: Solution, played: PlayedAttempt) -> str:
    if not played.is_whole:
        return _("is too much work: it was stopped at %(at)s s") % {"at": played.ended_ms / 1000}
    missed = [check.id for check in played.result.missed]
    refused = ", ".join(_refused(played.records))
    if solution.expect == "pass" and not played.passed:
        why = ", ".join(missed) or _("an act that is not allowed: %(acts)s") % {"acts": ", ".join(played.forbidden)}
        told = _("should pass but does not: %(why)s") % {"why": why}
        return told + (_(" (refused: %(acts)s)") % {"acts": refused} if refused else "")
    if solution.expect == "fail" and played.passed:
        return _("should fail but passes")
    kept = [name for name in solution.fails if name not in missed]
    return _("should not keep %(ids)s but does") % {"ids": ", ".join(kept)} if kept else ""


def _refused(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        if record.machine == "command" and record.target == "refused":
            yield f"{record.get('do')} ({record.rule}, {record.at_ms / 1000} s)"


def _happening_problems(level: Level, attempts: Sequence[TriedSolution]) -> Iterator[str]:
    """An event of the level that the engine refuses where a right solution is played happens to nobody."""
    events = {(step.at_ms, type(step.command).__struct_config__.tag) for step in level.event_steps()}
    for attempt in attempts:
        if attempt.solution.expect != "pass":
            continue
        for record in attempt.played.records:
            if record.machine == "command" and record.target == "refused" and (record.at_ms, record.get("do")) in events:
                yield _("happens: %(do)s at %(at)s s is refused (%(rule)s) in %(solution)s, seed %(seed)d") % {
                    "do": record.get("do"),
                    "at": record.at_ms / 1000,
                    "rule": record.rule,
                    "solution": attempt.solution.name,
                    "seed": attempt.played.seed,
                }


def _advice(level: Level, attempts: Sequence[TriedSolution]) -> Iterator[str]:
    right = [each for each in level.solutions if each.expect == "pass"]
    wrong = [each for each in level.solutions if each.expect == "fail" and each.acts]
    if not right:
        yield _("has no right solution")
    if len(wrong) < 2:
        yield _("has fewer than two wrong solutions")
    for name in level.allow:
        if ACTS.named(name) is None:
            yield _("allow: there is no act %(name)s") % {"name": name[:40]}
    if len(level.seeds) == 1:
        yield _("has only one seed: luck may pass")
    for check in level.checks:
        verdicts = {result.verdict for attempt in attempts for result in attempt.played.result.checks if result.id == check.id}
        if attempts and verdicts == {CheckVerdict.KEPT}:
            yield _("%(id)s is kept by every attempt") % {"id": check.id}
        if attempts and verdicts == {CheckVerdict.VACUOUS}:
            yield _("%(id)s is vacuous in every attempt") % {"id": check.id}
