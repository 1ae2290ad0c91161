"""What of a run's YAML is no object in it, as its page tells: read once a process for each run."""

from uuid import UUID

from django.utils.translation import get_language

from simulator.manifests.check.left_out import LeftOut, left_out

_KEPT_MAX = 256
_kept: dict[tuple[UUID, str], tuple[LeftOut, ...]] = {}


def left_out_of(run_id: UUID, text: str, kubernetes: str) -> tuple[LeftOut, ...]:
    """The objects that were left out, in the reader's language. O(text), for a run that was asked for lately nothing.

    What a run was made from never changes: its id stands for the text and the version.
    """
    key = (run_id, get_language() or "")
    found = _kept.pop(key, None)
    if found is None:
        found = left_out(text, kubernetes=kubernetes) if text else ()
    _kept[key] = found  # behind all that were asked for before
    while len(_kept) > _KEPT_MAX:
        _kept.pop(next(iter(_kept)), None)
    return found
