"""The taints of a Node object; each taint that is added or removed gets a record."""

from msgspec.structs import replace

from simulator.engine.kernel.machine import DECIDED
from simulator.engine.machines.taint import TAINT
from simulator.engine.policies.taint_eviction import Taint
from simulator.engine.world.effects import Effects


def change_taints(fx: Effects, node: str, *, add: tuple[Taint, ...], remove: tuple[Taint, ...], rule: str) -> None:
    """Add and remove taints of a node, with a record for each."""
    row = fx.tables.nodes[node]
    gone = tuple(taint for taint in row.taints if taint in remove)
    fresh = tuple(taint for taint in add if taint not in row.taints)
    if not gone and not fresh:
        return
    seq, held = 0, list(row.taints)
    for taint in (*fresh, *gone):
        text = f"{taint[0]}={taint[1]}:{taint[2]}" if taint[1] else f"{taint[0]}:{taint[2]}"
        data = (("taint", text), ("key", taint[0]), ("value", taint[1]), ("effect", taint[2]))
        source = "present" if taint in held else "absent"
        step, seq = fx.fire(TAINT, f"node/{node}", source, DECIDED, rule, data=data)
        assert step is not None
        held = [item for item in held if item != taint] + ([taint] if step.target == "present" else [])
    fx.cause = seq
    fx.save_node(replace(row, taints=tuple(held)))
