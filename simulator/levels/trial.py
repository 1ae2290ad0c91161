"""Test a level itself: all its solutions, and doing nothing, are played at every seed.

A level promises that its right solutions pass, that its wrong ones fail the checks they name, and that doing nothing does not pass. It
should also have at least one right and two wrong solutions, more than one seed, and no check that nobody can fail.
"""

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine.acts.act import do_of
from simulator.engine.acts.all_acts import ACTS
from simulator.engine.kernel.errors import EngineError, EngineFailed
from simulator.engine.kernel.records import Record
from simulator.levels.allowing import CREATE
from simulator.levels.asking import has_right_choice
from simulator.levels.level import Level, Solution
from simulator.levels.pattern_words import unknown_words, words_of
from simulator.levels.playing import PLAY_WORK, PlayedAttempt, play_level
from simulator.levels.reading import level_patterns
from simulator.scenarios.asks import Ask
from simulator.scenarios.grading.grader import CheckVerdict
from simulator.scenarios.grading.spans import span_ms

TRIAL_WORK = 1_500_000
"""The total cost of all plays of a trial on a page, in units of work (engine/world/work.py): about 15 s of one core."""
_MESSAGE_MAX = 200
_NOT_THERE = frozenset({"COMMAND-NO-POD", "COMMAND-NO-NODE", "COMMAND-NO-ROLE"})
_NOT_FOUND = 404
"""How acts are refused that name something that does not exist."""
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
    problems = [*_text_problems(level, attempts), *problems]
    problems += (attempt.problem for attempt in attempts if attempt.problem)
    problems += dict.fromkeys(_happening_problems(level, attempts))
    return Trial(level=level, attempts=tuple(attempts), problems=tuple(problems), advice=tuple(_advice(level, attempts)))


def _plays(level: Level) -> Iterator[tuple[Solution, int]]:
    """Every solution at every seed, doing nothing included."""
    nothing = () if any(not each.acts for each in level.solutions) else (NOTHING,)
    yield from ((solution, seed) for solution in (*level.solutions, *nothing) for seed in level.seeds)


def _text_problems(level: Level, attempts: Sequence[TriedSolution]) -> Iterator[str]:
    """What is wrong with the text itself and does not keep the level from being played; each sentence begins with its place."""
    if not any(each.expect == "pass" for each in level.solutions):
        yield _("The level has no correct solution: add one to show that it can be solved.")
    for n, solution in enumerate(level.solutions):
        if solution.expect == "pass" and solution.fails:
            yield _("%(place)s: a correct solution passes every check, so leave this out.") % {"place": f"solution[{n}].fails"}
        if solution.name in [each.name for each in level.solutions[:n]]:
            yield _("%(place)s: %(id)s is there twice.") % {"place": f"solution[{n}].name", "id": solution.name[:40]}
    played = words_of(attempt.played.records for attempt in attempts)
    for place, pattern in level_patterns(level):
        yield from unknown_words(place, pattern, played)
    for n, ask in enumerate(level.asks):
        if span_ms(ask.at) > level.horizon_ms:
            yield _("%(place)s: is past the horizon.") % {"place": f"ask[{n}].at"}
        elif ask.choices and attempts and all(_is_unanswerable(ask, attempt) for attempt in attempts):
            yield _("%(place)s: none of them is correct in any attempt; add one without comes, for when none of the others happens.") % {
                "place": f"ask[{n}].choices"
            }


def _is_unanswerable(ask: Ask, attempt: TriedSolution) -> bool:
    """Whether no choice is right at that moment of an attempt. What is right is what follows by itself, so a later act hides it."""
    acts_ms = [step.at_ms for step in attempt.solution.steps()]
    at_ms, end_ms = span_ms(ask.at), span_ms(ask.at) + span_ms(ask.within)
    until_ms = min((act_ms - 1 for act_ms in acts_ms if act_ms > at_ms), default=end_ms)
    is_hidden = until_ms < end_ms and any(act_ms <= at_ms for act_ms in acts_ms)
    return not is_hidden and not has_right_choice(ask, attempt.played.records, until_ms=min(until_ms, end_ms))


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
    kept = ", ".join(name for name in solution.fails if name not in missed) if solution.expect == "fail" else ""
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
    return told + " " + _("Refused: %(acts)s.") % {"acts": refused} if refused else told


def _refused(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        if record.machine == "command" and record.target == "refused":
            yield f"{record.get('do')} ({_why_refused(record)}, {record.at_ms / 1000} s)"


def _why_refused(record: Record) -> str:
    message = str(record.get("message") or "")[:_MESSAGE_MAX]
    return f"{record.rule}: {message}" if message else record.rule


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
                    "rule": _why_refused(record),
                    "name": attempt.solution.name,
                    "seed": attempt.played.seed,
                }


def _missed_acts(attempts: Sequence[TriedSolution]) -> Iterator[str]:
    """The acts of wrong solutions that name something that is not there: such a solution fails, but not for its author's reason.

    Other refusals may be just what it is about.
    """
    for attempt in attempts:
        own = {(step.at_ms, do_of(step.command)) for step in attempt.solution.steps()} if attempt.solution.expect == "fail" else set()
        for record in attempt.played.records:
            is_own = record.machine == "command" and record.target == "refused" and (record.at_ms, record.get("do")) in own
            if is_own and (record.rule in _NOT_THERE or record.get("code") == _NOT_FOUND):
                yield _("In the wrong solution “%(name)s” the action %(do)s at %(at)s s names something that is not there: correct it.") % {
                    "name": attempt.solution.name,
                    "do": record.get("do"),
                    "at": record.at_ms / 1000,
                }


def _advice(level: Level, attempts: Sequence[TriedSolution]) -> Iterator[str]:
    wrong = [each for each in level.solutions if each.expect == "fail" and each.acts]
    if len(wrong) < 2:
        yield _("The level has fewer than two wrong solutions: add mistakes that a learner may make.")
    yield from dict.fromkeys(_missed_acts(attempts))
    for name in level.allow:
        if ACTS.named(name) is None and name != CREATE:
            yield _("The level allows %(name)s, but there is no such action: correct the name.") % {"name": name[:40]}
    if len(level.seeds) == 1:
        yield _("The level has only one seed, so an attempt may pass by luck: add another.")
    for check in level.checks:
        verdicts = {result.verdict for attempt in attempts for result in attempt.played.result.checks if result.id == check.id}
        if attempts and verdicts == {CheckVerdict.KEPT}:
            yield _("Every attempt passes the check %(id)s: add a wrong solution that fails it, or remove the check.") % {"id": check.id}
        if attempts and verdicts == {CheckVerdict.VACUOUS}:
            yield _("The check %(id)s never had anything to judge in any attempt: correct what it looks for.") % {"id": check.id}
