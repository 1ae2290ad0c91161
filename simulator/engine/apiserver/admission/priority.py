"""Priority admission: the number behind a pod's priority class.

A pod names a class; the plug-in resolves it and writes ``spec.priority`` and
``spec.preemptionPolicy``. Users may send these two fields only with the values that the plug-in
would compute, so that manifests taken from a cluster can be applied again. A pod without a class
gets the cluster's default class, or priority 0.

The number is fixed from then on: changing or deleting a class leaves its pods as they are.

Source: plugin/pkg/admission/priority.
"""

from simulator.engine.apiserver.admission.surroundings import NotAdmitted, PriorityClass, Surroundings
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop

RULES = (
    RuleText(
        "PRIORITY-CLASS",
        gettext_noop("Admission looks up the pod’s priority class, which determines its priority: {message}"),
        "plugin/pkg/admission/priority/admission.go",
    ),
)
_COMPUTED = "must not be provided in pod spec; priority admission controller computed"
_NONE = PriorityClass(0)


def add_priority(pod: Json, known: Surroundings) -> None:
    """Set the number and the preemption policy of the pod's class, in place. Raises NotAdmitted for a missing class or other values."""
    spec = pod["spec"]
    name = spec.get("priorityClassName") or known.default_class
    found = _class_of(pod, str(name or ""), known)
    if found is None:  # any class exists, and its value is unknown
        spec.setdefault("priority", _NONE.value)
        spec.setdefault("preemptionPolicy", _NONE.preemption_policy)
        return
    priority, policy = spec.get("priority"), spec.get("preemptionPolicy")
    if priority not in (None, found.value):
        why = f"the integer value of priority ({priority}) {_COMPUTED} {found.value} from the given PriorityClass name"
        raise NotAdmitted(pod, why, "PRIORITY-CLASS", field="spec.priority")
    if policy not in (None, found.preemption_policy):
        why = f"the string value of PreemptionPolicy ({policy}) {_COMPUTED} {found.preemption_policy} from the given PriorityClass name"
        raise NotAdmitted(pod, why, "PRIORITY-CLASS", field="spec.preemptionPolicy")
    if name:
        spec["priorityClassName"] = name
    spec["priority"], spec["preemptionPolicy"] = found.value, found.preemption_policy


def _class_of(pod: Json, name: str, known: Surroundings) -> PriorityClass | None:
    if known.priority_classes is None:
        return None
    if not name:
        return _NONE
    if name not in known.priority_classes:
        raise NotAdmitted(pod, f"no PriorityClass with name {name} was found", "PRIORITY-CLASS", field="spec.priorityClassName")
    return known.priority_classes[name]
