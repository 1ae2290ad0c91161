"""A sandbox killed from outside: processes that share the pod's process namespace end with it, the rest run until the kubelet looks.

Source: observed on a 1.20.2 node.
"""

from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.base.beats import mark_dirty
from simulator.engine.kubelet.pods.containers.instances import end_instance
from simulator.engine.kubelet.pods.sandbox.sandbox_machine import SANDBOX
from simulator.engine.world.effects import Effects

KILLED = 137


def sandbox_died(fx: Effects, pod: Key) -> None:
    """The pause process is gone. In a shared process namespace it was PID 1, so every process of the pod goes with it."""
    sandbox = fx.tables.sandboxes[pod]
    row = fx.tables.pods[pod]
    _, _, seq = fx.become(SANDBOX, pod, sandbox, "died", None, data=(("attempt", sandbox.attempt),), stopped_ms=fx.now)
    fx.cause = seq
    if row.pod.spec.share_process_namespace:
        for item in fx.each(fx.tables.instances.get(pod, ())):
            if item.runs:
                end_instance(fx, pod, item, KILLED)
    mark_dirty(fx, row.node, pod)
