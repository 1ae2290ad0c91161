"""The output of users' commands in containers by a moment: while they run it is in their pipes, afterwards in what is kept of it."""

from msgspec import Struct

from simulator.engine.kernel.units import Seq
from simulator.engine.world.rows import ExecAnswer
from simulator.engine.world.world import World


class ExecSaid(Struct, frozen=True, kw_only=True):
    """The output of a command; ``end``: how it ended, if it has. ``is_known`` is False if nothing is kept of it any more."""

    printed: str = ""
    errors: str = ""
    end: ExecAnswer | None = None
    is_known: bool = True


def exec_said(world: World, seq: Seq) -> ExecSaid:
    """The output of the command with that record. ``errors`` is separate only if that was requested."""
    found = world.tables.answers.get(seq)
    if found is not None:
        return ExecSaid(printed=found.printed, errors=found.errors, end=found)
    row = next((row for row in world.tables.execs.values() if row.seq == seq), None)
    if row is None:
        return ExecSaid(is_known=False)
    there = world.tables.instances.get(row.pod, ())
    process = next((item.process for item in there if (item.container, item.attempt) == (row.container, row.attempt)), None)
    if process is None:
        return ExecSaid()
    state, pipes = row.state, process.pipes
    return ExecSaid(printed=pipes.get(state.output or state.pipe, ""), errors=pipes.get(state.errors, "") if state.output else "")
