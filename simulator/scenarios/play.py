"""A story played without a site: its run with the acts of a reader who follows it."""

from collections.abc import Sequence

from simulator.engine.acts.registry import Stamped
from simulator.engine.course.header import ScriptStep
from simulator.engine.course.replay import replay
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.scenarios.build import story_content
from simulator.scenarios.expect import horizon_ms
from simulator.scenarios.story import Story


def play(story: Story, acts: Sequence[ScriptStep] | None = None) -> tuple[list[Record], Ms]:
    """Every record up to the last moment that the story speaks of, and that moment. 1 to 70 ms.

    ``acts`` stand in for those of the story's answer. Raises ValueError where the story's manifest has errors.
    """
    records: list[Record] = []
    until_ms = horizon_ms(story.expect)
    steps = story.answer_steps() if acts is None else acts
    given = (Stamped(n=n, at_ms=step.at_ms, command=step.command) for n, step in enumerate(steps, start=1))
    replay(story_content(story).header, given, until_ms=until_ms, into=records)
    return records, until_ms
