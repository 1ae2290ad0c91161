"""The resources that a cluster serves, by group and version, with verbs, short names and subresources.

Source: the discovery documents of the releases (docs of kubernetes/kubernetes api/discovery).
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from simulator.engine.apiserver.documents.custom import custom_kinds
from simulator.engine.apiserver.documents.definitions import DefinedKind, DefinedVersion, definitions_in
from simulator.engine.kernel.bounded import whole_number
from simulator.engine.model.custom import DEFINITION
from simulator.engine.model.kinds import EVICTION, KindInfo
from simulator.engine.model.named_kinds import BUILT_IN, NAMED, OTHER_VERSIONS, SAME_ELSEWHERE, category_of, verbs_of
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World

READ_VERBS = ("get", "list", "watch")
_FEW_VERBS = {"Lease": READ_VERBS}
_NUMBER_MAX = 99
_STREAM_VERBS = ("create", "get")
EPHEMERAL_LIST = Span(until=21)
"""The versions in which a pod's ephemeral containers are a separate list of the kind EphemeralContainers."""
_SCALED = ("Deployment", "ReplicaSet", "StatefulSet")
_WITH_STATUS = frozenset(
    (
        *("Pod", "Node", "Namespace", "Service", "PersistentVolumeClaim", "PersistentVolume", "ResourceQuota", "Deployment", "ReplicaSet"),
        *("StatefulSet", "DaemonSet", "Job", "CronJob", "HorizontalPodAutoscaler", "PodDisruptionBudget"),
    )
)
_GROUP_ORDER = (
    *("", "apiregistration.k8s.io", "apps", "events.k8s.io", "authentication.k8s.io", "authorization.k8s.io", "autoscaling", "batch"),
    *("certificates.k8s.io", "networking.k8s.io", "extensions", "policy", "rbac.authorization.k8s.io", "storage.k8s.io"),
    *("admissionregistration.k8s.io", "apiextensions.k8s.io", "scheduling.k8s.io", "coordination.k8s.io", "node.k8s.io"),
    *("discovery.k8s.io", "flowcontrol.apiserver.k8s.io", "resource.k8s.io", "storagemigration.k8s.io", "metrics.k8s.io"),
)
"""The groups in the order in which the API server lists them, by their priorities (pkg/controlplane apiservices)."""


class Subresource(Struct, frozen=True, kw_only=True):
    """A subresource. ``group`` and ``version`` are those of its kind if they differ from its parent's."""

    name: str
    kind: str
    verbs: tuple[str, ...]
    group: str = ""
    version: str = ""


class Resource(Struct, frozen=True, kw_only=True):
    """A kind in one version: what a path such as ``/apis/apps/v1/deployments`` names.

    ``own`` and ``listed_in`` are the subresources and categories of a custom kind.
    """

    info: KindInfo
    version: str
    minor: int
    own: tuple[Subresource, ...] = ()
    listed_in: tuple[str, ...] = ()

    @property
    def group_version(self) -> str:
        """``v1``, ``apps/v1``."""
        return f"{self.info.group}/{self.version}" if self.info.group else self.version

    @property
    def verbs(self) -> tuple[str, ...]:
        """The verbs it supports."""
        if self.info == DEFINITION and self.version != DEFINITION.api_version(self.minor).rpartition("/")[2]:
            return READ_VERBS
        return _FEW_VERBS.get(self.info.kind) or verbs_of(self.info, self.minor)

    @property
    def categories(self) -> tuple[str, ...]:
        """``all`` for kinds that ``kubectl get all`` shows, or the categories in a definition."""
        category = category_of(self.info)
        return (category,) if category else self.listed_in

    def subresources(self) -> Iterator[Subresource]:
        """Its subresources, by name."""
        kind = self.info.kind
        yield from self.own
        if kind == "Pod":
            yield Subresource(name="attach", kind="PodAttachOptions", verbs=_STREAM_VERBS)
            yield Subresource(name="binding", kind="Binding", verbs=("create",))
            version = EVICTION.api_version(self.minor).rpartition("/")[2]
            kind_of_list = "EphemeralContainers" if EPHEMERAL_LIST.holds_for(self.minor) else "Pod"
            yield Subresource(name="ephemeralcontainers", kind=kind_of_list, verbs=("get", "patch", "update"))
            yield Subresource(name="eviction", kind="Eviction", verbs=("create",), group="policy", version=version)
            yield Subresource(name="exec", kind="PodExecOptions", verbs=_STREAM_VERBS)
            yield Subresource(name="log", kind="Pod", verbs=("get",))
            yield Subresource(name="portforward", kind="PodPortForwardOptions", verbs=_STREAM_VERBS)
        if kind == "ServiceAccount":
            yield Subresource(name="token", kind="TokenRequest", verbs=("create",), group="authentication.k8s.io", version="v1")
        if kind in _SCALED:
            yield Subresource(name="scale", kind="Scale", verbs=("get", "patch", "update"), group="autoscaling", version="v1")
        if kind in _WITH_STATUS:
            yield Subresource(name="status", kind=kind, verbs=("get", "patch", "update"))


