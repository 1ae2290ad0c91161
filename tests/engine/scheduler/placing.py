"""Small clusters for tests of the scheduler: where pods are placed, and the messages about those that are not."""

from typing import Any

from simulator.engine import World
from simulator.engine.acts.all_acts import AnyCommand
from tests.engine.worlds import container, header, pod, run

Json = dict[str, Any]
HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


def labelled(name: str, labels: dict[str, str], *, namespace: str = "default", cpu: str = "", **spec: Any) -> Json:
    """A pod that sleeps, with labels."""
    asks = {"resources": {"requests": {"cpu": cpu}}} if cpu else {}
    document = pod(container("sleep 3600", **asks), name=name, terminationGracePeriodSeconds=1, **spec)
    document["metadata"] |= {"labels": labels, "namespace": namespace}
    return document


def web(name: str, **more: Any) -> Json:
    """One of the pods of the app web."""
    return labelled(name, {"app": "web"}, **more)


def on(node: str) -> Json:
    """A node selector for one node."""
    return {"nodeSelector": {HOSTNAME: node}}


def selecting(**labels: str) -> Json:
    """A label selector."""
    return {"labelSelector": {"matchLabels": labels}}


def zoned(*zones: str) -> list[Json]:
    """Nodes node1, node2 … in these zones."""
    return [{"name": f"node{number}", "labels": {ZONE: zone} if zone else {}} for number, zone in enumerate(zones, 1)]


def placed(*documents: Json, nodes: Any = 2, seconds: float = 2, commands: tuple[tuple[float, AnyCommand], ...] = (), **more: Any) -> World:
    """The world after the documents were applied at the beginning."""
    world, _ = run(header(*documents, nodes=nodes, **more), seconds, *commands)
    return world


def nodes_of(world: World) -> dict[str, str]:
    """Each pod's node, in order of creation."""
    return {row.name: row.node for row in world.tables.pods.values()}


def said_of(world: World, name: str, namespace: str = "default") -> str:
    """The PodScheduled message of a pod without a node, without the part about preemption; empty if it has a node."""
    told = world.tables.pods[f"{namespace}/{name}"].status.condition("PodScheduled")
    return told.message.partition(" preemption:")[0].partition(" no new claims")[0] if told is not None else ""
