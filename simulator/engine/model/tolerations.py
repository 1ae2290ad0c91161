"""Taints and tolerations. Source: api/core/v1/toleration.go ToleratesTaint."""

from simulator.engine.model.pod import Toleration


def tolerates(tolerations: tuple[Toleration, ...], taint: tuple[str, str, str]) -> bool:
    """Whether some toleration matches the taint (key, value, effect)."""
    key, text, effect = taint
    for item in tolerations:
        if item.effect and item.effect != effect:
            continue
        if item.operator == "Exists":
            if not item.key or item.key == key:
                return True
        elif item.operator in ("", "Equal") and item.key in ("", key) and item.value == text:
            return True
    return False