def served(world: World) -> list[Resource]:
    """Every resource of the cluster: groups in the API server's order, versions by preference, resources by name. O(kinds)."""
    return sorted(_every(world), key=_place)


def _every(world: World) -> Iterator[Resource]:
    minor = world.release.minor
    defined = list(defined_resources(world))
    known = {item.info.kind for item in defined} | {item.info.kind for item in NAMED}
    yield from _built_in(minor)
    yield from _same_elsewhere(minor)
    yield from _in_versions((info for info in custom_kinds(world) if info.kind not in known), minor)
    yield from defined


def built_in(minor: int) -> list[Resource]:
    """The resources that every cluster of ``1.<minor>`` has, in the same order."""
    return sorted(_built_in(minor), key=_place)


def _built_in(minor: int) -> Iterator[Resource]:
    # CustomResourceDefinition itself comes with ``defined_resources``.
    return _in_versions((info for info in BUILT_IN if info != DEFINITION), minor)


def _same_elsewhere(minor: int) -> Iterator[Resource]:
    """Kinds that another group serves as well; they have no schema here, so OpenAPI documents leave them out."""
    return _in_versions((item.info for item in SAME_ELSEWHERE), minor)


def _in_versions(infos: Iterable[KindInfo], minor: int) -> Iterator[Resource]:
    for info in infos:
        for api_version in info.api_versions(minor):
            yield Resource(info=info, version=api_version.rpartition("/")[2], minor=minor)


def defined_resources(world: World) -> Iterator[Resource]:
    """The resource of CustomResourceDefinitions, and the resources they define."""
    minor = world.release.minor
    versions = ("v1", *(item.version for item in OTHER_VERSIONS if item.group == DEFINITION.group and item.holds_for(minor)))
    for name in versions:
        yield Resource(info=DEFINITION, version=name, minor=minor, own=(_status(DEFINITION.kind),), listed_in=("api-extensions",))
    for defined in definitions_in(world):
        for version in defined.versions.values():
            own = tuple(_defined_parts(defined, version))
            yield Resource(info=defined.info, version=version.name, minor=minor, own=own, listed_in=defined.categories)


def _status(kind: str) -> Subresource:
    return Subresource(name="status", kind=kind, verbs=("get", "patch", "update"))


def _defined_parts(defined: DefinedKind, version: DefinedVersion) -> Iterator[Subresource]:
    if version.scale:
        yield Subresource(name="scale", kind="Scale", verbs=("get", "patch", "update"), group="autoscaling", version="v1")
    if version.has_status:
        yield _status(defined.info.kind)


def _place(resource: Resource) -> tuple[int, str, int, str]:
    info = resource.info
    order = _GROUP_ORDER.index(info.group) if info.group in _GROUP_ORDER else len(_GROUP_ORDER)
    return order, info.group, _rank(resource.version), info.plural


def _rank(version: str) -> int:
    """Sorts stable and newer versions first: v2, v1, v2beta2, v1beta1 (apimachinery pkg/version CompareKubeAwareVersionStrings)."""
    stable, _, beta = version.removeprefix("v").partition("beta")
    number = whole_number(stable, most=_NUMBER_MAX) or 0
    return (1000 if beta else 0) - 10 * number - (whole_number(beta, most=_NUMBER_MAX) or 0)


def resources_of(world: World, group: str, version: str) -> list[Resource]:
    """The resources of one group version; empty if it is not served."""
    return [item for item in served(world) if (item.info.group, item.version) == (group, version)]


def resource_at(world: World, group: str, version: str, plural: str) -> Resource | None:
    """The resource that a path names, or None."""
    wanted = group, version, plural
    return next((item for item in _every(world) if (item.info.group, item.version, item.info.plural) == wanted), None)
