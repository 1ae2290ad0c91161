"""The subject of a record, split into parts: ``probe/default/web/app/liveness`` is a probe of a container of a pod."""

from simulator.engine.kernel.units import Key, Scalar, Subject

_POD_PARTS = {"pod": 3, "container": 4, "probe": 5, "condition": 4}
_LAST = {"container": "container", "condition": "type"}


def pod_key(subject: Subject) -> Key:
    """The key of the pod that the subject belongs to; empty for nodes, images and the run."""
    parts = _parts(subject)
    return f"{parts[1]}/{parts[2]}" if len(parts) == _POD_PARTS.get(parts[0]) else ""


def _parts(subject: Subject) -> list[str]:
    """Its names one by one; the type of a condition may contain a slash, as in ``example.com/ready``."""
    return subject.split("/", 3 if subject.startswith("condition/") else -1)


def short(subject: Subject) -> str:
    """``web · app`` for ``container/default/web/app``: the names without kind and default namespace."""
    words = _parts(subject)[1:]
    return " · ".join(words[1:] if words[:1] == ["default"] and len(words) > 1 else words)


def names(subject: Subject) -> dict[str, Scalar]:
    """The names that sentences may use: pod, container, probe, type, node, image, service."""
    kind, _, rest = subject.partition("/")
    if kind in ("node", "image"):
        return {kind: rest}
    parts = _parts(subject)
    if kind == "service" and len(parts) == 3:
        return {"service": parts[2] if parts[1] == "default" else f"{parts[1]}/{parts[2]}"}
    if kind == "requests" and len(parts) == 4:
        of = {"service": parts[2] if parts[1] == "default" else f"{parts[1]}/{parts[2]}"}
        return {**of, **({"pod": parts[3]} if parts[3] != "-" else {})}
    if len(parts) != _POD_PARTS.get(kind):
        return {}
    found: dict[str, Scalar] = {"pod": parts[2] if parts[1] == "default" else f"{parts[1]}/{parts[2]}"}
    if kind in _LAST:
        found[_LAST[kind]] = parts[3]
    elif kind == "probe":
        found |= {"container": parts[3], "probe": parts[4]}
    return found
