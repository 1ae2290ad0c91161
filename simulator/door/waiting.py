"""Which clients wait for what they watch: time may be played on for them, and they are told where it stands still."""

from simulator.door.exchange import DoorRequest

_WAITING = frozenset(("kubectl wait", "kubectl rollout status", "kubectl delete", "kubectl drain"))


def is_waiting(asked: DoorRequest) -> bool:
    """Whether a watch is of one object by its name, or of a command of kubectl that ends once something has come true."""
    return "metadata.name=" in asked.value("fieldSelector") or asked.command in _WAITING
