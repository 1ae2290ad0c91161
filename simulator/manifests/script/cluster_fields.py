"""The known fields of a cluster file; any other field is refused, so that a typo does not go unnoticed."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from simulator.engine.apiserver.wire.field_paths import child
from simulator.manifests.check.findings import Finding
from simulator.manifests.texts import _


def unknown_fields(path: str, value: Iterable[Any], known: Sequence[str]) -> Iterator[Finding]:
    """A finding for each key of the map at ``path`` that is not ``known``; its hint is the field that was probably meant."""
    for key in value:
        if key not in known:
            close = get_close_matches(str(key), known, n=1, cutoff=0.7)
            place = child(path, key)
            message = _('unknown field "%s"') % place
            yield Finding(path=place, message=message, code="cluster", hint=close[0] if close else "", at_key=True)
