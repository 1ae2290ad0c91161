"""The difference of two specs, for the message that refuses it."""

from simulator.engine.api.validation.registry import Fields
from simulator.engine.api.validation.semantic import same


def diff(kind: str, one: Fields, other: Fields, *, minor: int) -> str:
    """``-`` marks what stands in ``one``, ``+`` what stands in ``other``."""
    keys = sorted(key for key in {**one, **other} if not same(one.get(key), other.get(key)))
    return f"core.{kind}: {', '.join(keys)}"
