"""``create role|clusterrole|rolebinding|clusterrolebinding|ingress``: objects that are stored but have no effect.

Source: kubectl pkg/cmd/create (create_role.go, create_clusterrole.go, create_rolebinding.go,
create_clusterrolebinding.go, create_ingress.go).
"""

import re
from collections.abc import Iterator

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KindInfo
from simulator.kubectl.find import find_kind
from simulator.kubectl.generators.base import Generated, int_or_text, metadata, name_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

_GROUP = "rbac.authorization.k8s.io"
_RULE = re.compile(r"(?P<host>[^/=]*)(?P<path>/[^=]*)?=(?P<service>[^:,]+):(?P<port>[^,]+)(?P<more>,tls.*)?")


_STANDARD = (
    *("get", "delete", "list", "create", "update", "patch", "watch", "proxy", "deletecollection", "use", "bind", "impersonate", "*"),
    *("escalate", "approve", "sign", "attest"),
)
"""The verbs that ``create role`` takes without a warning (pkg/cmd/create/create_role.go)."""


def uncommon_verbs(line: Line) -> Iterator[str]:
    """The warnings about verbs that no resource has."""
    for verb in dict.fromkeys(line.listed("verb")):
        if verb and verb not in _STANDARD and "*" not in line.listed("verb"):
            yield f"Warning: '{verb}' is not a standard resource verb"


def role(line: Line, sight: Sight) -> Generated:
    """``create role NAME --verb=get --resource=pods``. Raises BadLine."""
    meta = metadata(sight, name=name_of(line, "create role"), namespace=line.value("namespace"))
    return _object("Role", meta, {"rules": list(_rules(line, sight))})


def cluster_role(line: Line, sight: Sight) -> Generated:
    """``create clusterrole NAME --verb=get --resource=pods``. Raises BadLine."""
    meta = metadata(sight, name=name_of(line, "create clusterrole"))
    if line.value("aggregation-rule"):
        pairs = [text.partition("=") for text in line.listed("aggregation-rule")]
        selector = {"matchLabels": {key: value for key, _, value in pairs}}
        return _object("ClusterRole", meta, {"aggregationRule": {"clusterRoleSelectors": [selector]}, "rules": None})
    urls = [item for item in line.listed("non-resource-url") if item]
    rules = [{"nonResourceURLs": urls, "verbs": _verbs(line)}] if urls else list(_rules(line, sight))
    return _object("ClusterRole", meta, {"rules": rules})


def role_binding(line: Line, sight: Sight) -> Generated:
    """``create rolebinding NAME --role=NAME --serviceaccount=NAMESPACE:NAME``. Raises BadLine."""
    name = name_of(line, "create rolebinding")
    if bool(line.value("role")) == bool(line.value("clusterrole")):
        raise BadLine("error: exactly one of clusterrole or role must be specified")
    kind = "Role" if line.value("role") else "ClusterRole"
    meta = metadata(sight, name=name, namespace=line.value("namespace"))
    return _object("RoleBinding", meta, _bound(kind, line))


def cluster_role_binding(line: Line, sight: Sight) -> Generated:
    """``create clusterrolebinding NAME --clusterrole=NAME --user=NAME``. Raises BadLine."""
    name = name_of(line, "create clusterrolebinding")
    if not line.value("clusterrole"):
        raise BadLine('error: required flag(s) "clusterrole" not set')
    return _object("ClusterRoleBinding", metadata(sight, name=name), _bound("ClusterRole", line))


def _object(kind: str, meta: Json, body: Json) -> Generated:
    return Generated(document={"kind": kind, "apiVersion": f"{_GROUP}/v1", "metadata": meta, **body})


def _verbs(line: Line) -> list[str]:
    verbs = [verb for verb in dict.fromkeys(line.listed("verb")) if verb]
    if not verbs:
        raise BadLine("error: at least one verb must be specified")
    return ["*"] if "*" in verbs else verbs


