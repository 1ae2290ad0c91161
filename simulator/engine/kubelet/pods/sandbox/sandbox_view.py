"""The kubelet's view of a pod's sandbox as the pure rules want it."""

from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus
from simulator.engine.model.pod import PodSpec
from simulator.engine.world.rows import Seen


def sandbox_statuses(spec: PodSpec, seen: Seen | None) -> tuple[SandboxStatus, ...]:
    """The pod's sandbox as last seen, newest first; empty when none was seen. It has the network that the pod asks for."""
    if seen is None or seen.sandbox is None or seen.sandbox.state == "creating":
        return ()
    sandbox = seen.sandbox
    state = "READY" if sandbox.state == "ready" else "NOTREADY"
    network = "NODE" if spec.host_network else "POD"
    return (SandboxStatus(id=f"sandbox#{sandbox.attempt}", state=state, attempt=sandbox.attempt, ip=sandbox.ip, network=network),)
