"""Small worlds for engine tests: short constructors for pods, and runs as strings. No Django here."""

import json
from typing import Any

import msgspec

from simulator.engine import ClusterSpec, ImageSpec, NodeSpec, Record, RunHeader, ScriptStep, Stamped, World, replay
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.model.container import Container, ResourceRequirements
from simulator.engine.model.pod import PodSpec
from simulator.engine.policies.room import need_of
from simulator.engine.world.rows import Need

TRAP = "trap 'exit 0' TERM; while true; do sleep 1 & wait $!; done"
PRESENT = ("busybox:1.28", "nginx:1.16.1")


def container(script: str = TRAP, *, name: str = "app", image: str = "busybox:1.28", **more: Any) -> dict[str, Any]:
    """A container that runs a shell script."""
    return {"name": name, "image": image, "command": ["sh", "-c", script], **more}


def pod(*containers: dict[str, Any], name: str = "p", **spec: Any) -> dict[str, Any]:
    """A Pod document."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": list(containers), **spec}}


def milli(cpu: int) -> Need:
    """The usage of a pod with one container that requests this much CPU and nothing else."""
    return need_of(PodSpec(containers=(Container(resources=ResourceRequirements(requests={"cpu": f"{cpu}m"})),)))


def header(*documents: dict[str, Any], kubernetes: str = "1.30", jitter: bool = False, seed: int = 1, **more: Any) -> RunHeader:
    """A run of these documents on one node with the usual images; ``nodes``: how many, or their definitions; ``images``: more of them."""
    images = tuple(ImageSpec(name=name, present=True) for name in (*PRESENT, *more.pop("images", ())))
    given = more.pop("nodes", 1)
    specs = given if isinstance(given, list) else [{"name": f"node{number}"} for number in range(1, given + 1)]
    nodes = msgspec.convert(tuple(specs), type=tuple[NodeSpec, ...])
    cluster = ClusterSpec(nodes=nodes, images=images, unlisted_images="missing", runtime=more.pop("runtime", "containerd"))
    return RunHeader(
        kubernetes=kubernetes,
        jitter=jitter,
        seed=seed,
        cluster=more.pop("cluster", cluster),
        manifests=tuple(json.dumps(document) for document in documents),
        **more,
    )


def run(head: RunHeader, seconds: float, *commands: tuple[float, AnyCommand]) -> tuple[World, list[Record]]:
    """Run to a moment, giving each command at its second. Returns the world and all its records."""
    records: list[Record] = []
    world = replay(head, stamped(*commands), until_ms=round(seconds * 1000), into=records)
    return world, records


def stamped(*commands: tuple[float, AnyCommand]) -> list[Stamped]:
    """Commands as in a stored run."""
    return [Stamped(round(at * 1000), n, command) for n, (at, command) in enumerate(commands, 1)]


def script(*steps: tuple[float, AnyCommand]) -> tuple[ScriptStep, ...]:
    """Steps that belong to the scenario itself."""
    return tuple(ScriptStep(at_ms=round(at * 1000), command=command) for at, command in steps)


def words(records: list[Record], *, machine: str = "status_word", subject: str = "pod/default/p") -> list[str]:
    """The targets of one machine of one subject, in order, without consecutive repetitions."""
    found: list[str] = []
    for record in records:
        if record.machine == machine and record.subject == subject and (not found or found[-1] != record.target):
            found.append(record.target)
    return found


def events(records: list[Record]) -> list[str]:
    """``Reason: message`` of every Event written."""
    return [f"{record.target}: {record.get('message')}" for record in records if record.machine == "k8s_event"]


def moment(records: list[Record], *, machine: str, target: str, nth: int = 0) -> float:
    """The second at which a machine reached a target for the n-th time."""
    return [record.at_ms for record in records if record.machine == machine and record.target == target][nth] / 1000
