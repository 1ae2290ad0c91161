"""The ``shutdown`` section of a node in a cluster file: how long its pods get when it shuts down."""

from collections.abc import Iterator
from typing import Any

from simulator.manifests.check.findings import Finding
from simulator.manifests.script.cluster_fields import unknown_fields
from simulator.manifests.script.durations import duration_ms
from simulator.manifests.texts import _

_KEYS = ("grace", "critical", "by-priority")


def _bad(path: str, message: str) -> Finding:
    return Finding(path=path, message=message, code="cluster")


def shutdown_findings(path: str, value: Any) -> Iterator[Finding]:
    """The problems of the section."""
    if value is None:
        return
    if not isinstance(value, dict):
        yield _bad(path, _("must be a map"))
        return
    yield from unknown_fields(path, value, _KEYS)
    for key in ("grace", "critical"):
        if value.get(key) is not None and duration_ms(value[key]) is None:
            yield _bad(f"{path}.{key}", _('a duration is written as "6s" or "500ms"'))
    if not is_priority_list(value.get("by-priority") or []):
        yield _bad(f"{path}.by-priority", _("by-priority must be a list of priority and seconds"))


def is_priority_list(value: Any) -> bool:
    """Whether it is a list of maps with integers ``priority`` and ``seconds``."""
    return isinstance(value, list) and all(
        isinstance(item, dict) and isinstance(item.get("priority"), int) and isinstance(item.get("seconds"), int) for item in value
    )


def priorities(value: Any) -> tuple[tuple[int, int], ...]:
    """The list as (priority, seconds) pairs."""
    return tuple((item["priority"], item["seconds"]) for item in value or ())


def shutdown_fields(value: dict[str, Any]) -> dict[str, Any]:
    """The fields of a NodeSpec that the section sets."""
    found: dict[str, Any] = {
        # The simulation counts these in whole seconds.
        field: (duration_ms(value[key]) or 0) // 1000
        for key, field in (("grace", "shutdown_grace_s"), ("critical", "shutdown_critical_s"))
        if value.get(key) is not None
    }
    return {**found, "shutdown_by_priority": priorities(value.get("by-priority"))}
