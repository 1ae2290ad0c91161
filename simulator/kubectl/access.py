"""What another user may do, by the stored roles and their bindings: the answer to ``auth can-i --as``.

Nothing else asks: in this simulation every request is allowed. Source: kubernetes plugin/pkg/auth/authorizer/rbac (rbac.go, rule.go) and
pkg/apis/rbac/v1/evaluation_helpers.go. Of the roles that every cluster has, ``cluster-admin`` is known; ``admin``, ``edit`` and ``view``
are told by what they allow of a namespace's objects (bootstrappolicy/policy.go), less finely than there.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.kubectl.tables.model import Sight, at

MASTERS = "system:masters"
"""The group that may do everything without any role."""
_READS, _WRITES = ["get", "list", "watch"], ["create", "update", "patch", "delete", "deletecollection"]
_ACCESS = ["roles", "rolebindings"]
_ACCOUNT = "system:serviceaccount:"


class User(Struct, frozen=True):
    """Who asks: a name with its groups."""

    name: str
    groups: tuple[str, ...] = ()


class AccessWanted(Struct, frozen=True, kw_only=True):
    """A request of a resource (the plural, with a subresource behind a slash) or, with ``url``, of a path of the API server."""

    verb: str
    group: str = ""
    resource: str = ""
    name: str = ""
    namespace: str = ""
    url: str = ""


def user_of(name: str, groups: Iterable[str] = ()) -> User:
    """The user of that name with the groups that the API server adds to those that were named."""
    given = tuple(groups)
    if not given and name.startswith(_ACCOUNT):
        given = ("system:serviceaccounts", f"system:serviceaccounts:{name.removeprefix(_ACCOUNT).partition(':')[0]}")
    return User(name, (*given, "system:authenticated"))


def may(user: User, wanted: AccessWanted, sight: Sight) -> bool:
    """Whether a role that is bound to the user, or to a group of theirs, allows it. O(bindings)."""
    if MASTERS in user.groups:
        return True
    return any(_allows(rule, wanted) for rule in _rules(user, wanted.namespace, sight))


def _rules(user: User, namespace: str, sight: Sight) -> Iterator[Json]:
    """The rules that hold for a user in a namespace; of the whole cluster only with an empty one."""
    for binding in sight.objects("ClusterRoleBinding"):
        if _binds(binding, user):
            yield from _of_role(binding, "", sight)
    for binding in sight.objects("RoleBinding") if namespace else ():
        if at(binding, "metadata", "namespace") == namespace and _binds(binding, user):
            yield from _of_role(binding, namespace, sight)


def _binds(binding: Json, user: User) -> bool:
    space = str(at(binding, "metadata", "namespace") or "")
    return any(_is(subject, user, space) for subject in binding.get("subjects") or ())


def _is(subject: Json, user: User, space: str) -> bool:
    kind, name = subject.get("kind"), subject.get("name")
    if kind == "ServiceAccount":
        return user.name == f"{_ACCOUNT}{subject.get('namespace') or space}:{name}"
    return name == user.name if kind == "User" else kind == "Group" and name in user.groups


def _of_role(binding: Json, namespace: str, sight: Sight) -> list[Json]:
    kind, name = at(binding, "roleRef", "kind"), str(at(binding, "roleRef", "name"))
    space = namespace if kind == "Role" else ""
    for role in sight.objects(str(kind)):
        if at(role, "metadata", "name") == name and (at(role, "metadata", "namespace") or "") == space:
            return list(role.get("rules") or ())
    return _BUILT_IN.get(name, []) if kind == "ClusterRole" else []


_EVERYTHING = [
    {"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]},
    {"verbs": ["*"], "nonResourceURLs": ["*"]},
]
_OF_A_NAMESPACE = {
    "": ["configmaps", "endpoints", "events", "limitranges", "persistentvolumeclaims", "pods", "pods/log", "pods/status",
         "replicationcontrollers", "resourcequotas", "serviceaccounts", "services"],
    "apps": ["controllerrevisions", "daemonsets", "deployments", "deployments/scale", "replicasets", "replicasets/scale", "statefulsets",
             "statefulsets/scale"],
    "autoscaling": ["horizontalpodautoscalers"], "batch": ["cronjobs", "jobs"], "discovery.k8s.io": ["endpointslices"],
    "networking.k8s.io": ["ingresses", "networkpolicies"], "policy": ["poddisruptionbudgets"],
}  # fmt: skip
_ONLY_READ = frozenset(("controllerrevisions", "endpointslices", "events", "limitranges", "pods/log", "pods/status", "resourcequotas"))
_VIEW = [{"verbs": _READS, "apiGroups": [group], "resources": resources} for group, resources in _OF_A_NAMESPACE.items()]
_INNER = ["secrets", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"]
_EDIT = [
    *_VIEW,
    *(
        {"verbs": _WRITES, "apiGroups": [group], "resources": [name for name in resources if name not in _ONLY_READ]}
        for group, resources in _OF_A_NAMESPACE.items()
    ),
    {
        "verbs": [*_READS, *_WRITES],
        "apiGroups": [""],
        "resources": _INNER,
    },
    {"verbs": ["create"], "apiGroups": [""], "resources": ["pods/eviction", "serviceaccounts/token"]},
    {"verbs": ["impersonate"], "apiGroups": [""], "resources": ["serviceaccounts"]},
]
_BUILT_IN: dict[str, list[Json]] = {
    "cluster-admin": _EVERYTHING,
    "view": _VIEW,
    "edit": _EDIT,
    "admin": [*_EDIT, {"verbs": [*_READS, *_WRITES], "apiGroups": ["rbac.authorization.k8s.io"], "resources": _ACCESS}],
}


def _allows(rule: Json, wanted: AccessWanted) -> bool:
    if not _has(rule.get("verbs"), wanted.verb):
        return False
    if wanted.url:
        paths = rule.get("nonResourceURLs") or ()
        return any(path == wanted.url or (path.endswith("*") and wanted.url.startswith(path[:-1])) for path in paths)
    names = rule.get("resourceNames") or ()
    return _has(rule.get("apiGroups"), wanted.group) and _has_resource(rule, wanted.resource) and (not names or wanted.name in names)


def _has(listed: Iterable[str] | None, wanted: str) -> bool:
    return any(item in ("*", wanted) for item in listed or ())


def _has_resource(rule: Json, resource: str) -> bool:
    subresource = resource.partition("/")[2]
    return any(item in ("*", resource) or (subresource and item == f"*/{subresource}") for item in rule.get("resources") or ())
