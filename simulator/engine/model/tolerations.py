"""Taints and tolerations. Source: api/core/v1/toleration.go ToleratesTaint."""

from simulator.engine.model.pod import Toleration
from simulator.engine.model.whole import canonical_int64


def tolerates(tolerations: tuple[Toleration, ...], taint: tuple[str, str, str]) -> bool:
    """Whether any toleration matches the taint (key, value, effect).

    ``Gt`` and ``Lt`` pass validation only if their gate is on, so the gate is not checked again.
    """
    key, text, effect = taint
    for item in tolerations:
        if item.effect and item.effect != effect:
            continue
        if item.operator == "Exists":
            if not item.key or item.key == key:
                return True
        elif item.key in ("", key):
            if item.operator in ("", "Equal"):
                if item.value == text:
                    return True
            elif item.operator in ("Gt", "Lt") and _compares(item, text):
                return True
    return False


def _compares(item: Toleration, text: str) -> bool:
    """Whether the taint's value is greater (or less) than the toleration's, if both are 64-bit integers."""
    of_taint, own = canonical_int64(text), canonical_int64(item.value)
    if of_taint is None or own is None:
        return False
    return of_taint > own if item.operator == "Gt" else of_taint < own
