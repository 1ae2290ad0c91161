"""RuntimeClass admission: what the class of a pod's container runtime adds to it.

The mutating half copies the class's overhead into the pod, merges its node selector (a
contradiction refuses the pod) and appends its tolerations. The validating half then checks that the
overhead is what the class says; a pod without a class may not bring an overhead of its own.

Source: plugin/pkg/admission/runtimeclass.
"""

from collections.abc import Mapping
from typing import Any

from simulator.engine.apiserver.admission.surroundings import NotAdmitted, Surroundings
from simulator.engine.apiserver.validation.semantic import same
from simulator.engine.kernel.json_text import Json

_WITHOUT_CLASS = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
_OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"


def add_runtime_class(pod: Json, known: Surroundings) -> None:
    """Add the overhead and the scheduling constraints of the pod's class, in place. Raises NotAdmitted for a missing class."""
    spec = pod["spec"]
    name = spec.get("runtimeClassName")
    if not name or known.runtime_classes is None:
        return
    if name not in known.runtime_classes:
        raise NotAdmitted(pod, f'pod rejected: RuntimeClass "{name}" not found', field="spec.runtimeClassName")
    found = known.runtime_classes[name]
    if overhead := _overhead(found):
        if spec.get("overhead") and not same(spec["overhead"], overhead):
            raise NotAdmitted(pod, _OTHER_OVERHEAD, field="spec.overhead")
        spec["overhead"] = overhead
    scheduling = found.get("scheduling") or {}
    if selector := scheduling.get("nodeSelector"):
        _merge_selector(pod, selector)
    if tolerations := scheduling.get("tolerations"):
        own = spec.get("tolerations") or []
        spec["tolerations"] = [*own, *(item for item in tolerations if item not in own)]


def _overhead(found: Mapping[str, Any]) -> Json:
    return dict((found.get("overhead") or {}).get("podFixed") or {})


def _merge_selector(pod: Json, selector: Mapping[str, str]) -> None:
    own = pod["spec"].get("nodeSelector") or {}
    for key, value in selector.items():
        if own.get(key, value) != value:
            places = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own[key]}"
            raise NotAdmitted(pod, f"conflict: {places}", field="spec.nodeSelector")
    pod["spec"]["nodeSelector"] = {**own, **selector}


def overhead_problem(spec: Json, known: Surroundings) -> str:
    """Why the overhead of a complete pod is not what its class says; "" if it is."""
    name = spec.get("runtimeClassName")
    if name and known.runtime_classes is None:
        return ""
    wanted = _overhead((known.runtime_classes or {}).get(name) or {}) if name else {}
    if wanted:
        return "" if same(spec.get("overhead") or {}, wanted) else _OTHER_OVERHEAD
    return _WITHOUT_CLASS if spec.get("overhead") is not None else ""
