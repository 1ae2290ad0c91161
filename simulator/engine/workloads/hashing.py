"""Hashes that controllers put into names and labels.

Source: pkg/controller/controller_utils.go ComputeHash; apimachinery rand.SafeEncodeString.
"""

import json
from functools import lru_cache

from simulator.engine.kernel.json_text import Json
from simulator.engine.workloads.template_dump import template_dump

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_OFFSET, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
_COLLISIONS_BYTES = 8


def fnv32a(data: bytes, found: int = _OFFSET) -> int:
    """The 32-bit FNV-1a hash, continuing from ``found``. O(bytes)."""
    for byte in data:
        found = (found ^ byte) * _PRIME & _MASK
    return found


def safe_encoded(text: str) -> str:
    """The text in characters that cannot form words: each byte becomes one of 27 (rand.SafeEncodeString)."""
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in text.encode())


@lru_cache(maxsize=1024)
def _dump_hash(text: str, minor: int) -> int:
    return fnv32a(template_dump(json.loads(text), minor).encode())


def template_hash(template: Json, collisions: int | None, minor: int) -> str:
    """The hash of a pod template and a collision count, as in names and labels: 8 to 10 letters.

    It is that of Kubernetes ``1.<minor>``: FNV-1a of what Go prints for the template. O(template), but only its JSON if seen before.
    """
    found = _dump_hash(json.dumps(template, sort_keys=True), minor)
    if collisions is not None:
        # Upstream hashes a buffer of eight bytes; the number fills four of them.
        found = fnv32a(collisions.to_bytes(4, "little").ljust(_COLLISIONS_BYTES, b"\0"), found)
    return safe_encoded(str(found))
