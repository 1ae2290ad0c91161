"""The taints of a Node object: who changes them writes a record for each."""

from msgspec.structs import replace

from simulator.engine.effects import Effects

Taint = tuple[str, str, str]
"""Key, value and effect."""


def change_taints(fx: Effects, node: str, *, add: tuple[Taint, ...], remove: tuple[Taint, ...], rule: str) -> None:
    """Add and remove taints of a node, with a record for each."""
    row = fx.tables.nodes[node]
    gone = tuple(taint for taint in row.taints if taint in remove)
    fresh = tuple(taint for taint in add if taint not in row.taints)
    if not gone and not fresh:
        return
    seq = cause = fx.cause
    for taint in (*fresh, *gone):
        is_new = taint in fresh
        text = f"{taint[0]}={taint[1]}:{taint[2]}" if taint[1] else f"{taint[0]}:{taint[2]}"
        seq = fx.record(
            subject=f"node/{node}", machine="taint", source="absent" if is_new else "present", target="present" if is_new else "absent",
            rule=rule, data=(("taint", text), ("key", taint[0]), ("value", taint[1]), ("effect", taint[2])), cause=cause,
        )  # fmt: skip
    fx.cause = seq
    fx.save_node(replace(row, taints=(*(taint for taint in row.taints if taint not in gone), *fresh)))
