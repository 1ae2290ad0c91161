"""Priority admission: the number behind a pod's priority class. Source: spec/control-plane §1 (plugin/pkg/admission/priority)."""

import json

from msgspec.structs import replace

from simulator.engine.api.pod import Pod
from simulator.engine.effects import Effects

SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
"""The classes that every cluster has."""


def with_priority(fx: Effects, pod: Pod) -> Pod:
    """The pod with the priority and preemption policy of its class, or of the cluster's default class; O(objects) without a class."""
    spec = pod.spec
    name = spec.priority_class_name
    if name in SYSTEM:
        return replace(pod, spec=replace(spec, priority=SYSTEM[name]))
    for (kind, _, key), item in fx.tables.objects.items():
        if kind != "PriorityClass":
            continue
        document = json.loads(item.document)
        if key == name or (not name and document.get("globalDefault")):
            policy = spec.preemption_policy or str(document.get("preemptionPolicy") or "")
            value = int(document.get("value") or 0)
            return replace(pod, spec=replace(spec, priority=value, priority_class_name=key, preemption_policy=policy))
    return pod
