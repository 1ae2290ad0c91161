"""Tables of kinds that play no part in the life of a pod: they print what is stored."""

from collections.abc import Iterator

from simulator.engine.kernel.json_text import Json
from simulator.kubectl.tables.model import AGE, NAME, NONE, Column, Sight, at, number_at, text_at
from simulator.kubectl.tables.selectors import selector_text

_HOSTS_MAX = 3
CREATED = (NAME, Column("CREATED AT", text_at("metadata", "creationTimestamp")))
"""The table of roles, cluster roles and custom resource definitions."""


def _component_status(document: Json, sight: Sight) -> str:
    conditions = document.get("conditions") or [{}]
    return "Healthy" if conditions[0].get("status") == "True" else "Unhealthy"


def _component_text(key: str) -> Column:
    return Column(key.upper(), lambda document, sight: str((document.get("conditions") or [{}])[0].get(key) or ""))


COMPONENTS = (NAME, Column("STATUS", _component_status), _component_text("message"), _component_text("error"))


def _hosts(document: Json, sight: Sight) -> str:
    found = [str(rule["host"]) for rule in at(document, "spec", "rules") or () if rule.get("host")]
    more = f" + {len(found) - _HOSTS_MAX} more..." if len(found) > _HOSTS_MAX else ""
    return f"{','.join(found[:_HOSTS_MAX])}{more}" if found else "*"


def _addresses(document: Json, sight: Sight) -> str:
    ingress = at(document, "status", "loadBalancer", "ingress") or ()
    return ",".join(str(item.get("ip") or item.get("hostname") or "") for item in ingress)


def _ports(document: Json, sight: Sight) -> str:
    return "80, 443" if at(document, "spec", "tls") else "80"


INGRESSES = (
    NAME,
    Column("CLASS", text_at("spec", "ingressClassName")),
    Column("HOSTS", _hosts),
    Column("ADDRESS", _addresses),
    Column("PORTS", _ports),
    AGE,
)


def _parameters(document: Json, sight: Sight) -> str:
    found = at(document, "spec", "parameters")
    if not isinstance(found, dict):
        return NONE
    group = f".{found['apiGroup']}" if found.get("apiGroup") else ""
    return f"{found.get('kind', '')}{group}/{found.get('name', '')}"


INGRESS_CLASSES = (NAME, Column("CONTROLLER", text_at("spec", "controller", default="")), Column("PARAMETERS", _parameters), AGE)


def _pod_selector(document: Json, sight: Sight) -> str:
    return selector_text(at(document, "spec", "podSelector")) or NONE


NETWORK_POLICIES = (NAME, Column("POD-SELECTOR", _pod_selector), AGE)


def _role(document: Json, sight: Sight) -> str:
    return f"{at(document, 'roleRef', 'kind') or ''}/{at(document, 'roleRef', 'name') or ''}"


def _subjects(kind: str) -> Column:
    def named(document: Json) -> Iterator[str]:
        for item in document.get("subjects") or ():
            if item.get("kind") == kind:
                yield f"{item.get('namespace', '')}/{item['name']}" if kind == "ServiceAccount" else str(item["name"])

    return Column(f"{kind.upper()}S", lambda document, sight: ", ".join(named(document)), wide=True)


BINDINGS = (NAME, Column("ROLE", _role), AGE, _subjects("User"), _subjects("Group"), _subjects("ServiceAccount"))
REPLICATION_CONTROLLERS = (
    NAME,
    Column("DESIRED", number_at("spec", "replicas")),
    Column("CURRENT", number_at("status", "replicas")),
    Column("READY", number_at("status", "readyReplicas")),
    AGE,
)
