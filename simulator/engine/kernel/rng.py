"""Keyed randomness: a draw depends on its names alone, so there is no generator state to save and forks stay comparable.

An extra draw anywhere changes no other draw; two branches of a run that differ by one command agree wherever the command
has no effect. With jitter ``none`` every draw is its mean (our choice: lessons and tests then match the documentation).
"""

from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import count, repeat

from simulator.engine.kernel.units import Ms

_SPAN = 1 << 64


@lru_cache(maxsize=65536)
def draw(seed: int, stream: str, n: int) -> int:
    """Uniform 64-bit integer for the n-th draw of ``stream``, e.g. ``"resync/default/web"``. Cost: about 1 µs."""
    return int.from_bytes(blake2b(f"{seed}|{stream}|{n}".encode(), digest_size=8).digest(), "big")


def uniform_ms(seed: int, stream: str, n: int, low: Ms, high: Ms, *, jitter: bool) -> Ms:
    """A span in [low, high); the middle of the range if jitter is off."""
    if high <= low:
        return low
    if not jitter:
        return (low + high) // 2
    return low + draw(seed, stream, n) * (high - low) // _SPAN


def jitters_ms(seed: int, stream: str, n: int, base: Ms, factor_percent: int, *, jitter: bool) -> Iterator[Ms]:
    """``jitter_ms`` of the draws ``n``, ``n + 1`` … without end: half the cost of asking for each."""
    span = base * factor_percent // 100
    if not jitter or span <= 0:
        yield from repeat(base + span // 2 if span > 0 else base)
    begun = blake2b(f"{seed}|{stream}|".encode(), digest_size=8)
    for number in count(n):
        hasher = begun.copy()
        hasher.update(b"%d" % number)
        yield base + int.from_bytes(hasher.digest(), "big") * span // _SPAN


def jitter_ms(seed: int, stream: str, n: int, base: Ms, factor_percent: int, *, jitter: bool) -> Ms:
    """``base`` × U(1, 1 + factor): the distribution of Kubernetes' wait.Jitter."""
    span = base * factor_percent // 100
    if not jitter or span <= 0:
        return (2 * base + span) // 2 if span > 0 else base
    return base + draw(seed, stream, n) * span // _SPAN
