"""The kinds of jobs. Each kind is one declaration, which is all that the queue and both kinds of workers know about it."""

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
"""Has a crew compute every part of a job that is not done yet, and reports each result as it arrives. Cancelling it stops them."""


class JobKind(Struct, frozen=True, kw_only=True):
    """A kind of work that is cut into numbered parts.

    ``rows`` is the model that holds requests and results; a row's key is a digest of everything that its results depend on, so a repeated
    request, and a repeated execution, finds the same row. ``opened`` prepares a row for work; if it raises BadSweep or Unreadable, the
    present engine cannot do the work. ``askers`` returns, for job ids, who is waiting for each, which decides the order.
    ``seconds_max`` is how long a job may run before it is stopped with the results it has. ``too_long``, ``lost`` and ``unplayable`` are
    the codes for why a job ended (``state_notes.py``).
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
        """The name of the Celery task that carries out such jobs."""
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
    """The verdict on a run. A run that has been deleted meanwhile, or that cannot be read, gets a problem."""
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
"""The kinds by name, in the order in which they are carried out."""
