"""Eviction thresholds of a node: which are configured, and which are met.

Source: pkg/kubelet/eviction/helpers.go, api/types.go. Amounts are bytes, inodes or process ids.
"""

from collections.abc import Mapping

from msgspec import Struct

from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.kubelet.node.eviction_rules import RESOURCE_OF, bytes_text
from simulator.engine.model.quantity import value

SIGNALS = tuple(RESOURCE_OF)
MEMORY = "memory.available"


class Threshold(Struct, frozen=True, kw_only=True, gc=False):
    """``amount``: less than this is too little. ``soft_ms``: how long before it takes effect, None for a hard threshold."""

    signal: str
    amount: int
    soft_ms: Ms | None = None

    @property
    def id(self) -> str:
        """Name that distinguishes the thresholds of a node."""
        return f"{self.signal}{'' if self.soft_ms is None else ' (soft)'}"


def amount_of(text: str, capacity: int) -> int:
    """A threshold's amount: a quantity, or a percentage of the capacity."""
    return capacity * int(text[:-1]) // 100 if text.endswith("%") else value(text)


def signal_amount_text(signal: str, amount: int) -> str:
    """An amount of that signal as messages print it."""
    return bytes_text(amount) if RESOURCE_OF[signal] in ("memory", "ephemeral-storage") else str(amount)


def thresholds(
    hard: Mapping[str, str], soft: Mapping[str, str], soft_grace_s: Mapping[str, int], capacity: Mapping[str, int]
) -> tuple[Threshold, ...]:
    """All thresholds, those of memory first, in the order in which the eviction manager takes them."""
    found = [Threshold(signal=signal, amount=amount_of(text, capacity[signal])) for signal, text in hard.items() if text != "0%"]
    found += [
        Threshold(signal=signal, amount=amount_of(text, capacity[signal]), soft_ms=seconds(soft_grace_s.get(signal, 0)))
        for signal, text in soft.items()
    ]
    return tuple(sorted(found, key=lambda item: (item.signal != MEMORY, SIGNALS.index(item.signal), item.soft_ms is not None)))
