"""Rows about resources that change while a pod runs, and what a pod asks of its node."""

from msgspec import Struct

from simulator.engine.kernel.units import Seq
from simulator.engine.model.container import ResourceRequirements


class Need(Struct, frozen=True, gc=False):
    """What a pod asks of a node; ``other`` holds extended resources and huge pages by name."""

    cpu_milli: int
    memory_bytes: int
    storage_bytes: int = 0
    other: tuple[tuple[str, int], ...] = ()


class Resize(Struct, frozen=True, gc=False, kw_only=True):
    """A pod whose resources were changed. ``state`` is one of the resize machine.

    ``allocated`` is what its kubelet has agreed to, by container; ``counted`` what it counts as on its node.
    """

    allocated: tuple[tuple[str, ResourceRequirements], ...]
    state: str = ""
    message: str = ""
    counted: Need | None = None
    seq: Seq = 0

    def of(self, container: str) -> ResourceRequirements | None:
        """What the container was allocated, or None where it was never resized."""
        for name, resources in self.allocated:
            if name == container:
                return resources
        return None
