"""The data of a preview's answer."""

from typing import Any

from msgspec import Struct

ACCEPTED = "accepted"
REJECTED = "rejected"
UNCHANGED = "unchanged"


class DiffLine(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of a unified diff. ``op`` is `` `` for both, ``-`` for before only, ``+`` for after only, ``@`` where lines are left out."""

    op: str
    text: str = ""
    old: int = 0
    new: int = 0


class Effect(Struct, frozen=True, kw_only=True):
    """One effect of the change. ``rule`` is a stable name, ``path`` the field that causes it."""

    text: str
    rule: str
    path: str = ""
    tone: str = "info"


class ObjectPreview(Struct, frozen=True, kw_only=True):
    """One object. ``verb`` is created, configured, unchanged or rejected; ``answer`` is the Status of a rejection."""

    kind: str
    namespace: str
    name: str
    verb: str
    kubectl: str
    answer: dict[str, Any] | None = None
    diff: tuple[DiffLine, ...] = ()
    effects: tuple[Effect, ...] = ()


class Preview(Struct, frozen=True, kw_only=True):
    """All objects of a text; the fields other than ``objects`` summarize them."""

    outcome: str
    answer: dict[str, Any] | None
    kubectl: str
    diff: tuple[DiffLine, ...]
    effects: tuple[Effect, ...]
    objects: tuple[ObjectPreview, ...]
