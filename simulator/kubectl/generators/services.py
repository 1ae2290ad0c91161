"""``kubectl create service …`` and ``kubectl expose``.

Source: kubectl pkg/cmd/create/create_service.go, pkg/cmd/expose/expose.go, pkg/polymorphichelpers (mapbasedselectorforobject.go,
portsforobject.go, protocolsforobject.go).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.find import NOTHING_NAMED, missing_text, pick
from simulator.kubectl.generators.base import Generated, int_or_text, metadata, name_of, object_of, whole_flag
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight, at

TYPES = {"clusterip": "ClusterIP", "nodeport": "NodePort", "externalname": "ExternalName", "loadbalancer": "LoadBalancer"}
_PORT_MAX = 65535
_NAME_MAX = 63
_EXPOSED = ("Service", "Pod", "Deployment", "ReplicaSet")
_HINT = Span(until=23)


def service(line: Line, sight: Sight) -> Generated:
    """``create service TYPE NAME --tcp=PORT[:TARGET]…``. Raises BadLine."""
    what, rest = line.words[0] if line.words else "", line.with_words(line.words[1:])
    if what not in TYPES:
        known = ", ".join(TYPES)
        said = f'unknown command "{" ".join(line.words)}"' if what else f"a subcommand is needed: {known}"
        raise BadLine(f"error: {said}\nSee 'kubectl create service -h' for help and examples")
    name, pairs = name_of(rest, f"create service {what}"), line.listed("tcp")
    headless = line.value("clusterip") == "None"
    if not pairs and what != "externalname" and not headless:
        raise BadLine("error: at least one tcp port specifier must be provided")
    if what == "externalname" and not line.value("external-name"):
        raise BadLine('error: required flag(s) "external-name" not set')
    node_port = whole_flag(line, "node-port", 0)
    ports = [_port(text, node_port if what == "nodeport" else 0) for text in pairs]
    labels = {"app": name}
    spec = _spec(
        ports=ports,
        selector=labels,
        clusterIP=line.value("clusterip"),
        type=TYPES[what],
        externalName=line.value("external-name"),
    )
    return _service(name, labels, spec, line, sight)


def _service(name: str, labels: Json, spec: Json, line: Line, sight: Sight) -> Generated:
    meta = metadata(sight, name=name, namespace=line.value("namespace"), labels=labels)
    return object_of("Service", meta, {"spec": spec, "status": {"loadBalancer": {}}}, sight)


def _spec(**fields: object) -> Json:
    """The fields that are set, in the order of Go's type."""
    order = ("ports", "selector", "clusterIP", "type", "externalIPs", "sessionAffinity", "loadBalancerIP", "externalName")
    return {key: fields[key] for key in order if fields.get(key)}


def _port(text: str, node_port: int) -> Json:
    number, colon, target = text.partition(":")
    port = port_number(number)
    found: Json = {"name": text.replace(":", "-"), "protocol": "TCP", "port": port, "targetPort": int_or_text(target) if colon else port}
    return {**found, "nodePort": node_port} if node_port else found


def port_number(text: str) -> int:
    """A port number, parsed as Go does. Raises BadLine."""
    if not text.isascii() or not text.isdigit():
        raise BadLine(f'error: strconv.ParseUint: parsing "{text}": invalid syntax')
    if len(text) > 5 or int(text) > _PORT_MAX:
        raise BadLine(f'error: strconv.ParseUint: parsing "{text}": value out of range')
    return int(text)


def expose(line: Line, sight: Sight) -> tuple[list[Generated], list[str]]:
    """The Services of ``expose TYPE NAME``, and the errors for names that match no object. Raises BadLine."""
    if not line.words:
        raise BadLine(f"{NOTHING_NAMED}{_hint(sight)}")
    if line.value("session-affinity") not in ("", "None", "ClientIP"):
        raise BadLine(f"error: unknown session affinity: {line.value('session-affinity')}")
    # --selector is that of the Service; it does not select objects here.
    picked = pick(replace(line, flags={key: value for key, value in line.flags.items() if key != "selector"}), sight)
    others = (item.info for item in picked if item.info.kind not in _EXPOSED)
    wrong = next((f"{info.kind}.{info.group}" if info.group else info.kind for info in others), "")
    if wrong:
        raise BadLine(f"error: cannot expose a {wrong}")
    if any(item.is_list for item in picked):
        raise BadLine("error: resource(s) were provided, but no name was specified")
    errors = [text for item in picked for text in missing_text(item)]
    return [_exposed(document, line, sight) for item in picked for document in item.items], errors


