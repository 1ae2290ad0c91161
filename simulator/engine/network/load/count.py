"""How many requests had which outcome, by arithmetic over intervals in which all have the same.

Requests are numbered as they are sent, at even distances; a slot takes every n-th of them (a
residue of a modulus). How many of a slot fall into an interval is then a difference of two divisions,
so an interval of any length costs the same, and the sum over all outcomes is exactly the number of
requests sent, however a run is sliced.

A request has an outcome only once its time has passed; until then it is waiting. When the plan
changes, whatever is still waiting is kept as an open piece with the fate that was planned for it, or
cut and given another.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from simulator.engine.kernel.units import Ms
from simulator.engine.world.rows import Fate, LoadRow, Piece, Slot

WAITING = "waiting"
"""The outcome of a request that is still in flight."""
_MILLI_OF_A_MILLION = 1_000_000


def sent(row: LoadRow, at_ms: Ms) -> int:
    """How many requests were sent before that moment, since they were numbered."""
    return max(0, at_ms - row.since_ms) * row.rate_milli // _MILLI_OF_A_MILLION


def taken(slot: Slot, first: int, last: int) -> int:
    """How many of the requests from ``first`` up to ``last`` (exclusive) use a slot."""
    return _below(slot, last) - _below(slot, first)


def _below(slot: Slot, number: int) -> int:
    return max(0, (number - slot.residue + slot.modulus - 1) // slot.modulus)


def pieces(row: LoadRow, now_ms: Ms) -> list[Piece]:
    """The pieces that may still be in flight, including what was sent under the current plan."""
    first, last = sent(row, row.plan_ms), sent(row, now_ms)
    return [*row.open, *[Piece(slot, row.plan_ms, now_ms, first, last) for slot in row.plan]]


def totals(row: LoadRow, now_ms: Ms) -> dict[tuple[str, str], int]:
    """Requests by pod and outcome at a moment, those in flight as ``waiting``. O(slots + pieces)."""
    found = dict(row.settled)
    for piece in pieces(row, now_ms):
        arrived = min(piece.last, max(piece.first, sent(row, now_ms - piece.slot.fate.takes_ms)))
        _add(found, piece.slot, piece.slot.fate.outcome, taken(piece.slot, piece.first, arrived))
        _add(found, piece.slot, WAITING, taken(piece.slot, arrived, piece.last))
    return found


def by_outcome(found: dict[tuple[str, str], int]) -> dict[str, int]:
    """Requests by outcome, over all pods."""
    result: dict[str, int] = {}
    for (_, outcome), count in found.items():
        result[outcome] = result.get(outcome, 0) + count
    return result


def rates(row: LoadRow) -> dict[str, int]:
    """The outcomes of a second's requests under the current plan: thousandths of a request by outcome. O(slots)."""
    shares: dict[tuple[str, int], int] = {}
    for slot in row.plan:
        key = (slot.fate.outcome, slot.modulus)
        shares[key] = shares.get(key, 0) + 1
    result: dict[str, int] = {}
    for (outcome, modulus), count in shares.items():
        result[outcome] = result.get(outcome, 0) + row.rate_milli * count // modulus
    return result


def settle(row: LoadRow, now_ms: Ms, changed: Iterable[tuple[Piece, Fate | None]]) -> tuple[LoadRow, dict[str, tuple[Fate, int]]]:
    """End the current plan. ``changed`` gives for each piece the new fate of its requests still in flight; None: unchanged.

    Returns the row, and for each pod how many requests in flight have a new outcome, with their fate.
    """
    settled, kept = dict(row.settled), []
    cut: dict[str, tuple[Fate, int]] = {}
    for piece, fate in changed:
        if fate is not None:
            first = min(piece.last, max(piece.first, sent(row, now_ms - piece.slot.fate.takes_ms)))
            count = taken(piece.slot, first, piece.last)
            if count:
                cut[piece.slot.pod] = (fate, count + cut.get(piece.slot.pod, (fate, 0))[1])
                _add(settled, piece.slot, fate.outcome, count)
            piece = replace(piece, last=first)
        elif piece.end_ms + piece.slot.fate.takes_ms > now_ms and piece.slot.fate.takes_ms:
            kept.append(piece)
            continue
        _add(settled, piece.slot, piece.slot.fate.outcome, taken(piece.slot, piece.first, piece.last))
    return replace(row, open=tuple(kept), settled=settled, plan=(), plan_ms=now_ms), cut


def settled(row: LoadRow) -> LoadRow:
    """The row with everything in flight counted as its planned outcome: its requests are numbered from 0 again."""
    found = dict(row.settled)
    for piece in row.open:
        _add(found, piece.slot, piece.slot.fate.outcome, taken(piece.slot, piece.first, piece.last))
    return replace(row, open=(), settled=found)


def _add(found: dict[tuple[str, str], int], slot: Slot, outcome: str, count: int) -> None:
    if count:
        key = (slot.pod, outcome)
        found[key] = found.get(key, 0) + count
