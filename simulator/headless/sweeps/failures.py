"""What stands in the place of a result where a task could not be worked out.

A cell that failed for time, memory or a death is not final: another time, on another machine, it may come out.
"""

from simulator.headless.replays import ReplayTask, ReplayVerdict
from simulator.headless.sweeps.sweep import DIED, FAILED, TOO_LARGE, TOO_SLOW, SweepCell
from simulator.headless.sweeps.tasks import Task

REPLAY_PROBLEMS = {
    TOO_SLOW: "it took too long",
    TOO_LARGE: "it needed too much memory",
    DIED: "its process died twice",
    FAILED: "the simulation failed",
}


def failure(task: Task, code: str, error: Exception | None = None) -> SweepCell | ReplayVerdict:
    """A result that says so. ``code`` is one of FAILURES; a replay is for operators, who may read what the error was."""
    if isinstance(task, ReplayTask):
        return ReplayVerdict(problem=f"{type(error).__name__}: {error}" if error else REPLAY_PROBLEMS[code])
    return SweepCell(failure=code, is_final=False)
