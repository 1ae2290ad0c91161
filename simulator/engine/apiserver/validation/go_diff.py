"""The difference of two specs in the message that refuses a change, as go-cmp reports it for the internal types."""

from typing import Any

from simulator.engine.apiserver.godiff.layout import render
from simulator.engine.apiserver.godiff.nodes import compared
from simulator.engine.apiserver.godiff.report import EMIT, shown_node
from simulator.engine.apiserver.godiff.values import go_value
from simulator.engine.apiserver.validation.pod_rules import Fields, fields

_IN_SECURITY_CONTEXT = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")
"""Fields of the spec that are in its security context in the server's memory."""
VALUES_MAX = 8000
TOO_LARGE = "(the difference is too large to be shown)\n"


def object_diff(kind: str, one: Fields, other: Fields, *, minor: int) -> str:
    """The difference: ``-`` marks parts of ``one``, ``+`` parts of ``other``; ``kind`` is the type, such as PodSpec.

    Empty if no field that the version knows differs: its decoder drops other fields. Cost: O(specs), some 30 µs per value.
    For very large specs (our limit) it only says that they differ.
    """
    # At some 30 µs per value, large specs would hold up the request.
    if _values(one) + _values(other) > VALUES_MAX:
        return TOO_LARGE
    x, y = (go_value(f"core.{kind}", _internal(kind, part), minor=minor) for part in (one, other))
    node = compared(x, y)
    return render(shown_node(node, "", EMIT)) if node.different else ""


def _values(part: Any) -> int:
    """How many values a document holds."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return 1 + sum(map(_values, inner))


def _internal(kind: str, part: Fields) -> Fields:
    if kind != "PodSpec":
        return part
    moved: dict[str, Any] = {key: part[key] for key in _IN_SECURITY_CONTEXT if part.get(key) is not None}
    return {**part, "securityContext": {**fields(part, "securityContext"), **moved}}