def _rules(line: Line, sight: Sight) -> Iterator[Json]:
    """One rule for each API group, in order."""
    verbs, wanted = _verbs(line), [item for item in line.listed("resource") if item]
    if not wanted:
        raise BadLine("error: at least one resource must be specified")
    groups: dict[str, list[str]] = {}
    for word in ["*.*"] if "*.*" in wanted else wanted:
        if word in ("*", "*.*"):
            groups.setdefault("" if word == "*" else "*", []).append("*")
            continue
        resource, slash, part = word.partition("/")
        info = _kind(resource, sight)
        groups.setdefault(info.group, []).append(f"{info.plural}{slash}{part}")
    names = {"resourceNames": list(line.listed("resource-name"))} if line.value("resource-name") else {}
    for group in sorted(groups):
        yield {"apiGroups": [group], "resources": groups[group], **names, "verbs": verbs}


def _kind(word: str, sight: Sight) -> KindInfo:
    try:
        return find_kind(word, sight)
    except BadLine:
        raise BadLine(f'the server doesn\'t have a resource type "{word}"') from None


def _bound(kind: str, line: Line) -> Json:
    role_ref = {"apiGroup": _GROUP, "kind": kind, "name": line.value("role") or line.value("clusterrole")}
    subjects = subjects_of(line)
    return {"subjects": subjects, "roleRef": role_ref} if subjects else {"roleRef": role_ref}


def subjects_of(line: Line) -> list[Json]:
    """The subjects named by ``--user``, ``--group`` and ``--serviceaccount``. Raises BadLine."""
    return [*_named("User", line.listed("user")), *_named("Group", line.listed("group")), *_accounts(line)]


def _named(kind: str, names: list[str]) -> Iterator[Json]:
    for name in names:
        yield {"kind": kind, "apiGroup": _GROUP, "name": name}


def _accounts(line: Line) -> Iterator[Json]:
    for word in line.listed("serviceaccount"):
        space, _, name = word.partition(":")
        if not space or not name or ":" in name:
            raise BadLine("error: serviceaccount must be <namespace>:<name>")
        yield {"kind": "ServiceAccount", "name": name, "namespace": space}


def ingress(line: Line, sight: Sight) -> Generated:
    """``create ingress NAME --rule=HOST/PATH=SERVICE:PORT``. Raises BadLine."""
    name = name_of(line, "create ingress")
    given, default = line.given("rule"), line.value("default-backend")
    if not given and not default:
        raise BadLine(
            "error: not enough information provided: every ingress has to either specify a default-backend "
            "(which catches all traffic) or a list of rules (which catch specific paths)"
        )
    spec: Json = {"ingressClassName": line.value("class")} if line.value("class") else {}
    if default:
        spec["defaultBackend"] = _backend(*default.partition(":")[::2])
    hosts: dict[str, list[Json]] = {}
    secured: list[Json] = []
    for text in given:
        match = _RULE.fullmatch(text)
        if match is None:
            raise BadLine(f"error: rule {text} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]")
        path = match["path"] or "/"
        kind = "Prefix" if path.endswith("*") else "Exact"
        entry = {"path": path.rstrip("*"), "pathType": kind, "backend": _backend(match["service"], match["port"])}
        hosts.setdefault(match["host"], []).append(entry)
        if match["more"]:
            secret = match["more"].partition("=")[2]
            secured.append({**({"hosts": [match["host"]]} if match["host"] else {}), **({"secretName": secret} if secret else {})})
    spec |= {"tls": secured} if secured else {}
    spec |= {"rules": [{**({"host": host} if host else {}), "http": {"paths": paths}} for host, paths in hosts.items()]} if hosts else {}
    notes = dict(item.split("=", 1) for item in line.listed("annotation") if "=" in item)
    meta = metadata(sight, name=name, namespace=line.value("namespace"), annotations=notes)
    return Generated(
        document={"kind": "Ingress", "apiVersion": "networking.k8s.io/v1", "metadata": meta, "spec": spec, "status": {"loadBalancer": {}}}
    )


def _backend(service: str, port: str) -> Json:
    number = int_or_text(port)
    return {"service": {"name": service, "port": {"number" if isinstance(number, int) else "name": number}}}
