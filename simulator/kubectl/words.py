"""The whole descriptions of types and fields that ``kubectl explain`` prints, by version (``simulator/schemas/extract_words.py``).

A version that is older than the oldest descriptions is described by these.
"""

import gzip
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def _stored() -> dict[str, Any]:
    data = files("simulator.schemas").joinpath("words.json.gz").read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(data))
    return found


def type_names() -> tuple[str, ...]:
    """The types that are described, by the last three parts of their names: ``core.v1.Container``."""
    return tuple(_stored()["types"])


def words_about(type_name: str, field: str, minor: int) -> str:
    """The description of a field of a type, or of the type itself (no field), as of ``1.<minor>``; empty where there is none."""
    spans = _stored()["types"].get(type_name, {}).get(field) or []
    held = [place for since, place in spans if since <= minor] or [place for _, place in spans[:1]]
    return str(_stored()["texts"][held[-1]]) if held else ""
