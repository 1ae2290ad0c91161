"""Hints for the steps of a story in three grades: where to look, what it means, what to do.

Nothing is written by hand. The story is played with the acts of a reader who follows it, then with fewer and fewer of them: the acts
without which the step would not be completed are what to do, each with its description and kubectl line. The record that completes the step
says where to look, and its rule what it means; for an act that is the rule of its consequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from django.utils.translation import gettext as _

from simulator.engine.acts.act import sentence_of
from simulator.engine.acts.all_acts import ACTS, AnyCommand
from simulator.engine.acts.targets import named_in
from simulator.engine.course.header import ScriptStep
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.projection.subjects import short
from simulator.engine.rules import explain
from simulator.manifests.documentation import docs_link
from simulator.scenarios.expect import Expectation, fulfilment
from simulator.scenarios.grading.spans import span_ms
from simulator.scenarios.play import play, world_before
from simulator.scenarios.story import Story, acts_of
from simulator.web.base.stories import builtin_stories, named_steps
from simulator.web.presenters import clock_text, lane_label, said, status_help
from simulator.web.run.act_lines import act_line


@dataclass(frozen=True)
class HintAct:
    """An act of a reader: its moment in the story, its description, and its kubectl line (if any)."""

    time: str
    words: str
    line: str


@dataclass(frozen=True)
class StepHints:
    """The three grades. ``sel`` is what to select, ``tab`` the tab to open, or empty; ``rule_id`` and ``doc`` belong to the meaning."""

    where: str
    sel: Subject = ""
    tab: str = ""
    meaning: tuple[str, ...] = ()
    rule_id: str = ""
    doc: str = ""
    todo: str = ""
    acts: tuple[HintAct, ...] = ()


@dataclass(frozen=True)
class _HintedAct:
    at_ms: Ms
    command: AnyCommand
    line: str


@dataclass(frozen=True)
class _Played:
    """The result of playing the story for a step, independent of language: the record that completes it, its meaning, the needed acts."""

    record: Record
    step: explain.ExplainedStep
    hinted: tuple[_HintedAct, ...]


def hints_of(story: Story, name: str) -> StepHints | None:
    """The hints for the step with that name in the reader's language; None if the story has no such step."""
    step = named_steps(story).get(name)
    if step is None:
        return None
    if step.done is None:
        return StepHints(where=_("No record shows this step, so there is no hint for it. Read it, try it, and check it off yourself."))
    played = None if step.done.never else _played(story.slug, name)
    return _by_time(step.done) if played is None else _by_record(played)


def _by_time(done: Expectation) -> StepHints:
    said_of = {
        "lane": lane_label(done.machine),
        "name": short(done.subject),
        "target": done.target,
        "time": clock_text(span_ms(done.by)),
    }
    meaning = _("This step completes with time: at %(time)s, unless %(lane)s of %(name)s shows %(target)s before then.")
    return StepHints(
        where=_where_on_lane(done.machine, done.subject),
        sel=done.subject if "*" not in done.subject else "",
        meaning=(meaning % said_of,),
        todo=_("Let it play until %(time)s.") % said_of,
    )


def _by_record(played: _Played) -> StepHints:
    record, step = played.record, played.step
    is_event, is_act = record.machine == "k8s_event", record.kind == "command"
    help_text = str(status_help(record.target)) if record.machine == "status_word" else ""
    parts = [said(step.headline), said(step.sentence), help_text]
    acts = tuple(HintAct(clock_text(act.at_ms), said(sentence_of(ACTS.of(act.command), act.command)), act.line) for act in played.hinted)
    return StepHints(
        where=_where_act(record) if is_act else _where_event(record) if is_event else _where_on_lane(record.machine, record.subject),
        sel=record.subject if record.subject != "run" else "",
        tab="events" if is_event else "",
        meaning=tuple(dict.fromkeys(part for part in parts if part)),
        rule_id=step.rule_id,
        doc=docs_link(step.doc),
        todo=_todo(record, has_acts=bool(acts)),
        acts=acts,
    )


def _where_on_lane(machine: str, subject: Subject) -> str:
    return _("On the lanes, under %(name)s: %(lane)s.") % {"name": short(subject), "lane": lane_label(machine)}


def _where_event(record: Record) -> str:
    told = _("In the Events tab: an Event about %(name)s with the reason %(reason)s.")
    return told % {"name": short(record.subject), "reason": record.target}


def _where_act(record: Record) -> str:
    if record.subject == "run":
        return _("In the command list (Ctrl+K) and in the editor: this action does not belong to a single object.")
    if record.subject.startswith("image/"):
        return _("In the actions of a pod that uses the image, under Images.")
    return _("In the actions of %(name)s: select it, or open its menu (X).") % {"name": short(record.subject)}


def _todo(record: Record, *, has_acts: bool) -> str:
    time = {"time": clock_text(record.at_ms)}
    if not has_acts:
        return _("You do not need to do anything: let it play. It happens at about %(time)s.") % time
    if record.kind == "command":
        return _("Do this at any moment you like:")
    return _("Do this and let it play. If you do it at these moments, the step completes at %(time)s:") % time


@cache
def _played(slug: str, name: str) -> _Played | None:
    """Play the story up to the record that completes the step, with the acts it needs. 1 to 70 ms per act, once per process."""
    story = builtin_stories()[slug]
    step = named_steps(story)[name]
    offered = sorted(acts_of(step.acts) or story.answer_steps(), key=lambda act: act.at_ms)
    if step.done is None or _fulfilled(story, step.done, offered) is None:
        return None
    acts = _needed(story, step.done, offered)
    records, _until_ms = play(story, acts)
    record = fulfilment(step.done, records)
    assert record is not None, "without what is not needed it comes all the same"
    # A command has no rule of its own; what follows from it does.
    told = next((other for other in records if other.cause == record.seq and other.rule), record) if record.kind == "command" else record
    hinted = tuple(_hinted_act(story, acts[:n], act) for n, act in enumerate(acts))
    return _Played(record, explain.why(records, told.seq, limit=1)[0], hinted)


def _needed(story: Story, done: Expectation, acts: Sequence[ScriptStep]) -> list[ScriptStep]:
    """The acts without which the step would not be completed."""
    needed = list(acts)
    # From the last one backwards: an act that only prepared another is dropped with it.
    for act in reversed(acts):
        fewer = [other for other in needed if other is not act]
        if _fulfilled(story, done, fewer) is not None:
            needed = fewer
    return needed


def _fulfilled(story: Story, done: Expectation, acts: Sequence[ScriptStep]) -> Record | None:
    return fulfilment(done, play(story, acts)[0])


def _hinted_act(story: Story, before: Sequence[ScriptStep], act: ScriptStep) -> _HintedAct:
    world = world_before(story, before, at_ms=act.at_ms)
    return _HintedAct(act.at_ms, named_in(world.tables, act.command), act_line(world, act.command))
