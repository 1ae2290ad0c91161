"""The stand-in for a result when a task could not be computed.

A cell that failed because of time, memory or a dead process is not final: it may succeed another time, on another machine.
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
    """A result that says so. ``code`` is one of FAILURES; replays are for operators, so theirs includes the error."""
    if isinstance(task, ReplayTask):
        return ReplayVerdict(problem=f"{type(error).__name__}: {error}" if error else REPLAY_PROBLEMS[code])
    return SweepCell(failure=code, is_final=False)
