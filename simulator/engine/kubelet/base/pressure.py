"""When the eviction manager has to check: only while something on the node can run short, and then every ten seconds.

A real kubelet checks every ten seconds at all times. Here the loop is armed by anything that could make a difference: a
growing process, files under a limit, a load that was put on the node; and it continues as long as a condition or
such a cause remains. The checks in between would have found nothing.

Measurements have an age. Volumes are measured about once a minute and containerd's writable layers every ten seconds
(Docker's each minute from their start on), and the manager works with the last measurement. So a pod may be over its
limit for a while before it is evicted. Source: pkg/kubelet/eviction, pkg/kubelet/server/stats, cAdvisor.
"""

from msgspec.structs import replace

from simulator.engine.containers.docker import CONTAINERD
from simulator.engine.kernel.grid import next_beat
from simulator.engine.kernel.units import Ms
from simulator.engine.kubelet.base.storage_limits import has_storage_limits, limits_layers, size_limit
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import EvictionTick, MeasureLayers, MeasureVolumes, NodeOom
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NodePressure, PodRow


def pressure_of_node(fx: Effects, node: str) -> NodePressure:
    """What the node's eviction manager remembers; an empty row if there is nothing yet."""
    return fx.tables.pressures.get(node) or NodePressure(node=node)


def arm(fx: Effects, node: str) -> None:
    """Let the node's eviction manager check at its next tick."""
    pressure = pressure_of_node(fx, node)
    if pressure.handle:
        return
    period = fx.profile.eviction_loop_ms
    due = next_beat(fx.now, _eviction_phase(fx, node), period)
    fx.save_pressure(replace(pressure, handle=fx.schedule(due, Lane.HOUSEKEEPING, EvictionTick(node), cause=pressure.seq)))


def _eviction_phase(fx: Effects, node: str) -> Ms:
    return fx.uniform(f"eviction/{node}", 0, 0, fx.profile.eviction_loop_ms)


def watch_pod(fx: Effects, row: PodRow) -> None:
    """Start watching an accepted pod's local storage if it has limits of its own."""
    if not has_storage_limits(row.pod.spec):
        return
    limited = limits_layers(row.pod.spec)
    if limited:
        arm(fx, row.node)
        watch_layers(fx, row.node)
    if any(volume.empty_dir is not None and (limited or size_limit(volume)) for volume in row.pod.spec.volumes):
        period = fx.profile.volume_measure_ms
        phase = fx.uniform(f"measure/{row.node}", 0, 0, period)
        with fx.because(0):
            fx.check(next_beat(fx.now, phase, period), Lane.HOUSEKEEPING, MeasureVolumes(row.key))


def watch_layers(fx: Effects, node: str) -> None:
    """Schedule containerd's next measurement of the writable layers; Docker's are measured one by one from their start on."""
    if fx.world.runtime_of(node) == CONTAINERD:
        period = fx.profile.layer_measure_ms
        # Relative to the eviction manager's tick, so that without jitter the figures it sees have their average age.
        phase = _eviction_phase(fx, node) + fx.uniform(f"layers/{node}", 0, 0, period)
        with fx.because(0):
            fx.check(next_beat(fx.now, phase, period), Lane.HOUSEKEEPING, MeasureLayers(node))


def docker_container_began(fx: Effects, row: PodRow, container: str) -> None:
    """A Docker container has started: cAdvisor measures its layer and log now, while they are empty, and then every minute."""
    if limits_layers(row.pod.spec):
        with fx.because(0):
            fx.check(
                fx.now + fx.profile.docker_layer_measure_ms, Lane.HOUSEKEEPING, MeasureLayers(row.node, row.key, container), put_off=True
            )


def growth_begins(fx: Effects, node: str) -> None:
    """A process on the node uses more and more memory: check from now on."""
    arm(fx, node)
    if not pressure_of_node(fx, node).oom_handle:
        await_oom(fx, node, fx.now)


def await_oom(fx: Effects, node: str, due_ms: Ms) -> None:
    """Check at that moment whether the node's memory is used up, replacing any moment planned before."""
    pressure = pressure_of_node(fx, node)
    fx.cancel(pressure.oom_handle)
    fx.save_pressure(replace(pressure, oom_handle=fx.schedule(due_ms, Lane.RUNTIME, NodeOom(node))))
