"""Recorded answers to updates of a pod: every case is a request about one pod, sent to the store of a run of the recorded version.

A case is used if the recording has its request: a body, and a method that includes the kind of patch. The method is
followed by what comes after the pod's name in the address: nothing, a subresource (``/status``), or letters that make
it the name of another pod.
"""

import json
import re
from pathlib import Path

from msgspec import Struct

from simulator.engine import ClusterSpec, NodeSpec, Record, RunHeader, World, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.apiserver.answer import Answer, Cause
from simulator.engine.kernel.json_text import Json, decode
from simulator.fidelity.answers.outcome import ApiOutcome, compare

KUBERNETES = "1.20"
NAMESPACE, NAME, NODE = "rej", "upd", "node1"
POD: Json = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": NAME, "namespace": NAMESPACE},
    "spec": {
        "nodeName": NODE,
        "terminationGracePeriodSeconds": 1,
        "activeDeadlineSeconds": 500,
        "initContainers": [{"name": "i", "image": "busybox:1.28", "command": ["true"]}],
        "containers": [
            {
                "name": "app",
                "image": "busybox:1.28",
                "command": ["sh", "-c", "sleep 3600"],
                "env": [{"name": "A", "value": "1"}],
                "resources": {"requests": {"cpu": "10m"}, "limits": {"cpu": "50m"}},
            }
        ],
    },
}
"""The pod that the recorded requests are about."""
_PATCH = re.compile(r"PATCH application/(json|merge|strategic-merge)-patch\+json(/?)(\w*)")
_KINDS = {"json": "json", "merge": "merge", "strategic-merge": "strategic"}


class UpdateAnswers(Struct, frozen=True):
    """The outcomes of the cases in a file, and the names of the cases whose request is not in it."""

    outcomes: list[ApiOutcome]
    left_out: list[str]


def measure(path: Path) -> UpdateAnswers:
    """Compare the cases in a file of recorded answers, one after the other on the same pod. Raises OSError."""
    world = world_with(POD)
    outcomes, left_out = [], []
    for recorded in decode(path.read_text(encoding="utf-8")):
        command = command_of(recorded)
        if command is None:
            left_out.append(recorded["case"])
            continue
        answer = answer_to(world, command)
        outcomes.append(compare(recorded, answer, code=200))
    return UpdateAnswers(outcomes, left_out)


def world_with(pod: Json) -> World:
    """A run of the recorded version that has the pod; its kubelet is stopped, so that only the requests change it."""
    world = new_world(RunHeader(kubernetes=KUBERNETES, cluster=ClusterSpec(nodes=(NodeSpec(name=NODE),)), jitter=False))
    apply(world, NodeControl(node=NODE, kubelet="stop"))
    apply(world, ApplyManifest(documents=(json.dumps(pod),), create=True))
    apply(world, PatchObject(kind="Pod", namespace=NAMESPACE, name=NAME, subresource="status", patch='{"status": {"phase": "Running"}}'))
    return world


def command_of(recorded: Json) -> AnyCommand | None:
    """The request of a case; None if the recording does not have it."""
    body = recorded.get("body")
    if body is None:
        return None
    if isinstance(body, dict) and recorded.get("method", "").startswith("PUT"):
        document = {**body, "metadata": {**(body.get("metadata") or {}), "namespace": NAMESPACE}}
        return ReplaceObject(document=json.dumps(document), namespace=NAMESPACE)
    found = _PATCH.fullmatch(recorded.get("method", ""))
    if found is None:
        return None
    kind, slash, rest = found.groups()
    return PatchObject(
        kind="Pod",
        namespace=NAMESPACE,
        name=NAME if slash else NAME + rest,
        subresource=rest if slash else "",
        patch=body if isinstance(body, str) else json.dumps(body),
        patch_kind=_KINDS[kind],
    )


def answer_to(world: World, command: AnyCommand) -> Answer | None:
    """The answer of the run's store; None if it accepts."""
    refused = [record for record in apply(world, command) if record.machine == "command" and record.target == "refused"]
    return _answer(refused[0]) if refused else None


def _answer(record: Record) -> Answer:
    causes = decode(str(record.get("causes") or "[]"))
    return Answer(
        code=int(str(record.get("code"))),
        reason=str(record.get("reason") or ""),
        message=str(record.get("message") or ""),
        causes=tuple(Cause(reason=item.get("reason", ""), message=item.get("message", ""), field=item.get("field", "")) for item in causes),
    )
