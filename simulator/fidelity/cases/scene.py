"""A cluster as a case describes it, in a run: pods with the status given in the case, and requests about them.

The kubelets are stopped, so that nothing else writes a status. Everything uses the run's normal interfaces: objects are
applied, statuses are patched, deletions and evictions are commands, and what the run's controllers do on their own is
observed.
"""

import json
from collections.abc import Iterable

from msgspec.structs import replace

from simulator.engine import ClusterSpec, NodeSpec, Record, RunHeader, advance, apply, new_world
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.versions.usual import JUDGED
from simulator.engine.world.effects import Effects

KUBERNETES = JUDGED
"""The version that the cases are based on."""
NAMESPACE = "default"
_GRACE_S = 1_000_000
"""A grace period that never runs out."""


class NotAccepted(Exception):
    """The run does not accept an object in the case; the text is its answer."""


def spelled(name: str) -> str:
    """A name in a case as the API server accepts it; upstream's own tests bypass validation and use capitals."""
    return name.lower()


class Scene:
    """A run set up for a case. ``figures`` are fields of the version profile that the case itself specifies."""

    def __init__(self, *, nodes: Iterable[str] = (), epoch_s: int = 0, figures: Json | None = None) -> None:
        names = tuple(map(spelled, nodes)) or ("unused",)
        cluster = ClusterSpec(nodes=tuple(NodeSpec(name=name) for name in names))
        self.world = new_world(RunHeader(kubernetes=KUBERNETES, cluster=cluster, jitter=False, epoch_s=epoch_s))
        self.world.profile = replace(self.world.profile, **(figures or {}))
        self.records: list[Record] = []
        for name in names:
            self.ask(NodeControl(node=name, kubelet="stop"))

    @property
    def effects(self) -> Effects:
        """For setting what a case specifies and no request can: a status that a controller maintains."""
        return Effects(self.world, self.records)

    def go_on(self, until_ms: Ms) -> None:
        """Let the run's controllers work up to a moment."""
        self.records += advance(self.world, until_ms=until_ms).records

    def ask(self, command: AnyCommand) -> Record | None:
        """Carry out a command; returns the record of its refusal, or None if it was accepted."""
        records = apply(self.world, command)
        self.records += records
        return next((record for record in records if record.machine == "command" and record.target == "refused"), None)

    def apply(self, document: Json) -> None:
        """Store an object. Raises NotAccepted."""
        refused = self.ask(ApplyManifest(documents=(json.dumps(document),), namespace=NAMESPACE))
        if refused is not None:
            raise NotAccepted(str(refused.get("message") or refused.rule))

    def pod(self, document: Json, *, node: str) -> str:
        """Store a pod in a case on a node, even if it leaves fields out, with its status, and delete it if it is being
        deleted; returns its key."""
        metadata, status = document["metadata"], document.get("status") or {}
        spec = {"containers": [{"name": "app", "image": "app:1"}], **(document.get("spec") or {}), "nodeName": spelled(node)}
        kept = {key: value for key, value in metadata.items() if key not in ("deletionTimestamp", "namespace")}
        name = spelled(metadata["name"])
        self.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {**kept, "name": name}, "spec": spec})
        key = f"{NAMESPACE}/{name}"
        if "deletionTimestamp" in metadata:
            self.ask(DeletePod(target=key, grace_s=_GRACE_S))
        self.ask(PatchPod(target=key, patch=json.dumps({"status": status}), subresource="status"))
        return key

    def is_gone(self, key: str) -> bool:
        """Whether the pod is gone from the API."""
        return self.world.tables.pods[key].gone_ms is not None
