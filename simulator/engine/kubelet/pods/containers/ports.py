"""The port of a probe or hook: a number, or the name of a port of the container."""

from simulator.engine.kernel.bounded import whole_number
from simulator.engine.model.container import Container


def resolve_port(container: Container, port: int | str) -> int | None:
    """The number of the port, or None if the container has none of that name."""
    if isinstance(port, int):
        return port
    for item in container.ports:
        if item.name == port:
            return item.container_port
    return whole_number(port)
