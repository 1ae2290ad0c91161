"""The housekeeping rounds that kill what is left of pods that the kubelet considers finished.

Source: pkg/kubelet/kubelet_pods.go HandlePodCleanups.
"""

from msgspec.structs import replace

from simulator.engine.kubelet.pods.sync import removal, sync
from simulator.engine.kubelet.pods.sync.killing import stop_while_busy
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import HousekeepingKill
from simulator.engine.world.rows import Action


def housekeeping_kill(fx: Effects, event: HousekeepingKill) -> None:
    """Kill what is left of a pod that the kubelet considers finished; while a sync is in progress, wait for the next round.

    A sync that is pulling an image does not delay it: the pod's object goes while the pull continues.
    """
    worker = fx.tables.workers.get(event.pod)
    if worker is None or not worker.housekeeping:
        return
    fx.save_worker(replace(worker, housekeeping=False))
    if worker.step == "pull":
        removal.kill_while_pulling(fx, worker, quiet=True)
        return
    if worker.step:
        stop_while_busy(fx, worker, quiet=True)
        removal.settle_1_20(fx, fx.tables.pods[event.pod])
        return
    sync.run(fx, replace(worker, housekeeping=False, program=(Action("kill_pod", rule="SETTLED-1.20", quiet=True),)))
