"""Clients that wait for what they watch: time may be advanced for them, and they are told if it stands still."""

from simulator.door.exchange import DoorRequest

_WAITING = frozenset(("kubectl wait", "kubectl rollout status", "kubectl delete", "kubectl drain"))


def is_waiting(request: DoorRequest) -> bool:
    """Whether a watch is for a single object by name, or belongs to a kubectl command that ends once a condition is met."""
    return "metadata.name=" in request.value("fieldSelector") or request.command in _WAITING
