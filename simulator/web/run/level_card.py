"""What a run's page shows of the level that the run is an attempt at. It never contains a solution or an answer."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.urls import reverse
from django.utils.translation import gettext as _

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.kernel.json_text import decode
from simulator.engine.kernel.units import Ms
from simulator.kubectl.yaml import to_yaml
from simulator.levels.checking import acts_used, best_acts
from simulator.levels.level import Level
from simulator.levels.reading import BadLevel
from simulator.levels.start import given_acts, start_of
from simulator.models import Run
from simulator.runs.log.history import commands_of, own_acts
from simulator.scenarios.asks import Ask
from simulator.scenarios.grading.spans import span_ms
from simulator.scenarios.story import Story
from simulator.web.base.levels import ALONE, EXAM, PRACTICE, check_fields, level_of_key, level_paragraphs, level_text, next_level, plain_key
from simulator.web.presenters import clock_text, said


@dataclass(frozen=True)
class ExplainedAct:
    """An act of a shown solution. ``body`` is what its text leaves out: what is run, patched or applied."""

    clock: str
    words: str
    body: str = ""


@dataclass(frozen=True)
class LevelCard:
    """A level next to its run. ``facts_json`` has what the browser needs for grading and predictions."""

    level: Level
    key: str
    title: str
    brief: list[str]
    horizon: str
    checks: list[dict[str, Any]]
    best: int | None
    has_hints: bool
    has_solution: bool
    facts_json: str
    solution: str
    explained: Sequence[ExplainedAct]
    explanation: str
    next_slug: str
    next_title: str
    is_exam: bool
    has_causes: bool

    @property
    def address(self) -> str:
        """The level's own page."""
        return level_address(self.key)


def level_address(key: str) -> str:
    """The URL of a level's page."""
    key = plain_key(key)
    if key.startswith(PRACTICE):
        return reverse("sim:practice")
    return reverse("sim:level", args=[key]) if not key.startswith("~") else reverse("sim:own-level", args=[key[1:]])


def level_card(run: Run, *, is_owner: bool) -> LevelCard | None:
    """The card of a run's level; None if the run is not an attempt, or if this release cannot read the level."""
    level = level_of_key(run.level) if run.level else None
    if level is None:
        return None
    is_exam = run.level.startswith(EXAM)
    is_helped = not run.level.startswith((EXAM, ALONE))
    checks = [check_fields(level, check) for check in level.checks]
    after = next_level(level)
    name, explained, explanation = _shown_solution(level, run)
    return LevelCard(
        level=level,
        key=run.level,
        title=level_text(level, level.title),
        brief=level_paragraphs(level, level.brief),
        horizon=clock_text(level.horizon_ms),
        checks=checks,
        best=best_acts(level),
        has_hints=bool(level.hints) and is_helped,
        has_solution=best_acts(level) is not None and is_owner and is_helped,
        facts_json=msgspec.json.encode(_facts(level, run, checks, is_own=not name)).decode(),
        solution=name,
        explained=explained,
        explanation=explanation,
        next_slug=after.slug if after else "",
        next_title=level_text(after, after.title) if after else "",
        is_exam=is_exam,
        has_causes=plain_key(run.level).startswith(PRACTICE),
    )


def _facts(level: Level, run: Run, checks: list[dict[str, Any]], *, is_own: bool) -> dict[str, Any]:
    """What the scripts need. Branches that show a solution, and exams, ask no predictions."""
    is_exam = run.level.startswith(EXAM)
    base = reverse("sim:run", args=[run.id]) + "level/"
    return {
        "key": run.level.removeprefix(ALONE),  # a level passed alone counts as passed
        "horizon_ms": level.horizon_ms,
        "allow": list(level.allow),
        "exam": is_exam,
        "hints": 0 if run.level.startswith((EXAM, ALONE)) else len(level.hints),
        "best": None if is_exam else best_acts(level),
        "acts": used_acts(level, run),
        "base": base,
        "checks": checks,
        **_given(level),
        "asks": [ask_fields(ask, lambda text: level_text(level, text)) for ask in (level.asks if is_own and not is_exam else ())],
        "home": level_address(run.level),
        "before": reverse("sim:run-compare", args=[run.parent_id, run.id]) if run.parent_id and is_own else "",
    }


def _given(level: Level) -> dict[str, Any]:
    """The level's own acts, if a check is about the learner's; otherwise the browser need not know what is coming."""
    patterns = [pattern for check in level.checks for pattern in check.patterns()]
    if not any(each.own for pattern in patterns for each in pattern.each()):
        return {}
    try:
        return {"given": given_acts(start_of(level, seed=level.seeds[0]))}
    except BadLevel:
        return {}


def used_acts(level: Level, run: Run) -> int:
    """How many acts the learner has used in an attempt; 0 if the level's beginning can no longer be read. One query."""
    try:
        return acts_used(level, commands_of(run))
    except BadLevel:
        return 0


def story_asks(run: Run, story: Story) -> str:
    """The predictions of a run's story for the browser; empty if there are none."""
    if not story.asks:
        return ""
    base = reverse("sim:run", args=[run.id]) + "level/"
    fields = [ask_fields(ask, _) for ask in story.asks]
    return msgspec.json.encode(
        {"key": f"story:{story.slug}", "base": base, "asks": fields, "home": reverse("sim:scenario", args=[story.slug])}
    ).decode()


def ask_fields(ask: Ask, told: Callable[[str], str]) -> dict[str, Any]:
    """A prediction for the page, without the patterns that contain the answer."""
    lane = ask.place.subject if ask.place is not None else ""
    return {
        "id": ask.id,
        "at_ms": span_ms(ask.at),
        "until_ms": span_ms(ask.at) + span_ms(ask.within),
        "question": told(ask.question),
        "choices": [told(choice.text) for choice in ask.choices],
        "lane": lane,
    }


def _shown_solution(level: Level, run: Run) -> tuple[str, list[ExplainedAct], str]:
    """The solution shown by a branch, if there is one: the branch's acts are exactly the solution's."""
    rows = own_acts(run)
    acts = [(row.at_ms, row.command()) for row in rows]
    for solution in level.solutions:
        if solution.expect == "pass" and acts and acts == [(step.at_ms, step.command) for step in solution.steps()]:
            return level_text(level, solution.name), [_explained(*act) for act in acts], level_text(level, solution.why)
    return "", [], ""


def _explained(at_ms: Ms | None, command: AnyCommand) -> ExplainedAct:
    return ExplainedAct(_clock(at_ms), said(sentence_of(ACTS.of(command), command)), act_body(command))


def act_body(command: AnyCommand) -> str:
    """What an act's text leaves out: the command line run in a container, a patch or objects as YAML; "" if nothing."""
    line, patch = getattr(command, "command", ()), getattr(command, "patch", "")
    texts = [patch] if patch else getattr(command, "documents", ()) or [getattr(command, "document", "")]
    try:
        bodies = [to_yaml(decode(text)) for text in texts if text]
    except ValueError:
        return ""  # a wrong solution may send invalid JSON
    return shlex.join(line) if line else "---\n".join(bodies).rstrip()


def _clock(at_ms: Ms | None) -> str:
    return "" if at_ms is None else clock_text(at_ms)
