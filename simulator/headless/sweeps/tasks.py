"""The tasks for a sweep's worker processes: a cell, or the replay of a run."""

from msgspec import Struct

from simulator.engine.kernel.typed import Typed
from simulator.headless.replays import ReplayTask


class CellTask(Struct, frozen=True, tag="cell"):
    """One cell of a sweep; ``sweep`` is the sweep's text."""

    sweep: str
    value: int | str
    seed: int


Task = CellTask | ReplayTask
TASK: Typed[Task] = Typed(Task)
