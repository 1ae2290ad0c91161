"""Rows about declared loads: what the requests of a Service come to at this moment, and how many came to what before."""

from msgspec import Struct

from simulator.engine.kernel.units import Key, Ms, Seq

Life = tuple[Key, str, int]
"""Pod, container and attempt of the process that has a request's connection."""
NOBODY_ANSWERS: Life = ("", "", 0)


class Fate(Struct, frozen=True):
    """What becomes of a request that is sent now. ``takes_ms``: until the client knows; ``data``: what the rule's sentence names."""

    outcome: str
    rule: str
    takes_ms: Ms = 0
    life: Life = NOBODY_ANSWERS
    data: tuple[tuple[str, str | int], ...] = ()
    cause: Seq = 0


class Slot(Struct, frozen=True):
    """Every ``modulus``-th request, from the one numbered ``residue`` on, goes this way: to ``pod`` ("" : to none)."""

    residue: int
    modulus: int
    pod: str
    fate: Fate


class Piece(Struct, frozen=True):
    """Requests of one slot that were sent between two moments and may still be on their way; numbers from ``first`` up to ``last``."""

    slot: Slot
    begin_ms: Ms
    end_ms: Ms
    first: int
    last: int


class LoadRow(Struct, frozen=True, kw_only=True):
    """A declared load with its state. ``since_ms``: when its requests began to be numbered; ``plan`` holds since ``plan_ms``.

    ``settled`` counts by pod and outcome what was decided; ``states`` is outcome and rule of each pod as they were last told, with
    the number of requests that it had got by then.
    """

    namespace: str
    name: str
    text: str
    rate_milli: int = 0
    since_ms: Ms = 0
    plan_ms: Ms = 0
    plan: tuple[Slot, ...] = ()
    open: tuple[Piece, ...] = ()
    settled: dict[tuple[str, str], int] = {}
    states: dict[str, tuple[str, str, int]] = {}
