"""Priority admission: the number behind a pod's priority class. Source: plugin/pkg/admission/priority."""

import json
from typing import Any

from simulator.engine.effects import Effects
from simulator.engine.lookups import objects_of
from simulator.engine.rules.text import RuleText, gettext_noop

SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The classes that every cluster has."""
NEGATIVE = "negative priorities"
"""Counter of pods that were created with a priority below 0."""


def with_priority(fx: Effects, document: dict[str, Any], text: str) -> tuple[dict[str, Any], str]:
    """The Pod document and its text with what its class (or the cluster's default class) says; O(objects)."""
    spec = document.get("spec") or {}
    name = str(spec.get("priorityClassName") or "")
    found = {"priority": SYSTEM[name], "priorityClassName": name} if name in SYSTEM else _found(fx, name)
    if not found:
        return document, text
    document = {**document, "spec": {**found, **spec, "priority": found["priority"]}}
    return document, json.dumps(document, ensure_ascii=False)


def _found(fx: Effects, name: str) -> dict[str, Any]:
    """What the class of that name, or without a name the default class, puts into a pod's spec."""
    for item in objects_of(fx.tables, "PriorityClass"):
        key, given = item.name, json.loads(item.document)
        if key == name or (not name and given.get("globalDefault")):
            policy = {"preemptionPolicy": given["preemptionPolicy"]} if given.get("preemptionPolicy") else {}
            return {"priority": int(given.get("value") or 0), "priorityClassName": key, **policy}
    return {}


def class_problem(fx: Effects, document: dict[str, Any]) -> str:
    """What admission says against a pod that names a class the cluster does not have; empty for any other."""
    name = (document.get("spec") or {}).get("priorityClassName")
    if not name or name in SYSTEM or ("PriorityClass", "", name) in fx.tables.objects:
        return ""
    return f"no PriorityClass with name {name} was found"


def given_problem(fx: Effects, document: dict[str, Any]) -> str:
    """What admission says against a pod that gives another number or policy than its class has; empty for any other."""
    spec = document.get("spec") or {}
    name = str(spec.get("priorityClassName") or "")
    found = {"priority": SYSTEM[name]} if name in SYSTEM else _found(fx, name)
    computed = found.get("priority", 0)
    if spec.get("priority") not in (None, computed):
        return f"the integer value of priority ({spec['priority']}) {_COMPUTED} {computed} from the given PriorityClass name"
    policy = found.get("preemptionPolicy", "PreemptLowerPriority")
    if spec.get("preemptionPolicy") not in (None, policy):
        return f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) {_COMPUTED} {policy} from the given PriorityClass name"
    return ""


_COMPUTED = "must not be provided in pod spec; priority admission controller computed"
RULES = (
    RuleText(
        "PRIORITY-CLASS",
        gettext_noop("Admission looks the pod's priority class up, which gives the pod its number: {message}"),
        "plugin/pkg/admission/priority/admission.go",
    ),
)
