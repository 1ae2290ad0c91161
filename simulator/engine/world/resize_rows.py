"""Rows about room: what a pod asks of its node, what is taken there, and resources that change while a pod runs."""

from msgspec import Struct

from simulator.engine.kernel.units import Seq
from simulator.engine.model.container import ResourceRequirements
from simulator.engine.model.status import ResourcesByName


class Need(Struct, frozen=True, gc=False):
    """What a pod asks of a node; ``other`` holds extended resources and huge pages by name.

    ``nonzero_…`` is what the scheduler's scores count: there a container without a request asks for a little all the same.
    """

    cpu_milli: int
    memory_bytes: int
    storage_bytes: int = 0
    other: tuple[tuple[str, int], ...] = ()
    nonzero_cpu_milli: int = 0
    nonzero_memory_bytes: int = 0


class Room(Struct, frozen=True, gc=False):
    """What pods take of a node, as somebody counts it: the scheduler what it has placed there, the kubelet what it has admitted."""

    pods: int = 0
    cpu_milli: int = 0
    memory_bytes: int = 0
    storage_bytes: int = 0
    other: dict[str, int] = {}
    nonzero_cpu_milli: int = 0
    nonzero_memory_bytes: int = 0


class Resize(Struct, frozen=True, gc=False, kw_only=True):
    """A pod whose resources were changed. ``state`` is one of the resize machine, ``allocated`` what its kubelet has agreed to."""

    allocated: ResourcesByName
    state: str = ""
    message: str = ""
    seq: Seq = 0

    def of(self, container: str) -> ResourceRequirements | None:
        """What the container was allocated; None for one that it does not name."""
        return resources_of(self.allocated, container)


def resources_of(given: ResourcesByName, container: str) -> ResourceRequirements | None:
    """The resources of a container; None for one that is not named."""
    for name, resources in given:
        if name == container:
            return resources
    return None
