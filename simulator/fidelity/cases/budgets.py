"""Family ``pdb``: the status of budgets, evictions against them, and scaled values."""

from typing import Any

from simulator.engine.api import disruption
from simulator.engine.api.disruption import BadAmount, Budget, Health, Member, Owner
from simulator.engine.api.selectors import from_document, selects
from simulator.engine.api.times import parse_time

Json = dict[str, Any]


def evaluate(case: Json) -> Json:
    """``{value}`` or ``{error}``, a status, or ``{allowed, code, disruptionsAllowedAfter}``, by the case's op."""
    if case["op"] == "scaledValue":
        try:
            return {"value": disruption.scaled(case["value"], case["total"], round_up=case["roundUp"])}
        except BadAmount:
            return {"error": True}
    return _evict(case) if case["op"] == "evict" else _status(case)


def _status(case: Json) -> Json:
    replicas = {item["uid"]: item["replicas"] for item in case["controllers"]}
    found = disruption.health(
        _budget(case["pdb"]),
        [_member(item) for item in case["pods"]],
        scale=lambda owner: replicas.get(owner.uid),
        before=_health(case["pdb"]),
        now_ms=parse_time(case["now"]),
        skips_unmanaged=True,
    )
    return {
        "disruptionsAllowed": found.allowed,
        "currentHealthy": found.current,
        "desiredHealthy": found.desired,
        "expectedPods": found.expected,
        "disruptedPods": sorted(name for name, _ in found.disrupted),
    }


def _evict(case: Json) -> Json:
    pod = _member(case["pod"])
    if case["eviction"]["metadata"]["name"] != pod.name:
        return {"allowed": False, "code": 400}
    budgets = [(_budget(item), _health(item)) for item in case["pdbs"]]
    asked = [(budget, state) for budget, state in budgets if selects(budget.selector, pod.labels)]
    if disruption.asks_no_budget(pod) or not asked:
        return {"allowed": True}
    if len(asked) > 1:
        return {"allowed": False, "code": 500}
    budget, state = asked[0]
    if disruption.is_spared(budget, state, pod):
        return {"allowed": True, "disruptionsAllowedAfter": state.allowed}
    if state.allowed == 0:
        return {"allowed": False, "code": 429}
    return {"allowed": True, "disruptionsAllowedAfter": state.allowed - 1}


def _budget(document: Json) -> Budget:
    spec = document.get("spec") or {}
    return Budget(
        selector=from_document(spec.get("selector")),
        minimum=spec.get("minAvailable"),
        maximum=spec.get("maxUnavailable"),
        policy=spec.get("unhealthyPodEvictionPolicy") or "",
    )


def _health(document: Json) -> Health:
    status = document.get("status") or {}
    return Health(
        allowed=status.get("disruptionsAllowed", 0),
        current=status.get("currentHealthy", 0),
        desired=status.get("desiredHealthy", 0),
        disrupted=tuple((name, parse_time(at)) for name, at in (status.get("disruptedPods") or {}).items()),
    )


def _member(document: Json) -> Member:
    metadata, status = document["metadata"], document.get("status") or {}
    owner = next((item for item in metadata.get("ownerReferences") or () if item.get("controller")), None)
    conditions = status.get("conditions") or ()
    return Member(
        name=metadata["name"],
        labels=metadata.get("labels") or {},
        phase=status.get("phase", ""),
        is_ready=any(item["type"] == "Ready" and item["status"] == "True" for item in conditions),
        is_terminating=bool(metadata.get("deletionTimestamp")),
        owner=Owner(owner["kind"], owner["name"], owner["uid"]) if owner else None,
    )
