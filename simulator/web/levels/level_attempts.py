"""Requests from the page of an attempt: check it, a hint, the solution, another attempt, check a prediction.

All responses are JSON, and none contains more than was requested.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, Stamped
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.kernel.errors import EngineError, EngineFailed
from simulator.engine.kernel.records import Record
from simulator.engine.rules import explain
from simulator.levels.allowing import act_word
from simulator.levels.asking import AskedTruth, is_right, truth_of
from simulator.levels.checking import CheckedRun, best_solution, check_commands
from simulator.levels.hinting import next_hint
from simulator.levels.level import Level
from simulator.levels.opening import opening_ms
from simulator.levels.playing import PlayedAttempt
from simulator.levels.practice import cause_shown, practice_of_key
from simulator.levels.reading import BadLevel
from simulator.levels.shared_plays import Lived
from simulator.levels.start import start_of
from simulator.levels.words import reason
from simulator.models import Run
from simulator.runs.log import timemachine
from simulator.runs.log.clock import moment_of
from simulator.runs.log.content import Unreadable
from simulator.runs.log.history import commands_of, is_kept, own_acts
from simulator.runs.permissions import OWNER, address_hash_of, owner_key, role_for
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.levels import level_attempt
from simulator.runs.services.runs import run_branch
from simulator.runs.turns.allowance import StillComputing, granted
from simulator.runs.turns.constants import RESERVE
from simulator.scenarios.asks import Ask
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.grader import CheckResult, CheckVerdict
from simulator.web.base.common import run_or_404
from simulator.web.base.guards import costly
from simulator.web.base.levels import ALONE, EXAM, builtin_levels, level_of_key, level_paragraphs, level_text, next_level, plain_key
from simulator.web.base.lti import grade_sent
from simulator.web.base.stories import builtin_story
from simulator.web.presenters import clock_text, said
from simulator.web.run.attempts import solution_title
from simulator.web.run.level_card import level_address, used_acts
from simulator.web.run.manifests import json_answer

if TYPE_CHECKING:
    from simulator.engine.course.replay import Course

HINTS_MAX = 100


@dataclass(frozen=True)
class AskedAttempt:
    """An attempt's run, and the owner's request about its level."""

    request: HttpRequest
    run: Run
    level: Level

    @cached_property
    def commands(self) -> list[Stamped]:
        """The commands of the run with a fixed moment."""
        return commands_of(self.run)


Answer = Callable[[AskedAttempt], HttpResponse]


def _attempted(answer: Callable[..., HttpResponse]) -> Any:
    """Make a view of an attempt: for its owner only, with a message for everything that may go wrong."""

    def view(request: HttpRequest, run_id: UUID, **more: Any) -> HttpResponse:
        run = run_or_404(run_id)
        level = level_of_key(run.level) if run.level else None
        if level is None:
            return json_answer({"error": _("This run is not an attempt at a level.")}, status=404)
        if role_for(request, run) != OWNER:
            return json_answer({"error": _("Only the owner of this run can do that. Fork it to get your own.")}, status=403)
        try:
            return answer(AskedAttempt(request, run, level), **more)
        except BadLevel as error:
            return json_answer({"error": "; ".join(error.problems)}, status=422)
        except (EngineFailed, EngineError) as error:
            return json_answer({"error": _("This attempt cannot be played: %(error)s") % {"error": str(error)[:200]}}, status=422)
        except ServiceError as error:
            return json_answer({"error": str(error)}, status=409)

    return costly("POST")(require_POST(view))


_KEPT = ("id", "verdict", "subject")
"""The stored fields of each check: no text, since a teacher may read another language."""


def _check(asked: AskedAttempt) -> HttpResponse:
    level, run = asked.level, asked.run
    checked = check_commands(level, asked.commands, seed=run.header().seed, until_ms=run.head_ms, lived=_lived(run, level))
    told = _result_of(asked, checked)
    shown = checked.shown.result
    first = shown.first_missed
    hints = whole_number(asked.request.POST.get("hints", "0"), most=HINTS_MAX) or 0
    level_attempt(
        run=run,
        passed=checked.passed,
        failed=first.id if first else "",
        at_ms=first.at_ms if first else None,
        acts=checked.acts,
        hints=hints,
        points=shown.points(level.checks),
        points_max=sum(check.points for check in level.checks),
        results=msgspec.json.encode({"checks": [{name: check[name] for name in _KEPT} for check in told["checks"]]}).decode(),
    )
    if run.level.startswith(EXAM):
        return json_answer({"submitted": True, "passed": checked.passed, "acts": checked.acts, "report": _report(level, told)})
    if checked.passed:
        grade = grade_sent(asked.request, run.level, points=told["points"], points_max=told["points_max"])
        told |= _debrief(level) | ({"grade": grade} if grade else {})
    return json_answer(told)


def _lived(run: Run, level: Level) -> Lived | None:
    """The run's present course and records, so that a check need not play them; None if the level now begins differently."""
    header = run.header()
    if is_kept(run) or header != start_of(level, seed=header.seed).header:
        return None

    def found(seen: int) -> "tuple[Course, list[Record]] | None":
        try:
            with granted(RESERVE):
                course = timemachine.course_from(run, at_ms=run.head_ms)
            return course, timemachine.log(run, after=seen, limit=run.head_seq - seen)
        except (StillComputing, Unreadable, EngineFailed):
            return None  # then the check plays it, and reports what is wrong

    return found


