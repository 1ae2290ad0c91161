"""A finding before it has a position in the text: what the structural and semantic checks yield."""

from typing import Any

from msgspec import Struct

from simulator.manifests.problems import ERROR


class Finding(Struct, frozen=True, kw_only=True):
    """Something wrong at a field path. ``at_key`` marks the field's name rather than its value.

    ``why`` explains the consequence in a sentence, ``doc`` is the page of kubernetes.io/docs about it; both may be
    empty. ``filled`` are the paths and values that the server adds below ``path``.
    """

    path: str
    message: str
    code: str
    severity: str = ERROR
    hint: str = ""
    at_key: bool = False
    why: str = ""
    doc: str = ""
    filled: tuple[tuple[str, Any], ...] = ()
