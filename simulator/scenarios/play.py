"""Play a story without a site: its run with the acts of a reader who follows it.

Raises Elsewhere in a process that leaves playing to others.
"""

from collections.abc import Sequence

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import ScriptStep
from simulator.engine.course.replay import replay
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.runs.log import elsewhere
from simulator.scenarios.build import story_content
from simulator.scenarios.expect import horizon_ms
from simulator.scenarios.story import Story


def play(story: Story, acts: Sequence[ScriptStep] | None = None) -> tuple[list[Record], Ms]:
    """Every record up to the last moment that the story refers to, and that moment. 1 to 70 ms.

    ``acts`` replace those of the story's answer. Raises ValueError if the story's manifest has errors.
    """
    elsewhere.plays()
    records: list[Record] = []
    until_ms = horizon_ms(story.expect)
    steps = story.answer_steps() if acts is None else acts
    replay(story_content(story).header, _stamped(steps), until_ms=until_ms, into=records)
    return records, until_ms


def world_before(story: Story, acts: Sequence[ScriptStep], *, at_ms: Ms) -> World:
    """The world of a story at a moment, after these acts. Costs and errors as for ``play``."""
    elsewhere.plays()
    return replay(story_content(story).header, _stamped(acts), until_ms=at_ms)


def _stamped(steps: Sequence[ScriptStep]) -> list[Stamped]:
    return [Stamped(n=n, at_ms=step.at_ms, command=step.command) for n, step in enumerate(steps, start=1)]
