"""What the log of a run holds once its owner has taken it to where its clock stands at first: made once for all runs that begin alike.

Runs that begin paused at one moment, as the attempts of a class do, have the same records until somebody acts. Stored with
such a run, they leave its first owner nothing to do before the first act, so nobody waits for one to see where the run stands.
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
"""A beginning that takes more is left to the owners: some 200 ms, which whoever opens the run waits for."""


def beginning_of(content: Content, *, at_ms: Ms) -> Addition | None:
    """What the log of a run of ``content`` holds when its clock stands at ``at_ms``; None where that takes long, or the engine fails.

    Of its commands those up to ``at_ms`` count, numbered as ``given_until`` does. Raises Elsewhere in a process that leaves playing to
    others.
    """
    elsewhere.plays()
    try:
        course = Course(renewed(content.header), given_until(content.commands, at_ms))
        leg = course.drive(at_ms, limit=WORK_MAX)
    except EngineFailed:
        return None  # the run itself tells of it
    records = (*course.world.first_records, *leg.records)
    if not (leg.is_there and leg.is_whole) or len(records) > CHUNK_RECORDS_MAX:
        return None
    world = course.world
    return Addition(records=records, applied=tuple(leg.applied), head_seq=world.seq, head_ms=world.now_ms, digest=world.digest())


def given_until(commands: Sequence[Stamped], at_ms: Ms) -> list[Stamped]:
    """The commands that a run of such a content has from its beginning when it begins at a moment, as it numbers them."""
    given = [stamped for stamped in commands if stamped.at_ms <= at_ms]
    return [Stamped(at_ms=stamped.at_ms, n=n, command=stamped.command) for n, stamped in enumerate(given, start=1)]
