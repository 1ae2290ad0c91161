"""The ``eviction`` section of a node in a cluster file: the thresholds of its kubelet."""

import re
from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.apiserver.wire.formats import is_quantity
from simulator.engine.kubelet.node.thresholds import SIGNALS
from simulator.manifests.check.findings import Finding
from simulator.manifests.script.cluster_fields import unknown_fields
from simulator.manifests.script.durations import duration_ms
from simulator.manifests.texts import _

_KEYS = ("hard", "soft", "soft-grace", "max-pod-grace")
_PERCENTAGE = re.compile(r"\d{1,2}%")


def _bad(path: str, message: str) -> Finding:
    return Finding(path=path, message=message, code="cluster")


def eviction_findings(path: str, value: Any) -> Iterator[Finding]:
    """The problems of the section."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield _bad(path, _("must be a map"))
        return
    yield from unknown_fields(path, value, _KEYS)
    for key in ("hard", "soft"):
        yield from _threshold_findings(child(path, key), value.get(key) or {})
    for signal, grace in (value.get("soft-grace") or {}).items():
        if duration_ms(grace) is None:
            yield _bad(child(f"{path}.soft-grace", signal), _('a duration is written as "6s" or "500ms"'))
    if value.get("max-pod-grace") is not None and duration_ms(value["max-pod-grace"]) is None:
        yield _bad(f"{path}.max-pod-grace", _('a duration is written as "6s" or "500ms"'))


def _threshold_findings(path: str, value: Any) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield _bad(path, _("must be a map of signal to quantity or percentage"))
        return
    for signal, amount in value.items():
        if signal not in SIGNALS:
            yield _bad(child(path, signal), _("signal must be one of %s") % ", ".join(SIGNALS))
        elif not (is_quantity(amount) or (isinstance(amount, str) and _PERCENTAGE.fullmatch(amount))):
            yield _bad(child(path, signal), _("a threshold must be a quantity or a percentage"))


def eviction_fields(value: dict[str, Any]) -> dict[str, Any]:
    """The fields of a NodeSpec that the section sets."""
    return {
        "eviction_hard": {signal: str(amount) for signal, amount in (value.get("hard") or {}).items()},
        "eviction_soft": {signal: str(amount) for signal, amount in (value.get("soft") or {}).items()},
        "eviction_soft_grace_s": {signal: (duration_ms(grace) or 0) // 1000 for signal, grace in (value.get("soft-grace") or {}).items()},
        "eviction_max_pod_grace_s": (duration_ms(value.get("max-pod-grace") or "0s") or 0) // 1000,
    }
