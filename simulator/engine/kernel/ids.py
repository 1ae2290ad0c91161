"""Deterministic identities: the same run gives the same names, uids and container ids forever."""

from hashlib import blake2b

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""The characters of Kubernetes' generated names: no vowels, no look-alikes (apimachinery rand.String)."""
_SORTED = "".join(sorted(_ALPHABET))
_DIGITS = "2456789"
NAME_PREFIX = 58
"""How much of a generateName is kept; five letters follow (apiserver pkg/storage/names/generate.go)."""


def _bits(seed: int, text: str, size: int) -> bytes:
    return blake2b(f"{seed}|{text}".encode(), digest_size=size).digest()


def pod_uid(seed: int, key: str) -> str:
    """The uid of a pod, in the form of a random UUID."""
    digits = _bits(seed, f"uid/{key}", 16).hex()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{'89ab'[int(digits[16], 16) % 4]}{digits[17:20]}-{digits[20:32]}"


def object_uid(seed: int, kind: str, key: str) -> str:
    """The uid of an object that is not a pod; ``key`` distinguishes objects of the same kind, even of the same name."""
    return pod_uid(seed, f"{kind}/{key}")


def boot_id(seed: int, node: str, boots: int) -> str:
    """The boot id that a machine's kernel reports, ``boots`` reboots after it was first switched on."""
    return object_uid(seed, "boot", f"{node}/{boots}")


def container_id(seed: int, uid: str, container: str, attempt: int) -> str:
    """The runtime's id of a container instance, 64 hexadecimal digits."""
    return _bits(seed, f"container/{uid}/{container}/{attempt}", 32).hex()


def name_suffix(seed: int, key: str, n: int, *, in_order: bool = False) -> str:
    """Five letters that complete a generateName.

    ``in_order``: the first 540 names of a key sort in the order they were drawn, for runs without randomness: whatever Kubernetes
    does in name order then happens in order of age.
    """
    if in_order:
        place = len(_DIGITS) * len(_SORTED) + n - 1
        head = _SORTED[place // len(_SORTED) % len(_SORTED)] + _SORTED[place % len(_SORTED)]
        return head + name_suffix(seed, key, n)[2:]
    return "".join([_ALPHABET[value % len(_ALPHABET)] for value in _bits(seed, f"name/{key}/{n}", 5)])
