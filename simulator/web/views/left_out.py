"""What of a run's YAML is no object in it, as its page tells: read once a process for each text."""

from hashlib import sha256

from django.utils.translation import get_language

from simulator.manifests.check.left_out import LeftOut, left_out

_KEPT_MAX = 64
_kept: dict[tuple[bytes, str, str], tuple[LeftOut, ...]] = {}


def left_out_of(text: str, kubernetes: str) -> tuple[LeftOut, ...]:
    """The objects that were left out, in the reader's language. O(text), for a text that was asked for lately its digest alone."""
    key = (sha256(text.encode()).digest(), kubernetes, get_language() or "")
    found = _kept.pop(key, None)
    if found is None:
        found = left_out(text, kubernetes=kubernetes) if text else ()
    _kept[key] = found  # behind all that were asked for before
    while len(_kept) > _KEPT_MAX:
        _kept.pop(next(iter(_kept)), None)
    return found
