"""Kinds that Kubernetes itself does not have: those defined by a CustomResourceDefinition.

An object of such a kind is stored and shown as it was sent; nothing in the simulation acts on it. Source: apiextensions-apiserver
pkg/apis/apiextensions/validation (a group has a dot). The plural is in the CustomResourceDefinition; if a run has none, it is formed
by the rules of English, as the generators that write one form it (k8s.io/gengo namer/plural_namer.go).
"""

from simulator.engine.model.kinds import KINDS, KindInfo, Served

KUBERNETES_GROUPS = frozenset(
    f"{name}.k8s.io"
    for name in (
        *("admission", "admissionregistration", "apiextensions", "apiregistration", "auditregistration", "authentication"),
        *("authorization", "certificates", "coordination", "discovery", "events", "flowcontrol.apiserver", "imagepolicy"),
        *("internal.apiserver", "networking", "node", "rbac.authorization", "resource", "scheduling", "settings", "storage"),
        *("storagemigration", "client.authentication", "lifecycle"),
    )
)
"""API groups with a dot that the API server itself serves or has served; those without a dot are all Kubernetes' own."""


DEFINITION = KindInfo(
    kind="CustomResourceDefinition",
    group="apiextensions.k8s.io",
    versions=(Served("v1"),),
    plural="customresourcedefinitions",
    singular="customresourcedefinition",
    short_names=("crd", "crds"),
    namespaced=False,
)
"""The kind that defines others. It is created only through a run's API: manifests of a run omit it."""


def group_of(api_version: str) -> str:
    """``cert-manager.io`` of ``cert-manager.io/v1``; "" for the core group."""
    return api_version.rpartition("/")[0]


def is_custom_group(api_version: str) -> bool:
    """Whether the group can only come from a CustomResourceDefinition (or an aggregated server)."""
    group = group_of(api_version)
    return "." in group and group not in KUBERNETES_GROUPS


def is_custom(api_version: str, kind: str) -> bool:
    """Whether objects of the kind are stored without behaviour: a custom kind that does not share its name with a Kubernetes kind."""
    return kind not in KINDS and is_custom_group(api_version)


def plural_of(kind: str) -> str:
    """The resource name that usually follows from the kind's: ``certificates``, ``meshes``, ``policies``, ``gateways``."""
    singular = kind.lower()
    # gengo leaves Endpoints unchanged: the kind is already a plural.
    if singular.endswith("endpoints"):
        return singular
    if singular.endswith(("s", "x", "z", "ch", "sh")):
        return f"{singular}es"
    return f"{singular[:-1]}ies" if singular.endswith("y") and singular[-2:-1] not in "aeiou" else f"{singular}s"


def custom_info(api_version: str, kind: str) -> KindInfo:
    """What is known about a custom kind without its CustomResourceDefinition; it counts as namespaced."""
    version = api_version.rpartition("/")[2]
    return KindInfo(kind=kind, group=group_of(api_version), versions=(Served(version),), plural=plural_of(kind), singular=kind.lower())
