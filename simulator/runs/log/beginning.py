"""The initial log of a run, up to where its clock first stands: computed once for all runs that begin alike.

Runs that begin paused at the same moment, such as the attempts of a class, have the same records until somebody acts. If the records are
stored when the run is created, its first owner has nothing to do before the first act, and nobody has to wait for an owner to see the run.
"""

from collections.abc import Sequence

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.course.header import renewed
from simulator.engine.course.replay import Course
from simulator.engine.kernel.errors import EngineFailed
from simulator.engine.kernel.units import Ms
from simulator.runs.log import elsewhere
from simulator.runs.log.content import Content
from simulator.runs.log.storage import CHUNK_RECORDS_MAX, Addition

WORK_MAX = 20_000
"""A beginning that takes more work is left to the owners. About 200 ms, for which the person opening the run has to wait."""


def beginning_of(content: Content, *, at_ms: Ms) -> Addition | None:
    """The log of a run of ``content`` whose clock stands at ``at_ms``; None if that takes too long, or if the engine fails.

    Its commands up to ``at_ms`` are included, numbered as by ``given_until``. Raises Elsewhere in a process that leaves playing to others.
    """
    elsewhere.plays()
    try:
        course = Course(renewed(content.header), given_until(content.commands, at_ms))
        leg = course.drive(at_ms, limit=WORK_MAX)
    except EngineFailed:
        return None  # the run itself will report it
    records = (*course.world.first_records, *leg.records)
    if not (leg.is_there and leg.is_whole) or len(records) > CHUNK_RECORDS_MAX:
        return None
    world = course.world
    return Addition(records=records, applied=tuple(leg.applied), head_seq=world.seq, head_ms=world.now_ms, digest=world.digest())


def given_until(commands: Sequence[Stamped], at_ms: Ms) -> list[Stamped]:
    """The commands that a run starts with if it begins at ``at_ms``, numbered as in that run."""
    given = [stamped for stamped in commands if stamped.at_ms <= at_ms]
    return [Stamped(at_ms=stamped.at_ms, n=n, command=stamped.command) for n, stamped in enumerate(given, start=1)]
