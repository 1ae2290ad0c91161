"""The full descriptions of types and fields that ``kubectl explain`` prints, by version (``simulator/schemas/extract_words.py``).

Versions older than the oldest descriptions use those, except where the older text is known to differ.
"""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from simulator.engine.versions.span import Span

_ONE_OF = "One and only one of the following should be specified. Exec specifies the action to take."
_NO_HOOKS = "TCPSocket specifies an action involving a TCP port. TCP hooks not yet supported"
_EARLIER_IN = Span(until=22)
_EARLIER = {
    (name, field): text
    for name in ("core.v1.Probe", "core.v1.LifecycleHandler")
    for field, text in (("exec", _ONE_OF), ("tcpSocket", _NO_HOOKS))
}
"""Until 1.22 probes and hooks shared one type, Handler (staging/src/k8s.io/api/core/v1/types.go)."""


@lru_cache(maxsize=1)
def _stored() -> dict[str, Any]:
    data = files("simulator.schemas").joinpath("words.json.gz").read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(data))
    return found


def type_names() -> tuple[str, ...]:
    """The types that have descriptions, by the last three parts of their names: ``core.v1.Container``."""
    return tuple(_stored()["types"])


def words_about(type_name: str, field: str, minor: int) -> str:
    """The description of a field of a type, or of the type itself (empty ``field``), as of ``1.<minor>``; empty if there is none."""
    if _EARLIER_IN.holds_for(minor) and (type_name, field) in _EARLIER:
        return _EARLIER[type_name, field]
    spans = _stored()["types"].get(type_name, {}).get(field) or []
    held = [place for since, place in spans if Span(since=since).holds_for(minor)] or [place for _, place in spans[:1]]
    return str(_stored()["texts"][held[-1]]) if held else ""
