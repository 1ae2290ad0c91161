"""Which lists and maps of the API are owned item by item, and which as a whole.

Source: the extensions x-kubernetes-list-type, -list-map-keys, -map-type and -patch-merge-key of the API's OpenAPI document of 1.37;
older versions differ only in lists they lack. A list that is not named here is atomic; a map is not.
"""

from typing import Any

from msgspec import Struct

from simulator.engine.kernel.json_text import Json

_BY_NAME = (
    *("Container.env", "EphemeralContainer.env", "ContainerStatus.allocatedResourcesStatus", "JobSchedulingConfiguration.resourceClaims"),
    *("NodeAllocatableResourceClaimStatus.mapping", "NodeAllocatableResourceClaimStatus.overhead", "PodSpec.containers"),
    *("PodSpec.ephemeralContainers", "PodSpec.evictionResponders", "PodSpec.imagePullSecrets", "PodSpec.initContainers"),
    *("PodSpec.resourceClaims", "PodSpec.schedulingGates", "PodSpec.volumes", "PodStatus.resourceClaimStatuses", "PodStatus.volumeHealth"),
    *("ResourceRequirements.claims", "ServiceAccount.secrets", "CSINodeSpec.drivers", "CSINodeStatus.storageHealth"),
)
_BY_TYPE = tuple(
    f"{kind}.conditions"
    for kind in (
        *("DaemonSetStatus", "DeploymentStatus", "ReplicaSetStatus", "StatefulSetStatus", "HorizontalPodAutoscalerStatus"),
        *("NamespaceStatus", "NodeStatus", "PersistentVolumeClaimStatus", "PodStatus", "ServiceStatus", "PodDisruptionBudgetStatus"),
    )
)
_OTHERS = {
    "Container.ports": ("containerPort", "protocol"),
    "EphemeralContainer.ports": ("containerPort", "protocol"),
    "Container.volumeDevices": ("devicePath",),
    "EphemeralContainer.volumeDevices": ("devicePath",),
    "Container.volumeMounts": ("mountPath",),
    "EphemeralContainer.volumeMounts": ("mountPath",),
    "ContainerStatus.volumeMounts": ("mountPath",),
    "NodeStatus.addresses": ("type",),
    "PodSpec.hostAliases": ("ip",),
    "PodSpec.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "PodStatus.nodeAllocatableResourceClaimStatuses": ("resourceClaimName",),
    "PodStatus.podIPs": ("ip",),
    "ResourceStatus.resources": ("resourceID",),
    "ServiceSpec.ports": ("port", "protocol"),
    "ObjectMeta.ownerReferences": ("uid",),
}
_KEYS: dict[str, tuple[str, ...]] = {**dict.fromkeys(_BY_NAME, ("name",)), **dict.fromkeys(_BY_TYPE, ("type",)), **_OTHERS}
_SETS = frozenset(
    (
        *("PodFailurePolicyOnExitCodesRequirement.values", "UncountedTerminatedPods.failed", "UncountedTerminatedPods.succeeded"),
        *("ContainerRestartRuleOnExitCodes.values", "NodeAllocatableResourceClaimStatus.containers", "NodeSpec.podCIDRs"),
        *("NodePodPreemptionPolicy.disableResizePreemption", "VolumeMount.bindMountOptions", "ObjectMeta.finalizers"),
    )
)
_ATOMIC = frozenset(
    (
        *("CrossVersionObjectReference", "ConfigMapKeySelector", "EvictionResponder", "FileKeySelector", "LocalObjectReference"),
        *("NodeSelector", "NodeSelectorTerm", "ObjectFieldSelector", "ObjectReference", "ResourceFieldSelector", "ScopeSelector"),
        *("SecretKeySelector", "SecretReference", "TopologySelectorTerm", "TypedLocalObjectReference", "LabelSelector", "OwnerReference"),
        *("PodSpec.nodeSelector", "ServiceSpec.selector"),
    )
)
"""Types, and fields of types, that are maps with one owner."""
_GRANULAR = frozenset(("PersistentVolumeSpec.claimRef",))
KEY_DEFAULTS = {"protocol": "TCP"}
"""The default of a key of a list item that leaves it out."""
LIST_TYPE, LIST_KEYS, MAP_TYPE = "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type"


class Part(Struct, frozen=True):
    """What is known of a value: its schema (empty: nothing), and the field it belongs to, as ``PodSpec.containers``."""

    node: Json = {}
    place: str = ""

    def field(self, name: str) -> "Part":
        """The value of that field."""
        found = (self.node.get("properties") or {}).get(name)
        if found is None:
            more = self.node.get("additionalProperties")
            found = more if isinstance(more, dict) else {}
        return Part(found, f"{self.node.get('title', '')}.{name}")

    def names(self, name: str) -> bool:
        """Whether the schema names that field, rather than allowing any."""
        return name in (self.node.get("properties") or {})

    def declares(self, name: str) -> bool:
        """Whether the value may have that field at all."""
        keeps = self.node.get("additionalProperties") or self.node.get("x-kubernetes-preserve-unknown-fields")
        return not self.node.get("properties") or self.names(name) or bool(keeps)

    def item(self) -> "Part":
        """An item of the list."""
        found = self.node.get("items")
        return Part(found if isinstance(found, dict) else {})

    @property
    def has_parts(self) -> bool:
        """Whether the fields of the map have separate owners."""
        if self.place in _GRANULAR:
            return True
        return self.node.get(MAP_TYPE) != "atomic" and self.place not in _ATOMIC and self.node.get("title") not in _ATOMIC

    @property
    def is_set(self) -> bool:
        """Whether the values of the list have separate owners."""
        return self.place in _SETS or self.node.get(LIST_TYPE) == "set"

    @property
    def keys(self) -> tuple[str, ...]:
        """The fields that tell the items of the list apart; none if the list has a single owner."""
        if self.node.get(LIST_TYPE) == "map":
            return tuple(str(key) for key in self.node.get(LIST_KEYS) or ())
        return _KEYS.get(self.place, ())

    def default_of(self, key: str) -> Any:
        """The value of an item's key if the item leaves it out; None if that is not known."""
        found = (self.item().node.get("properties") or {}).get(key) or {}
        return found.get("default", KEY_DEFAULTS.get(key))
