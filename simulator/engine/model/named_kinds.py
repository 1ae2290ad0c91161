"""Kinds that every cluster serves and that play no part in the life of a pod: their names, versions and verbs.

Objects of them are stored and shown as they were sent, like those of custom kinds. Source: the discovery documents of the releases
(kubernetes/kubernetes api/discovery) and the API deprecation guide; API versions that are off by default are omitted.
"""

from msgspec import Struct

from simulator.engine.model.custom import DEFINITION
from simulator.engine.model.kinds import KINDS, KindInfo, Served
from simulator.engine.versions.span import Span

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
CREATED_ONLY = ("create",)
EXTENSIONS = "api-extensions"
"""The category of kinds that extend the API server."""


class NamedKind(Struct, frozen=True, kw_only=True):
    """A kind with its discovery information."""

    info: KindInfo
    verbs: tuple[str, ...] = ALL_VERBS
    category: str = ""


_V1 = (Served("v1"),)
_UNTIL_1_21 = (Served("v1"), Served("v1beta1", until=21))
_FLOWS = (
    Served("v1", since=29),
    Served("v1beta3", since=26, until=31),
    Served("v1beta2", since=23, until=28),
    Served("v1beta1", until=25),
)
_ADMISSION, _AUTHENTICATION, _AUTHORIZATION = "admissionregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io"
_NETWORKING, _RBAC, _STORAGE = "networking.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io"
_CERTIFICATES, _RESOURCE, _FLOW = "certificates.k8s.io", "resource.k8s.io", "flowcontrol.apiserver.k8s.io"


def _since(minor: int) -> tuple[Served, ...]:
    return (Served("v1", since=minor),)


def _named(
    kind: str,
    *short_names: str,
    group: str = "",
    versions: tuple[Served, ...] = _V1,
    plural: str = "",
    namespaced: bool = True,
    verbs: tuple[str, ...] = ALL_VERBS,
    category: str = "",
) -> NamedKind:
    info = KindInfo(
        kind=kind, group=group, versions=versions, plural=plural or f"{kind.lower()}s", singular=kind.lower(),
        short_names=short_names, namespaced=namespaced,
    )  # fmt: skip
    return NamedKind(info=info, verbs=verbs, category=category)


def _review(kind: str, group: str, *, versions: tuple[Served, ...] = _UNTIL_1_21, namespaced: bool = False) -> NamedKind:
    return _named(kind, group=group, versions=versions, namespaced=namespaced, verbs=CREATED_ONLY)