def _report(level: Level, told: dict[str, Any]) -> list[dict[str, Any]]:
    """A task's part of an exam report: the checks that were not kept, each with its instant and reason."""
    texts = ("id", "at_ms", "seq", "subject", "reason")
    missed = [(check, of) for check, of in zip(told["checks"], level.checks, strict=True) if check["verdict"] not in ("kept", "open")]
    return [{name: check[name] for name in texts} | {"text": level_text(level, of.text)} for check, of in missed]


def _result_of(asked: AskedAttempt, checked: CheckedRun) -> dict[str, Any]:
    level, shown = asked.level, checked.shown
    commands = {stamped.n: stamped for stamped in asked.commands}
    return {
        "passed": checked.passed,
        "seed": shown.seed,
        "own_seed": checked.plays[0].seed,
        "seeds": [{"seed": played.seed, "passed": played.passed} for played in checked.plays],
        "forbidden": list(dict.fromkeys(map(act_word, shown.forbidden))),
        "is_whole": shown.is_whole,
        "acts": checked.acts,
        "best": checked.best,
        "unneeded": [said(sentence_of(ACTS.of(commands[n].command), commands[n].command)) for n in checked.unneeded],
        "points": shown.result.points(level.checks),
        "points_max": sum(check.points for check in level.checks),
        "checks": [_check_told(level, check, result, shown) for check, result in zip(level.checks, shown.result.checks, strict=True)],
    }


def _check_told(level: Level, check: Check, result: CheckResult, played: PlayedAttempt) -> dict[str, Any]:
    """A check's verdict with its instant, and the record to look at."""
    why = reason(check, result, played.records, told=said)
    more = level_text(level, check.reason) if why else ""
    record = _record(result.seq, played.records)
    near = _record(result.near_seq, played.records)
    return {
        "id": check.id,
        "verdict": result.verdict.value,
        "at_ms": None if result.verdict is CheckVerdict.VACUOUS else result.at_ms,  # nothing happened, so there is no instant to go to
        "seq": result.seq,
        "subject": record.subject if record else "",
        "near_seq": result.near_seq,
        "near_ms": near.at_ms if near else None,
        "near_subject": near.subject if near else "",
        "reason": " ".join(text for text in (why, more) if text),
        "stretches": result.stretches,
    }


def _record(seq: int, records: Sequence[Record]) -> Record | None:
    return records[seq - 1] if 0 < seq <= len(records) else None


def _debrief(level: Level) -> dict[str, Any]:
    after = next_level(level)
    return {
        "debrief": level_paragraphs(level, level.debrief),
        "sources": [{"title": source.title, "url": source.url} for source in level.sources],
        "next": {"title": level_text(after, after.title), "url": level_address(after.slug)} if after else None,
        "more": "" if level.slug in builtin_levels() else reverse("sim:levels"),
    }


def _hint(asked: AskedAttempt) -> HttpResponse:
    if asked.run.level.startswith(EXAM):
        return json_answer({"nothing": _("Exams have no hints.")})
    if asked.run.level.startswith(ALONE):
        return json_answer({"nothing": _("This attempt has no hints. Start the level with hints from its page.")})
    given = [n for text in asked.request.POST.get("given", "").split(",") if (n := whole_number(text, most=HINTS_MAX)) is not None]
    run = asked.run
    records = timemachine.log(run, after=0, limit=run.head_seq)
    found = next_hint(asked.level, records, now_ms=moment_of(run), told=given)
    if found.n is None:
        early = _("No hint applies to what has happened so far. Let the run continue, then ask again.")
        last = _("There are no more hints.")
        return json_answer({"nothing": early if found.is_early else last})
    words = level_text(asked.level, asked.level.hints[found.n].text)
    return json_answer({"n": found.n, "text": words, "left": len(asked.level.hints) - len(given) - 1})


def _again(asked: AskedAttempt) -> HttpResponse:
    """Another attempt from the beginning; this one stays as a branch to compare with."""
    run = asked.run
    # Not the run's own title, because a branch that shows a solution is named after it.
    branch = _from_the_beginning(asked, title=level_text(asked.level, asked.level.title), own=(), paused=True)
    return json_answer({"url": reverse("sim:run", args=[branch.id]), "compare": reverse("sim:run-compare", args=[run.id, branch.id])})


