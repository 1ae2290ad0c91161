"""Hashes that controllers put into names and labels.

Source: pkg/controller/controller_utils.go ComputeHash; apimachinery rand.SafeEncodeString.
"""

import json

from simulator.engine.kernel.json_text import Json

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_OFFSET, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
_COLLISIONS_BYTES = 8


def fnv32a(data: bytes) -> int:
    """The 32-bit FNV-1a hash. About 0.1 µs a byte."""
    found = _OFFSET
    for byte in data:
        found = (found ^ byte) * _PRIME & _MASK
    return found


def safe_encoded(text: str) -> str:
    """The text in letters that make up no words: each byte is one of 27 (rand.SafeEncodeString)."""
    return "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in text.encode())


def template_hash(template: Json, collisions: int | None) -> str:
    """The hash of a pod template with the number of collisions that were met, as names and labels show it: 8 to 10 letters.

    Kubernetes prints the Go value of the template; here it is its JSON with sorted keys, so the letters differ, the rules do not.
    """
    data = json.dumps(template, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    if collisions is not None:
        data += collisions.to_bytes(4, "little").ljust(_COLLISIONS_BYTES, b"\0")
    return safe_encoded(str(fnv32a(data)))