def _hint(sight: Sight) -> str:
    return "\nSee 'kubectl expose -h' for help and examples" if _HINT.holds_for(sight.minor) else ""


def _exposed(document: Json, line: Line, sight: Sight) -> Generated:
    name = line.value("name") or document["metadata"]["name"][:_NAME_MAX]
    selector = _pairs(line.value("selector")) if line.value("selector") else _selector(document, sight)
    labels = _pairs(line.value("labels")) if line.value("labels") else document["metadata"].get("labels") or {}
    spec = _spec(
        ports=list(_ports(document, line, sight)),
        selector=selector,
        clusterIP=line.value("cluster-ip"),
        type=line.value("type"),
        externalIPs=[line.value("external-ip")] if line.value("external-ip") else [],
        sessionAffinity=line.value("session-affinity"),
        loadBalancerIP=line.value("load-balancer-ip") if line.value("type") == "LoadBalancer" else "",
    )
    found = _service(name, dict(sorted(labels.items())), spec, line, sight)
    return Generated(document=found.document, word="exposed")


def _pairs(text: str) -> dict[str, str]:
    """``a=b,c=d``. Raises BadLine."""
    pairs = [item.partition("=") for item in text.split(",")]
    bad = next((key + equals for key, equals, _ in pairs if not key or not equals), None)
    if bad is not None:
        raise BadLine(f"error: unexpected label spec: {bad}")
    return {key: value for key, _, value in pairs}


def _selector(document: Json, sight: Sight) -> dict[str, str]:
    kind = document["kind"]
    if kind == "Pod":
        found, problem = document["metadata"].get("labels"), "the pod has no labels and cannot be exposed"
    elif kind == "Service":
        found, problem = at(document, "spec", "selector"), "the service has no pod selector set"
    else:
        found = at(document, "spec", "selector", "matchLabels")
        problem = f"invalid {kind.lower()}: no selectors, therefore cannot be exposed"
        if at(document, "spec", "selector", "matchExpressions"):
            found, problem = None, "couldn't convert expressions to map-based selector format"
    if not found:
        raise BadLine(f"error: couldn't retrieve selectors via --selector flag or introspection: {problem}{_hint(sight)}")
    return dict(sorted(found.items()))


def _ports(document: Json, line: Line, sight: Sight) -> Iterator[Json]:
    """The ports given on the line, or else those of the object."""
    declared = _declared(document)
    numbers = line.value("port").split(",") if line.value("port") else list(dict.fromkeys(str(port) for port, _ in declared))
    if not numbers and line.value("cluster-ip") != "None":
        raise BadLine(f"error: couldn't find port via --port flag or introspection{_hint(sight)}")
    for place, text in enumerate(numbers, 1):
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise BadLine(f'error: strconv.Atoi: parsing "{text}": invalid syntax')
        found = [protocol for port, protocol in declared if str(port) == text]
        protocols = [line.value("protocol")] if line.value("protocol") else list(dict.fromkeys(found)) or ["TCP"]
        for protocol in protocols:
            name = f"port-{place}" if len(numbers) > 1 else ""
            if len(protocols) > 1:
                name = f"port-{place}-{protocol.lower()}"
            target = int_or_text(line.value("target-port")) if line.value("target-port") else int(text)
            yield {**({"name": name} if name else {}), "protocol": protocol, "port": int(text), "targetPort": target}


def _declared(document: Json) -> list[tuple[int, str]]:
    """The ports of an object with their protocols."""
    if document["kind"] == "Service":
        return [(item["port"], item.get("protocol") or "TCP") for item in at(document, "spec", "ports") or ()]
    spec = document["spec"] if document["kind"] == "Pod" else at(document, "spec", "template", "spec") or {}
    ports = (item for container in spec.get("containers") or () for item in container.get("ports") or ())
    return [(item["containerPort"], item.get("protocol") or "TCP") for item in ports]
