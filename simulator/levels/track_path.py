"""A track as a path: explained examples, then predictions, then levels with hints, then levels alone.

There is no list of what belongs where. It follows from the stories and levels themselves: whether a story asks for predictions, and the
order of a track's levels, the last third of which is for those who have done the others.
"""

from collections.abc import Sequence

from msgspec import Struct

from simulator.levels.level import Level
from simulator.scenarios.story import Story

EXAMPLE, PREDICTION, GUIDED, ALONE_STAGE = "example", "prediction", "guided", "alone"
ALONE_SHARE = 3
"""One in this many levels is done alone."""


class PathStage(Struct, frozen=True):
    """A stage of a path with its stories and levels, in order."""

    kind: str
    stories: tuple[Story, ...] = ()
    levels: tuple[Level, ...] = ()


def track_path(stories: Sequence[Story], levels: Sequence[Level]) -> tuple[PathStage, ...]:
    """The four stages of a track with these stories and levels. Without any, the stages are empty."""
    told = [story for story in stories if not story.asks] or list(stories[:1])
    asking = [story for story in stories if story not in told]
    left = list(levels)
    # If no story asks for a prediction, the first level that does is used.
    first = next((level for level in left if level.asks), None) if not asking else None
    if first is not None:
        left.remove(first)
    alone = -(-len(levels) // ALONE_SHARE)
    at = max(len(left) - alone, 0)
    return (
        PathStage(EXAMPLE, tuple(told)),
        PathStage(PREDICTION, tuple(asking), (first,) if first else ()),
        PathStage(GUIDED, levels=tuple(left[:at])),
        PathStage(ALONE_STAGE, levels=tuple(left[at:])),
    )
