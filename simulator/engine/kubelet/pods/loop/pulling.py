"""The end of a pull reaches the sync that waits for it."""

from msgspec.structs import replace

from simulator.engine.kubelet.pods.start import pulls, start
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import PullDone


def pull_done(fx: Effects, event: PullDone) -> None:
    """The pull at the head of the node's queue has ended."""
    queue = fx.tables.kubelets[event.node].pulls
    if not queue or queue[0].began_ms != event.began_ms:
        return
    pull, problem = pulls.finish(fx, event.node)
    worker = fx.tables.workers.get(pull.pod)
    if worker is None or worker.step != "pull" or worker.start is None or worker.start.container != pull.container:
        return
    fx.cause = worker.start.seq
    worker = replace(worker, waits_for=())
    began = pull.asked_ms if pull.began_ms is None else pull.began_ms
    sync.go_on(fx, start.pulled(fx, worker, problem=problem, took_ms=fx.now - began, waited_ms=began - pull.asked_ms))
