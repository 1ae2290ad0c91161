"""What a pod brings to the scheduler besides resources: claims that must exist, host ports that must be free.

Source: plugins VolumeBinding and NodePorts; observed on a 1.20.2 node. A claim that exists counts as bound.
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.api.container import ContainerPort
from simulator.engine.api.pod import PodSpec
from simulator.engine.effects import Effects
from simulator.engine.lookups import pods_on
from simulator.engine.rows import NodeRow, PodRow
from simulator.engine.units import Key

PORTS_TAKEN = "node(s) didn't have free ports for the requested pod ports"
_TERMINAL = ("Succeeded", "Failed")
_ANY = ("", "0.0.0.0", "::")


def claim_problem(fx: Effects, row: PodRow) -> str:
    """Why no node can be tried at all: a claim that does not exist. Empty where every claim is there."""
    for volume in row.pod.spec.volumes:
        claim = volume.persistent_volume_claim
        if claim is not None and ("PersistentVolumeClaim", row.namespace, str(claim.get("claimName"))) not in fx.tables.objects:
            return f'persistentvolumeclaim "{claim.get("claimName")}" not found'
    return ""


def bound_claim(document: dict[str, Any], uid: str) -> dict[str, Any]:
    """A claim as the volume controller leaves it: bound, since the cluster has a volume of the right size for every claim."""
    spec = {"volumeName": f"pvc-{uid}", **(document.get("spec") or {})}
    held = {"accessModes": spec.get("accessModes") or [], "capacity": (spec.get("resources") or {}).get("requests") or {}}
    return {**document, "spec": spec, "status": {**held, **(document.get("status") or {}), "phase": "Bound"}}


def host_ports(spec: PodSpec) -> Iterator[ContainerPort]:
    """The ports that the pod takes on its node."""
    for container in spec.containers:
        for port in container.ports:
            if port.host_port:
                yield port


def ports_taken(fx: Effects, node: NodeRow, spec: PodSpec, *, apart: tuple[Key, ...] = ()) -> bool:
    """Whether a pod on the node, ``apart`` from some, holds a host port that this one wants. O(its pods), only for pods that want one."""
    wanted = tuple(host_ports(spec))
    if not wanted:
        return False
    for row in pods_on(fx.tables, node.name):
        if row.key in apart or row.status.phase in _TERMINAL:
            continue
        if any(_clash(mine, theirs) for theirs in host_ports(row.pod.spec) for mine in wanted):
            return True
    return False


def _clash(one: ContainerPort, other: ContainerPort) -> bool:
    if (one.host_port, one.protocol) != (other.host_port, other.protocol):
        return False
    return one.host_ip == other.host_ip or one.host_ip in _ANY or other.host_ip in _ANY
