"""A track as a path: explained examples, then predictions, then levels with hints, then levels alone.

Nothing lists what stands where. It follows from what stories and levels are: whether a story asks for predictions, and the order of
a track's levels, whose last third is for those who have done the others.
"""

from collections.abc import Sequence

from msgspec import Struct

from simulator.levels.level import Level
from simulator.scenarios.story import Story

EXAMPLE, PREDICTION, GUIDED, ALONE_STAGE = "example", "prediction", "guided", "alone"
ALONE_SHARE = 3
"""One of so many levels is done alone."""


class PathStage(Struct, frozen=True):
    """A stage of a path with its stories and levels, each in its order."""

    kind: str
    stories: tuple[Story, ...] = ()
    levels: tuple[Level, ...] = ()


def track_path(stories: Sequence[Story], levels: Sequence[Level]) -> tuple[PathStage, ...]:
    """The four stages of a track whose stories and levels these are. Without any, its stages are empty."""
    told = [story for story in stories if not story.asks] or list(stories[:1])
    asking = [story for story in stories if story not in told]
    left = list(levels)
    # Where no story asks, the first level that does is the prediction.
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