_CORE = (
    _named("Binding", verbs=CREATED_ONLY),
    _named("ComponentStatus", "cs", plural="componentstatuses", namespaced=False, verbs=("get", "list")),
    _named("PodTemplate"),
    _named("ReplicationController", "rc", category="all"),
)
_EXTENDING = (
    *(
        _named(kind, group=_ADMISSION, versions=_UNTIL_1_21, namespaced=False, category=EXTENSIONS)
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    ),
    _named(
        "ValidatingAdmissionPolicy", group=_ADMISSION, versions=_since(30), plural="validatingadmissionpolicies", namespaced=False,
        category=EXTENSIONS,
    ),
    _named("ValidatingAdmissionPolicyBinding", group=_ADMISSION, versions=_since(30), namespaced=False, category=EXTENSIONS),
    _named(
        "MutatingAdmissionPolicy", group=_ADMISSION, versions=_since(36), plural="mutatingadmissionpolicies", namespaced=False,
        category=EXTENSIONS,
    ),
    _named("MutatingAdmissionPolicyBinding", group=_ADMISSION, versions=_since(36), namespaced=False, category=EXTENSIONS),
    NamedKind(info=DEFINITION, category=EXTENSIONS),
    _named("APIService", group="apiregistration.k8s.io", versions=_UNTIL_1_21, namespaced=False, category=EXTENSIONS),
)  # fmt: skip
REVIEWS = (
    _review("SelfSubjectReview", _AUTHENTICATION, versions=_since(28)),
    _review("TokenReview", _AUTHENTICATION),
    _review("LocalSubjectAccessReview", _AUTHORIZATION, namespaced=True),
    _review("SelfSubjectAccessReview", _AUTHORIZATION),
    _review("SelfSubjectRulesReview", _AUTHORIZATION),
    _review("SubjectAccessReview", _AUTHORIZATION),
)
"""Kinds whose objects are requests to be answered and are never stored."""
LEASE = _named("Lease", group="coordination.k8s.io", versions=_UNTIL_1_21)
"""Leases of nodes are not objects of the store: their contents follow from the heartbeats."""
_OTHERS = (
    _named("CertificateSigningRequest", "csr", group=_CERTIFICATES, versions=_UNTIL_1_21, namespaced=False),
    _named("ClusterTrustBundle", group=_CERTIFICATES, versions=_since(37), namespaced=False),
    _named("PodCertificateRequest", group=_CERTIFICATES, versions=_since(37)),
    _named("FlowSchema", group=_FLOW, versions=_FLOWS, namespaced=False),
    _named("PriorityLevelConfiguration", group=_FLOW, versions=_FLOWS, namespaced=False),
    _named("Ingress", "ing", group=_NETWORKING, versions=_UNTIL_1_21, plural="ingresses"),
    _named("IngressClass", group=_NETWORKING, versions=_UNTIL_1_21, plural="ingressclasses", namespaced=False),
    _named("NetworkPolicy", "netpol", group=_NETWORKING, plural="networkpolicies"),
    _named("IPAddress", "ip", group=_NETWORKING, versions=_since(33), plural="ipaddresses", namespaced=False),
    _named("ServiceCIDR", group=_NETWORKING, versions=_since(33), namespaced=False),
    _named(
        "PodSecurityPolicy", "psp", group="policy", versions=(Served("v1beta1", until=24),), plural="podsecuritypolicies",
        namespaced=False,
    ),
    _named("ClusterRoleBinding", group=_RBAC, versions=_UNTIL_1_21, namespaced=False),
    _named("ClusterRole", group=_RBAC, versions=_UNTIL_1_21, namespaced=False),
    _named("RoleBinding", group=_RBAC, versions=_UNTIL_1_21),
    _named("Role", group=_RBAC, versions=_UNTIL_1_21),
    _named("DeviceClass", group=_RESOURCE, versions=_since(34), plural="deviceclasses", namespaced=False),
    _named("DeviceTaintRule", group=_RESOURCE, versions=_since(37), namespaced=False),
    _named("ResourceClaim", group=_RESOURCE, versions=_since(34)),
    _named("ResourceClaimTemplate", group=_RESOURCE, versions=_since(34)),
    _named("ResourceSlice", group=_RESOURCE, versions=_since(34), namespaced=False),
    _named("CSIDriver", group=_STORAGE, versions=_UNTIL_1_21, namespaced=False),
    _named(
        "CSIStorageCapacity", group=_STORAGE, plural="csistoragecapacities",
        versions=(Served("v1", since=24), Served("v1beta1", since=21, until=26)),
    ),
    _named("VolumeAttachment", group=_STORAGE, versions=_UNTIL_1_21, namespaced=False),
    _named("VolumeAttributesClass", "vac", group=_STORAGE, versions=_since(34), plural="volumeattributesclasses", namespaced=False),
    _named("StorageVersionMigration", group="storagemigration.k8s.io", versions=_since(37), namespaced=False),
)  # fmt: skip
NAMED: tuple[NamedKind, ...] = (*_CORE, *_EXTENDING, *REVIEWS, LEASE, *_OTHERS)
"""Every kind that is served but not modelled, each once."""
NAMED_BY_KIND: dict[str, KindInfo] = {item.info.kind: item.info for item in NAMED}
SAME_ELSEWHERE: tuple[NamedKind, ...] = (
    _named("Ingress", "ing", group="extensions", versions=(Served("v1beta1", until=21),), plural="ingresses"),
    _named("Event", "ev", group="events.k8s.io", versions=(Served("v1"), Served("v1beta1", until=24))),
)
"""Kinds that another group serves as well, under which clients see the same objects."""
METRICS_GROUP = "metrics.k8s.io"
METRICS: tuple[NamedKind, ...] = tuple(
    NamedKind(
        info=KindInfo(kind=kind, group=METRICS_GROUP, versions=(Served("v1beta1"),), plural=plural, singular="", namespaced=namespaced),
        verbs=("get", "list"),
    )
    for kind, plural, namespaced in (("NodeMetrics", "nodes", False), ("PodMetrics", "pods", True))
)
"""The kinds of metrics-server, which is assumed to be there."""
BUILT_IN: tuple[KindInfo, ...] = (*KINDS.values(), *(item.info for item in (*NAMED, *METRICS)))
"""Every kind that a cluster serves without definitions of its own, each in one group."""


class _Other(Served, frozen=True, kw_only=True):
    group: str
    warning: str = ""  # the API server's warning with each response


OTHER_VERSIONS = (
    _Other("v2beta1", group="autoscaling", until=24),
    _Other(
        "v1beta1", group=DEFINITION.group, until=21,
        warning="apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; "
        "use apiextensions.k8s.io/v1 CustomResourceDefinition",
    ),
)  # fmt: skip
"""Group versions whose objects have other fields than those kept here: only their names are served. Definitions can be read in theirs."""

_BY_WORD = {
    word.lower(): item.info
    for item in NAMED
    for word in (item.info.kind, item.info.singular, item.info.plural, item.info.resource, *item.info.short_names)
}


def named_kind(word: str, minor: int) -> KindInfo | None:
    """The kind for a plural, singular or short name (``ing``, ``roles``), if ``1.<minor>`` has it; ignores case."""
    info = _BY_WORD.get(word.lower())
    return info if info is not None and info.api_version(minor) else None


_IN_ALL = frozenset(
    ("Pod", "Service", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet", "HorizontalPodAutoscaler", "CronJob", "Job")
)  # fmt: skip
_NAMED_BY_RESOURCE = {item.info.resource: item for item in (*NAMED, *METRICS)}
_SERVICES_TOGETHER = Span(since=23)
"""The versions that can delete Services by a selector in one request."""


def verbs_of(info: KindInfo, minor: int) -> tuple[str, ...]:
    """The verbs that ``1.<minor>`` allows on a kind, in alphabetical order."""
    named = _NAMED_BY_RESOURCE.get(info.resource)
    if named is not None:
        return named.verbs
    one_by_one = info.kind == "Namespace" or (info.kind == "Service" and not _SERVICES_TOGETHER.holds_for(minor))
    return tuple(verb for verb in ALL_VERBS if verb != "deletecollection" or not one_by_one)


def category_of(info: KindInfo) -> str:
    """``all`` for what ``kubectl get all`` shows, ``api-extensions``, or nothing."""
    named = _NAMED_BY_RESOURCE.get(info.resource)
    return named.category if named is not None else "all" if info.kind in _IN_ALL else ""
