"""The resource metrics API: what metrics-server has learnt about pods from the kubelets.

metrics-server queries every 15 s (``metrics_resolution_ms``), and CPU usage is a difference between two
answers. A container therefore has no metrics before it has been queried twice, and a pod has
none while one of its containers lacks them: after each restart an autoscaler is blind for a while.

A container's usage is what its behaviour declares, or what is known about its program; CPU that is
not declared counts as none.

Source: metrics-server pkg/scraper, pkg/storage.
"""

from msgspec import Struct

from simulator.engine import containers as behaviour
from simulator.engine.kernel.units import Ms
from simulator.engine.network.reach import reaches_kubelet
from simulator.engine.world.rows import Instance, PodRow
from simulator.engine.world.world import World


class PodUse(Struct, frozen=True, gc=False):
    """A pod's usage when it was queried, and when that was; per container CPU in thousandths and memory in bytes."""

    at_ms: Ms
    containers: tuple[tuple[str, int, int], ...]

    def amount(self, resource: str, container: str = "") -> int:
        """Thousandths of a CPU, or of bytes, of one container or of all."""
        chosen = [item for item in self.containers if container in ("", item[0])]
        return sum(item[1] for item in chosen) if resource == "cpu" else sum(item[2] * 1000 for item in chosen)


def pod_use(world: World, row: PodRow, now_ms: Ms) -> PodUse | None:
    """The metrics that metrics-server has for a pod. O(its containers).

    None if it knows nothing about it yet, or no longer about one of its containers, or cannot reach the kubelet.
    """
    if not reaches_kubelet(world, row.node):
        return None
    period: Ms = world.profile.metrics_resolution_ms
    asked_ms = now_ms - now_ms % period
    found = {item.container: item for item in world.tables.instances.get(row.key, ()) if item.runs and item.process is not None}
    names = [item.name for item in row.pod.spec.containers]
    if not names or not all(name in found and _is_known(found[name], asked_ms - period) for name in names):
        return None
    return PodUse(asked_ms, tuple((name, *_use(found[name], asked_ms)) for name in names))


def _is_known(item: Instance, since_ms: Ms) -> bool:
    return item.process is not None and item.process.started_ms <= since_ms


def _use(item: Instance, at_ms: Ms) -> tuple[int, int]:
    assert item.process is not None
    return behaviour.cpu_milli(item.process, at_ms), behaviour.memory_bytes(item.process, at_ms)