def _solution(asked: AskedAttempt) -> HttpResponse:
    """The shortest right solution as a branch that plays it."""
    if asked.run.level.startswith(EXAM):
        return json_answer({"nothing": _("Exams do not show solutions.")})
    if asked.run.level.startswith(ALONE):
        return json_answer({"nothing": _("This attempt shows no solution. Start the level with hints from its page.")})
    solution = best_solution(asked.level)
    if solution is None:
        return json_answer({"nothing": _("No solution of this level is known.")})
    own = [Stamped(at_ms=step.at_ms, n=n, command=step.command) for n, step in enumerate(solution.steps(), start=1)]
    branch = _from_the_beginning(asked, title=solution_title(asked.level, solution), own=own, paused=False)
    return json_answer({"url": reverse("sim:run", args=[branch.id])})


def _from_the_beginning(asked: AskedAttempt, *, title: str, own: Sequence[Stamped], paused: bool) -> Run:
    """A branch without any of the learner's acts; in the first instant, it keeps what came before their first act."""
    run, start = asked.run, start_of(asked.level, seed=asked.level.seeds[0])
    first = next((row for row in own_acts(run) if row.at_ms == start.at_ms and row.applied_seq), None)
    return run_branch(
        parent=run,
        owner_key=owner_key(asked.request),
        at_ms=start.at_ms,
        at_seq=(first.applied_seq or 1) - 1 if first else None,
        title=title,
        paused=paused,
        address=address_hash_of(asked.request),
        own=own,
        stands_ms=opening_ms(asked.level, start) if paused else 0,
    )


@costly("POST")
@require_POST
def level_ask(request: HttpRequest, run_id: UUID, ask_id: str) -> HttpResponse:
    """Whether a prediction of the run's level or story was right, and what happens if nobody acts any more."""
    run = run_or_404(run_id)
    if role_for(request, run) != OWNER:
        return json_answer({"error": _("Only the owner of this run can do that. Fork it to get your own.")}, status=403)
    if run.level.startswith(EXAM):
        return json_answer({"error": _("Exams do not ask for predictions.")}, status=404)
    level = level_of_key(run.level) if run.level else None
    story = builtin_story(run.scenario) if run.scenario else None
    asks = level.asks if level else story.asks if story else ()
    ask = next((ask for ask in asks if ask.id == ask_id), None)
    if ask is None:
        return json_answer({"error": _("There is no such prediction.")}, status=404)
    choice = whole_number(request.POST.get("choice", ""), most=HINTS_MAX)
    at_ms = whole_number(request.POST.get("at_ms", ""))
    if choice is None and at_ms is None and "nothing" not in request.POST:
        return json_answer({"error": _("Choose an answer.")}, status=400)
    try:
        truth = truth_of(ask, run.header(), commands_of(run))
    except (EngineFailed, EngineError) as error:
        return json_answer({"error": _("This attempt cannot be played: %(error)s") % {"error": str(error)[:200]}}, status=422)
    return json_answer(_graded(level, ask, truth, choice=choice, at_ms=at_ms))


def _graded(level: Level | None, ask: Ask, truth: AskedTruth, *, choice: int | None, at_ms: int | None) -> dict[str, Any]:
    record = truth.record
    happens = said(explain.headline(record)) if record else _("Nothing like that happens by %(at)s.") % {"at": clock_text(truth.until_ms)}
    chosen = ask.choices[choice] if choice is not None and choice < len(ask.choices) else None
    return {
        "right": is_right(ask, truth, choice=choice, at_ms=at_ms),
        "truth": truth.choice,
        "told": happens,
        "at_ms": record.at_ms if record else truth.until_ms,
        "seq": record.seq if record else 0,
        "subject": record.subject if record else "",
        "why": "" if chosen is None or not chosen.why else level_text(level, chosen.why) if level else _(chosen.why),
    }


def _cause(asked: AskedAttempt) -> HttpResponse:
    """Whether the record that the learner selected shows a fault of a generated task."""
    practice = practice_of_key(plain_key(asked.run.level))
    seq = whole_number(asked.request.POST.get("seq", ""))
    records = timemachine.log(asked.run, after=(seq or 1) - 1, limit=1) if seq else []
    if practice is None or not records:
        return json_answer({"error": _("Select a record on the lanes first.")}, status=400)
    fault = cause_shown(practice, records[0])
    if fault is None:
        return json_answer({"right": False, "told": _("That is not where the fault shows. Look at what comes before it, and ask why.")})
    return json_answer({"right": True, "fault": fault.id, "told": _(fault.told), "of": len(practice.faults)})


@require_GET
def level_used(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """How many acts an attempt has used. Two queries."""
    run = run_or_404(run_id)
    level = level_of_key(run.level) if run.level else None
    if level is None:
        return json_answer({"error": _("This run is not an attempt at a level.")}, status=404)
    return json_answer({"acts": used_acts(level, run)})


level_cause = _attempted(_cause)
level_check = _attempted(_check)
level_hint = _attempted(_hint)
level_again = _attempted(_again)
level_solution = _attempted(_solution)
