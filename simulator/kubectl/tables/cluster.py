"""Tables of cluster-level objects: nodes, namespaces, classes, limits and quotas, service accounts."""

from simulator.engine.kernel.json_text import Json
from simulator.kubectl.tables.model import AGE, NAME, NONE, UNKNOWN, Column, Sight, at, shown, text_at

_ROLE = "node-role.kubernetes.io/"
_ROLE_NAME = "kubernetes.io/role"


def node_status(document: Json, sight: Sight) -> str:
    """``Ready``, ``NotReady`` (also for Unknown) or ``Unknown`` (no condition), and whether scheduling is disabled."""
    ready = next((item for item in at(document, "status", "conditions") or () if item.get("type") == "Ready"), None)
    word = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    return f"{word},SchedulingDisabled" if at(document, "spec", "unschedulable") else word


def node_roles(document: Json, sight: Sight | None = None) -> str:
    """The roles from the node's labels, sorted; ``<none>`` if there are none."""
    labels = at(document, "metadata", "labels") or {}
    roles = {key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE) and key != _ROLE}
    roles |= {value for key, value in labels.items() if key == _ROLE_NAME and value}
    return ",".join(sorted(roles)) or NONE


def _address(kind: str, document: Json) -> str:
    return next((str(item.get("address")) for item in at(document, "status", "addresses") or () if item.get("type") == kind), NONE)


def _internal(document: Json, sight: Sight) -> str:
    return _address("InternalIP", document)


def _external(document: Json, sight: Sight) -> str:
    return _address("ExternalIP", document)


NODES = (
    NAME,
    Column("STATUS", node_status),
    Column("ROLES", node_roles),
    AGE,
    Column("VERSION", text_at("status", "nodeInfo", "kubeletVersion", default="")),
    Column("INTERNAL-IP", _internal, wide=True),
    Column("EXTERNAL-IP", _external, wide=True),
    Column("OS-IMAGE", text_at("status", "nodeInfo", "osImage", default=UNKNOWN), wide=True),
    Column("KERNEL-VERSION", text_at("status", "nodeInfo", "kernelVersion", default=UNKNOWN), wide=True),
    Column("CONTAINER-RUNTIME", text_at("status", "nodeInfo", "containerRuntimeVersion", default=UNKNOWN), wide=True),
)


def _namespace_status(document: Json, sight: Sight) -> str:
    deleted = at(document, "metadata", "deletionTimestamp")
    return str(at(document, "status", "phase") or ("Terminating" if deleted else "Active"))


NAMESPACES = (NAME, Column("STATUS", _namespace_status), AGE)


def _global_default(document: Json, sight: Sight) -> str:
    return shown(bool(document.get("globalDefault")))


PRIORITY_CLASSES = (
    NAME,
    Column("VALUE", text_at("value", default="0")),
    Column("GLOBAL-DEFAULT", _global_default),
    AGE,
    Column("PREEMPTIONPOLICY", text_at("preemptionPolicy", default="PreemptLowerPriority"), since=32),
)


def _class_name(document: Json, sight: Sight) -> str:
    name = str(at(document, "metadata", "name"))
    return f"{name} (default)" if at(document, "metadata", "annotations", "storageclass.kubernetes.io/is-default-class") == "true" else name


def _expansion(document: Json, sight: Sight) -> str:
    return "true" if document.get("allowVolumeExpansion") else "false"


def _drivers(document: Json, sight: Sight) -> str:
    return str(len((document.get("spec") or {}).get("drivers") or ()))


STORAGE_CLASSES = (
    Column("NAME", _class_name),
    Column("PROVISIONER", text_at("provisioner", default="")),
    Column("RECLAIMPOLICY", text_at("reclaimPolicy", default="Delete")),
    Column("VOLUMEBINDINGMODE", text_at("volumeBindingMode", default="Immediate")),
    Column("ALLOWVOLUMEEXPANSION", _expansion),
    AGE,
)
LEASES = (NAME, Column("HOLDER", text_at("spec", "holderIdentity", default="")), AGE)
CSI_NODES = (NAME, Column("DRIVERS", _drivers), AGE)
RUNTIME_CLASSES = (NAME, Column("HANDLER", text_at("handler", default="")), AGE)


def _secrets(document: Json, sight: Sight) -> str:
    return str(len(document.get("secrets") or ()))


SERVICE_ACCOUNTS = (NAME, Column("SECRETS", _secrets), AGE)
LIMIT_RANGES = (NAME, Column("CREATED AT", text_at("metadata", "creationTimestamp")))


def _quota(document: Json, sight: Sight, *, limits: bool) -> str:
    hard, used = at(document, "status", "hard") or {}, at(document, "status", "used") or {}
    names = sorted(name for name in hard if name.startswith("limits.") == limits)
    return ", ".join(f"{name}: {used.get(name, 0)}/{hard[name]}" for name in names)


def _requests(document: Json, sight: Sight) -> str:
    return _quota(document, sight, limits=False)


def _limits(document: Json, sight: Sight) -> str:
    return _quota(document, sight, limits=True)


RESOURCE_QUOTAS = (
    NAME,
    Column("AGE", AGE.cell, until=32),
    Column("REQUEST", _requests),
    Column("LIMIT", _limits),
    Column("AGE", AGE.cell, since=33),
)
