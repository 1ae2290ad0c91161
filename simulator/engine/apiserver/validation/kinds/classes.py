"""Rules for PriorityClasses, StorageClasses, CSINodes and RuntimeClasses (pkg/apis/{scheduling,storage,node}/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, not_supported, required
from simulator.engine.apiserver.validation.kinds.amounts import amount_errors, container_name_errors
from simulator.engine.apiserver.validation.kinds.common import each, inner, named
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.metadata_rules import label_errors
from simulator.engine.apiserver.validation.names import label_problems
from simulator.engine.apiserver.validation.pod.placing import toleration_errors
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, number, text

_SYSTEM_PREFIX = "system-"
_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}
USER_PRIORITY_MAX = 1_000_000_000
_RECLAIM = ("Delete", "Retain")
_BINDING = ("Immediate", "WaitForFirstConsumer")
_PREEMPTION = ("PreemptLowerPriority", "Never")


@kind_rule("PRIORITY-SYSTEM-NAME", "PriorityClass")
def system_name(place: Place) -> Iterator[FieldError]:
    """System names are reserved for the two system classes, unchanged."""
    name = text(fields(place.value, "metadata"), "name")
    if name.startswith(_SYSTEM_PREFIX) and (problem := _system_problem(name, place.value)):
        words = f"priority class names with '{_SYSTEM_PREFIX}' prefix are reserved for system use only"
        yield forbidden("metadata.name", f"{words}. error: {problem}")


def _system_problem(name: str, document: Fields) -> str:
    if name not in _SYSTEM:
        return f"{name} is not a known system priority class"
    if (number(document, "value") or 0) != _SYSTEM[name]:
        return f"value of {name} PriorityClass must be {_SYSTEM[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if document.get("globalDefault") is True else ""


@kind_rule("PRIORITY-VALUE", "PriorityClass")
def priority_value(place: Place) -> Iterator[FieldError]:
    """The value of a class that users define is at most 1,000,000,000."""
    is_system = text(fields(place.value, "metadata"), "name").startswith(_SYSTEM_PREFIX)
    if not is_system and (number(place.value, "value") or 0) > USER_PRIORITY_MAX:
        yield forbidden("value", f"maximum allowed value of a user defined priority is {USER_PRIORITY_MAX}")


@kind_rule("PRIORITY-PREEMPTION", "PriorityClass")
def preemption_policy(place: Place) -> Iterator[FieldError]:
    """The preemption policy is PreemptLowerPriority or Never."""
    policy = text(place.value, "preemptionPolicy")
    if policy and policy not in _PREEMPTION:
        yield not_supported("preemptionPolicy", policy, _PREEMPTION)


@kind_rule("STORAGE-PROVISIONER", "StorageClass")
def storage_provisioner(place: Place) -> Iterator[FieldError]:
    """A StorageClass must name its provisioner (pkg/apis/storage/validation)."""
    if not text(place.value, "provisioner"):
        yield required("provisioner")


@kind_rule("STORAGE-RECLAIM", "StorageClass")
def storage_reclaim(place: Place) -> Iterator[FieldError]:
    """The reclaim policy is Delete or Retain."""
    policy = text(place.value, "reclaimPolicy")
    if policy and policy not in _RECLAIM:
        yield not_supported("reclaimPolicy", policy, _RECLAIM)


@kind_rule("STORAGE-BINDING", "StorageClass")
def storage_binding(place: Place) -> Iterator[FieldError]:
    """The binding mode is Immediate or WaitForFirstConsumer."""
    mode = text(place.value, "volumeBindingMode")
    if mode and mode not in _BINDING:
        yield not_supported("volumeBindingMode", mode, _BINDING)


@kind_rule("CSI-NODE-DRIVERS", "CSINode")
def csi_node_drivers(place: Place) -> Iterator[FieldError]:
    """Every driver has a name of its own and its name for the node."""
    names: list[str] = []
    for driver in each(inner(place, "spec"), "drivers"):
        name = text(driver.value, "name")
        if not name:
            yield required(f"{driver.path}.name")
        elif name in names:
            yield duplicate(f"{driver.path}.name", name)
        names.append(name)
        if not text(driver.value, "nodeID"):
            yield required(f"{driver.path}.nodeID")


@kind_rule("RUNTIME-HANDLER", "RuntimeClass")
def runtime_handler(place: Place) -> Iterator[FieldError]:
    """The handler's name is a DNS label."""
    yield from named("handler", text(place.value, "handler"), label_problems)


@kind_rule("RUNTIME-OVERHEAD", "RuntimeClass")
def runtime_overhead(place: Place) -> Iterator[FieldError]:
    """The overhead of a pod is an amount of resources."""
    for name, value in fields(fields(place.value, "overhead"), "podFixed").items():
        field = f"overhead.podFixed.limits[{name}]"
        yield from container_name_errors(field, name)
        yield from amount_errors(field, name, value)


@kind_rule("RUNTIME-NODE-SELECTOR", "RuntimeClass")
def runtime_node_selector(place: Place) -> Iterator[FieldError]:
    """The nodes that have the handler are selected by labels."""
    yield from label_errors(fields(fields(place.value, "scheduling"), "nodeSelector"), "scheduling.nodeSelector")


@kind_rule("RUNTIME-TOLERATIONS", "RuntimeClass")
def runtime_tolerations(place: Place) -> Iterator[FieldError]:
    """The tolerations for pods of the class are listed once each."""
    seen: list[Fields] = []
    for toleration in each(inner(place, "scheduling"), "tolerations"):
        yield from toleration_errors(toleration.value, toleration.path, {})
        if toleration.value in seen:
            yield duplicate(toleration.path, toleration.value)
        seen.append(toleration.value)
