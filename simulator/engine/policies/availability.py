"""When a pod counts as available for a controller.

Ready is the kubelet's verdict at this moment; available means Ready for minReadySeconds. Rollouts
count available pods, so minReadySeconds slows them down and catches pods that fail shortly after
their start. The boundary is exclusive: at exactly minReadySeconds the pod is not available yet, so
controllers check a second later (``workloads/queueing.py``).

Source: pkg/api/v1/pod IsPodAvailable.
"""

from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.status import PodStatus


def is_available(status: PodStatus, *, min_ready_s: int, now_ms: Ms) -> bool:
    """Whether the pod has been Ready for more than ``min_ready_s`` seconds; with 0 readiness is enough."""
    condition = status.condition("Ready")
    if condition is None or condition.status != "True":
        return False
    if min_ready_s == 0:
        return True
    return condition.transition_ms is not None and condition.transition_ms + min_ready_s * SECOND < now_ms
