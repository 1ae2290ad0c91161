"""The kinds of objects the control plane knows: their group, names, and the versions under which a release serves them.

Source: the discovery documents of the releases and the API deprecation guide (batch/v1beta1, policy/v1beta1, node.k8s.io/v1beta1 were
removed in 1.25, scheduling.k8s.io/v1beta1 and storage.k8s.io/v1beta1 in 1.22, autoscaling/v2beta2 in 1.26). autoscaling/v2beta1, which
says the same in other fields, is not included.
"""

from msgspec import Struct

from simulator.engine.versions.span import Span


class Served(Span, frozen=True):
    """A version of a kind and the minor releases that serve it."""

    version: str


class KindInfo(Struct, frozen=True, kw_only=True):
    """One kind. ``versions`` are in order of preference; ``template`` is the path of the pod template inside, "" for none."""

    kind: str
    group: str
    versions: tuple[Served, ...]
    plural: str
    singular: str
    short_names: tuple[str, ...] = ()
    namespaced: bool = True
    template: str = ""

    def api_versions(self, minor: int) -> tuple[str, ...]:
        """The apiVersions under which ``1.<minor>`` serves the kind, the preferred one first."""
        prefix = f"{self.group}/" if self.group else ""
        return tuple(f"{prefix}{item.version}" for item in self.versions if item.holds_for(minor))

    def api_version(self, minor: int) -> str:
        """The preferred apiVersion in ``1.<minor>``; "" if that release does not have the kind."""
        return next(iter(self.api_versions(minor)), "")

    @property
    def resource(self) -> str:
        """The resource as messages name it: ``pods``, ``deployments.apps``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


_V1 = (Served("v1"),)
_POLICY = (Served("v1", since=21), Served("v1beta1", until=24))
_BATCH = (Served("v1", since=21), Served("v1beta1", until=24))
_AUTOSCALING = (Served("v2", since=23), Served("v1"), Served("v2beta2", until=25))
_NODE = (Served("v1", since=20), Served("v1beta1", until=24))
_DISCOVERY = (Served("v1", since=21), Served("v1beta1", until=24))
_UNTIL_1_21 = (Served("v1"), Served("v1beta1", until=21))


def _kind(
    kind: str,
    *short_names: str,
    group: str = "",
    versions: tuple[Served, ...] = _V1,
    plural: str = "",
    namespaced: bool = True,
    template: str = "",
) -> KindInfo:
    singular = kind.lower()
    return KindInfo(
        kind=kind,
        group=group,
        versions=versions,
        plural=plural or f"{singular}s",
        singular=singular,
        short_names=short_names,
        namespaced=namespaced,
        template=template,
    )


_APPS_TEMPLATE = "spec.template"
_ALL = (
    _kind("Pod", "po"),
    _kind("Node", "no", namespaced=False),
    _kind("Namespace", "ns", namespaced=False),
    _kind("Service", "svc"),
    _kind("ConfigMap", "cm"),
    _kind("Secret"),
    _kind("PersistentVolumeClaim", "pvc"),
    _kind("PersistentVolume", "pv", namespaced=False),
    _kind("ServiceAccount", "sa"),
    _kind("Endpoints", "ep", plural="endpoints"),
    _kind("EndpointSlice", group="discovery.k8s.io", versions=_DISCOVERY),
    _kind("LimitRange", "limits"),
    _kind("ResourceQuota", "quota"),
    _kind("Event", "ev"),
    _kind("Deployment", "deploy", group="apps", template=_APPS_TEMPLATE),
    _kind("ReplicaSet", "rs", group="apps", template=_APPS_TEMPLATE),
    _kind("StatefulSet", "sts", group="apps", template=_APPS_TEMPLATE),
    _kind("DaemonSet", "ds", group="apps", template=_APPS_TEMPLATE),
    _kind("ControllerRevision", group="apps"),
    _kind("Job", group="batch", template="spec.template"),
    _kind("CronJob", "cj", group="batch", versions=_BATCH, template="spec.jobTemplate.spec.template"),
    _kind("HorizontalPodAutoscaler", "hpa", group="autoscaling", versions=_AUTOSCALING),
    _kind("PodDisruptionBudget", "pdb", group="policy", versions=_POLICY),
    _kind("PriorityClass", "pc", group="scheduling.k8s.io", versions=_UNTIL_1_21, plural="priorityclasses", namespaced=False),
    _kind("StorageClass", "sc", group="storage.k8s.io", versions=_UNTIL_1_21, plural="storageclasses", namespaced=False),
    _kind("CSINode", group="storage.k8s.io", versions=_UNTIL_1_21, namespaced=False),
    _kind("RuntimeClass", group="node.k8s.io", versions=_NODE, plural="runtimeclasses", namespaced=False),
)

KINDS: dict[str, KindInfo] = {info.kind: info for info in _ALL}
"""Every kind by its name."""

EVICTION = _kind("Eviction", group="policy", versions=(Served("v1", since=22), Served("v1beta1", until=24)))
"""The body of the eviction subresource; objects of it are not stored."""

IMMORTAL_NAMESPACES = ("default", "kube-public", "kube-system")
"""Namespaces that the API server does not allow to be deleted (plugin/pkg/admission/namespace/lifecycle)."""

_BY_WORD = {word.lower(): info for info in _ALL for word in (info.kind, info.singular, info.plural, info.resource, *info.short_names)}


def kind_of(word: str) -> KindInfo | None:
    """The kind for a resource's plural, singular or short name (``po``, ``deployments.apps``), ignoring case."""
    return _BY_WORD.get(word.lower())
