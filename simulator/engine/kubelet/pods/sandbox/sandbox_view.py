"""The kubelet's view of a pod's sandbox in the form the pure rules expect."""

from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxStatus
from simulator.engine.model.pod import PodSpec
from simulator.engine.world.rows import Seen


def sandbox_statuses(spec: PodSpec, seen: Seen | None) -> tuple[SandboxStatus, ...]:
    """The pod's sandbox as last seen, newest first; empty if none was seen. Its network is what the pod requests."""
    if seen is None or seen.sandbox is None or seen.sandbox.state == "creating":
        return ()
    sandbox = seen.sandbox
    state = "READY" if sandbox.state == "ready" else "NOTREADY"
    network = "NODE" if spec.host_network else "POD"
    return (SandboxStatus(id=f"sandbox#{sandbox.attempt}", state=state, attempt=sandbox.attempt, ip=sandbox.ip, network=network),)
