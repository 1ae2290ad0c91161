"""What a record is about, taken apart: ``probe/default/web/app/liveness`` speaks of a probe of a container of a pod."""

from simulator.engine.kernel.units import Key, Scalar, Subject

_POD_PARTS = {"pod": 3, "container": 4, "probe": 5, "condition": 4}
_LAST = {"container": "container", "condition": "type"}


def pod_key(subject: Subject) -> Key:
    """The key of the pod that the subject belongs to; empty for nodes, images and the run."""
    parts = subject.split("/")
    return f"{parts[1]}/{parts[2]}" if len(parts) == _POD_PARTS.get(parts[0]) else ""


def names(subject: Subject) -> dict[str, Scalar]:
    """The names that sentences may use: pod, container, probe, type, node, image, service."""
    kind, _, rest = subject.partition("/")
    if kind in ("node", "image"):
        return {kind: rest}
    parts = subject.split("/")
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
