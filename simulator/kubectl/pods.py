"""One pod as ``kubectl`` shows it: its YAML and its description."""

from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.world.world import World
from simulator.kubectl.describe import describe_pod
from simulator.kubectl.yaml import to_yaml


def object_yaml(world: World, key: Key, *, now_ms: Ms | None = None) -> str:
    """The pod as ``kubectl get pod -o yaml`` prints it; empty for a pod that never existed or is gone."""
    return to_yaml(pod_document(world, key)) if _is_present(world, key) else ""


def describe(world: World, key: Key, *, now_ms: Ms | None = None) -> str:
    """What ``kubectl describe pod`` prints; empty for a pod that never existed or is gone."""
    return describe_pod(world, key, now_ms=now_ms) if _is_present(world, key) else ""


def _is_present(world: World, key: Key) -> bool:
    row = world.tables.pods.get(key)
    return row is not None and row.gone_ms is None
