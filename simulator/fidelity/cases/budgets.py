"""Family ``pdb``: the status of budgets, evictions against them, and scaled values."""

from msgspec.structs import replace

from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.kernel.json_text import Json
from simulator.engine.model import disruption
from simulator.engine.model.disruption import BadAmount, Health
from simulator.engine.model.times import parse_time
from simulator.fidelity.cases.scene import NAMESPACE, Scene, spelled

_NODE = "away"
_LOOK_MS = 500
"""By then the disruption controller has seen what was stored."""


def evaluate(case: Json) -> Json:
    """``{value}`` or ``{error}``, a status, or ``{allowed, code, disruptionsAllowedAfter}``, depending on the case's op."""
    if case["op"] == "scaledValue":
        try:
            return {"value": disruption.scaled(case["value"], case["total"], round_up=case["roundUp"])}
        except BadAmount:
            return {"error": True}
    return _evict(case) if case["op"] == "evict" else _status(case)


def _status(case: Json) -> Json:
    """The status that a run's disruption controller gives the budget."""
    scene = Scene(nodes=(_NODE,), epoch_s=parse_time(case["now"]) // 1000)
    for item in case["controllers"]:
        scene.apply(_controller(item))
    for item in case["pods"]:
        scene.pod(item, node=_NODE)
    found = _budget(scene, case["pdb"])
    scene.go_on(_LOOK_MS)
    health = scene.world.tables.budgets[found].health
    return {
        "disruptionsAllowed": health.allowed,
        "currentHealthy": health.current,
        "desiredHealthy": health.desired,
        "expectedPods": health.expected,
        "disruptedPods": sorted(name for name, _ in health.disrupted),
    }


def _evict(case: Json) -> Json:
    """The answer of a run's eviction subresource, and what is left of the budget."""
    scene = Scene(nodes=(_NODE,))
    key = scene.pod(case["pod"], node=_NODE)
    budgets = [_budget(scene, item) for item in case["pdbs"]]
    scene.go_on(_LOOK_MS)
    for found, item in zip(budgets, case["pdbs"], strict=True):
        _set_status(scene, found, item)
    eviction = case["eviction"]
    grace = (eviction.get("deleteOptions") or {}).get("gracePeriodSeconds")
    refused = scene.ask(EvictPod(target=key, grace_s=grace, eviction=spelled(eviction["metadata"]["name"])))
    if refused is not None:
        return {"allowed": False, "code": refused.get("code")}
    left = [scene.world.tables.budgets[found].health.allowed for found in budgets]
    return {"allowed": True, "disruptionsAllowedAfter": left[0] if left else None}


def _budget(scene: Scene, document: Json) -> tuple[str, str]:
    """Store the budget as in the case; returns its namespace and name."""
    name = document["metadata"]["name"]
    scene.apply({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name}, "spec": document["spec"]})
    _set_status(scene, (NAMESPACE, name), document)
    return NAMESPACE, name


def _set_status(scene: Scene, key: tuple[str, str], document: Json) -> None:
    """Give the budget the status in the case; only its controller writes a status, so no request can."""
    status = document.get("status") or {}
    epoch_ms = scene.world.header.epoch_s * 1000
    health = Health(
        allowed=status.get("disruptionsAllowed", 0),
        current=status.get("currentHealthy", 0),
        desired=status.get("desiredHealthy", 0),
        disrupted=tuple((name, parse_time(at) - epoch_ms) for name, at in (status.get("disruptedPods") or {}).items()),
    )
    scene.effects.save_budget(replace(scene.world.tables.budgets[key], health=health))


def _controller(item: Json) -> Json:
    labels = {"controller": item["name"]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    plain = item["kind"] == "ReplicationController"
    spec = {"replicas": item["replicas"], "selector": labels if plain else {"matchLabels": labels}, "template": template}
    if item["kind"] == "StatefulSet":
        spec["serviceName"] = item["name"]
    return {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": {"name": item["name"]}, "spec": spec}
