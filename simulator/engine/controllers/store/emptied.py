"""When the namespace controller next looks whether a namespace that is being deleted is empty.

Source: pkg/controller/namespace/deletion: it tries again after half of the longest grace period of the pods that are left, and of
15 s for what finalizers hold, each and one second more.
"""

from simulator.engine.effects import Effects
from simulator.engine.events import NamespaceSweep
from simulator.engine.queue import Lane
from simulator.engine.units import seconds


def await_emptied(fx: Effects, namespace: str, remaining_s: int) -> None:
    """Something has left the namespace, which had been expected to take ``remaining_s``; of one that stays, nothing comes."""
    held = fx.tables.objects.get(("Namespace", "", namespace))
    if held is None or held.deletion_ms is None:
        return
    first, step = held.deletion_ms + fx.profile.namespace_delete_delay_ms, seconds(remaining_s // 2 + 1)
    rounds = max(0, -(-(fx.now - first) // step))
    fx.schedule(first + rounds * step, Lane.CONTROLLER, NamespaceSweep(namespace))
