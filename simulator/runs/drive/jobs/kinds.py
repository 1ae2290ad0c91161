"""What can be asked for as a job. Each kind is one declaration; the queue and both ways of carrying jobs out know nothing else of it."""

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

from django.conf import settings
from msgspec import Struct

from simulator.headless.replays import Head, ReplayVerdict
from simulator.headless.sweeps.sweep import SweepPlan
from simulator.headless.sweeps.workers import Crew, Result, Tell, work_off, work_through
from simulator.models import Run, StoredJob, StoredReplay, StoredSweep
from simulator.runs.log.content import Unreadable
from simulator.runs.log.db import in_mending
from simulator.runs.log.replays import replay_task
from simulator.runs.log.storage import BrokenLog
from simulator.runs.selectors.sweeps import sweep_askers

Work = Callable[[Crew, Tell, frozenset[int]], Coroutine[Any, Any, None]]
"""Has every part of a job worked out by a crew but those that are done, and tells each as it comes. To cancel it ends them."""


class JobKind(Struct, frozen=True, kw_only=True):
    """A kind of work that is cut into numbered parts.

    ``rows`` holds what is asked and what has come of it; a row's key is the digest of all that its results follow from, so whoever asks
    again, and whoever carries it out again, meets the same row. ``opened`` makes it ready; what it raises of BadSweep and Unreadable
    means that the present engine cannot. ``askers`` gives of jobs, by their ids, who waits for each: their turns go by that.
    ``seconds_max`` is after how long a job is stopped with what is there. ``too_long``, ``lost`` and ``unplayable`` are the codes of why a
    job ended so (``state_notes.py``).
    """

    name: str
    rows: type[StoredJob]
    opened: Callable[[Any], Work]
    askers: Callable[[Sequence[str]], Mapping[str, Collection[str]]]
    seconds_max: Callable[[], float]
    too_long: str
    lost: str
    unplayable: str

    @property
    def task(self) -> str:
        """What the Celery task that carries such jobs out is called."""
        return f"podscope.{self.name}"


def _sweep(row: StoredSweep) -> Work:
    return partial(work_through, SweepPlan(row.sweep()))


SWEEP = JobKind(
    name="sweep",
    rows=StoredSweep,
    opened=_sweep,
    askers=sweep_askers,
    seconds_max=lambda: float(settings.SIM_SWEEP_S_MAX),
    too_long="sweep_too_long",
    lost="sweep_lost",
    unplayable="sweep_unplayable",
)


def _replay(row: StoredReplay) -> Work:
    heads = row.heads()

    async def work(crew: Crew, tell: Tell, done: frozenset[int]) -> None:
        await work_off(((number, partial(_verdict, crew, head)) for number, head in enumerate(heads)), crew.size, tell, done)

    return work


async def _verdict(crew: Crew, head: Head) -> Result:
    """What came of a run. One that is gone by now agrees with nothing, and one that cannot be read differs."""
    try:
        return await crew.result(await in_mending(replay_task, head))
    except Run.DoesNotExist:
        return ReplayVerdict(problem="it was deleted")
    except (Unreadable, BrokenLog) as error:
        return ReplayVerdict(problem=f"{type(error).__name__}: {error}")


REPLAY = JobKind(
    name="replay",
    rows=StoredReplay,
    opened=_replay,
    askers=lambda _ids: {},
    seconds_max=lambda: float("inf"),
    too_long="",
    lost="replay_lost",
    unplayable="replay_unplayable",
)
KINDS = {kind.name: kind for kind in (SWEEP, REPLAY)}
"""By name, in the order in which they are carried out."""
