"""The text of ``kubectl describe pod``: a client's view, made from the object and its Events alone.

Source: kubectl pkg/describe and the recorded output of kubectl 1.20. The sections come in kubectl's order, and which of
them exist depends on the release (``facts``). Everything is read from the document as the API shows it, never from the
node: describe cannot know what the API does not.
"""

from simulator.engine.apiserver.documents.moments import long_date
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import SECOND, Key, Ms
from simulator.engine.model.duration import human_duration_ms
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.model.qos import qos_class
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.model.times import parse_time
from simulator.engine.projection.events import event_lines, events_about
from simulator.engine.world.world import World
from simulator.kubectl.align import align
from simulator.kubectl.describe_container import container_lines
from simulator.kubectl.describe_volume import volume_lines
from simulator.kubectl.tables.selectors import selector_text

ANNOTATION_MAX = 140
WITHOUT_UID = ("taint-controller", "taint-eviction-controller")
"""Components whose Events name a pod without its uid; describe filters by uid, so it never sees them."""
_GROUPS = (
    ("Init Containers", "initContainers", "initContainerStatuses"),
    ("Containers", "containers", "containerStatuses"),
    ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
)


def describe_pod(world: World, key: Key, *, now_ms: Ms | None = None, shows_events: bool = True) -> str:
    """What kubectl prints about the pod at ``now_ms`` (by default the world's own moment), with or without its Events.

    Raises KeyError for a pod that never existed.
    """
    now = world.now_ms if now_ms is None else now_ms
    document = pod_document(world, key)
    facts = world.release.facts
    epoch_now = now + world.header.epoch_s * SECOND
    lines = [
        *_identity(document, with_account=facts.service_account_line),
        *_state(document, epoch_now, hides_terminating=world.profile.finished_hides_terminating),
        *_addresses(document),
        *(_resources(document["spec"].get("resources") or {}) if facts.pod_resources_line else ()),
        *_containers(world, key, document),
        *_gates(document),
        *_conditions(document),
        *volume_lines(document["spec"].get("volumes") or [], optional_line=facts.optional_line),
        f"QoS Class:\t{document['status'].get('qosClass') or qos_class(world.tables.pods[key].pod.spec)}",
        *pair_lines("Node-Selectors", document["spec"].get("nodeSelector") or {}),
        *toleration_lines(document["spec"].get("tolerations") or []),
        *(spread_lines(document["spec"].get("topologySpreadConstraints") or []) if facts.spread_constraints else ()),
    ]
    if not shows_events:
        return align(lines)
    kept = tuple(row for row in events_about(world, f"pod/{key}", now_ms=now) if row.component not in WITHOUT_UID)
    events = event_lines(kept, with_path=facts.event_paths)
    return align([*lines, *events])


def _identity(document: Json, *, with_account: bool) -> list[str]:
    metadata, spec, status = document["metadata"], document["spec"], document["status"]
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata['namespace']}", f"Priority:\t{spec['priority']}"]
    for label, value in (
        ("Priority Class Name", spec.get("priorityClassName")),
        ("Runtime Class Name", spec.get("runtimeClassName") if with_account else None),
        ("Service Account", spec.get("serviceAccountName") if with_account else None),
    ):
        lines += [f"{label}:\t{value}"] if value else []
    node = spec.get("nodeName")
    lines.append(f"Node:\t{node}/{status.get('hostIP', '')}" if node else "Node:\t<none>")
    lines += [f"Start Time:\t{long_date(status['startTime'])}"] if status.get("startTime") else []
    return [*lines, *pair_lines("Labels", metadata.get("labels") or {}), *annotation_lines(metadata.get("annotations") or {})]


def pair_lines(title: str, pairs: Json) -> list[str]:
    """``k=v``, one per line, sorted by key."""
    if not pairs:
        return [f"{title}:\t<none>"]
    first, *rest = [f"{key}={pairs[key]}" for key in sorted(pairs)]
    return [f"{title}:\t{first}", *(f"\t{text}" for text in rest)]


def annotation_lines(annotations: Json, *, title: str = "Annotations") -> list[str]:
    """``key: value``, one per line, sorted by key; long values on lines of their own."""
    texts: list[str] = []
    for key in sorted(annotations):
        if key == LAST_APPLIED:
            continue
        value = str(annotations[key]).removesuffix("\n")
        if len(value) + len(key) + 2 > ANNOTATION_MAX or "\n" in value:
            texts.append(f"{key}:")
            texts += [f"  {_shortened(line, ANNOTATION_MAX - 2)}" for line in value.split("\n")]
        else:
            texts.append(f"{key}: {value}")
    if not texts:
        return [f"{title}:\t<none>"]
    return [f"{title}:\t{texts[0]}", *(f"\t{text}" for text in texts[1:])]


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."


def _state(document: Json, epoch_now: Ms, *, hides_terminating: bool) -> list[str]:
    metadata, status = document["metadata"], document["status"]
    deleted = metadata.get("deletionTimestamp")
    if deleted and not (hides_terminating and status.get("phase") in TERMINAL_PHASES):
        left = human_duration_ms(epoch_now - parse_time(deleted))
        lines = [f"Status:\tTerminating (lasts {left})", f"Termination Grace Period:\t{metadata['deletionGracePeriodSeconds']}s"]
    else:
        lines = [f"Status:\t{status.get('phase', '')}"]
    lines += [f"Reason:\t{status['reason']}"] if status.get("reason") else []
    lines += [f"Message:\t{status['message']}"] if status.get("message") else []
    profile = (document["spec"].get("securityContext") or {}).get("seccompProfile") or {}
    lines += [f"SeccompProfile:\t{profile['type']}"] if profile.get("type") else []
    return [*lines, *([f"LocalhostProfile:\t{profile['localhostProfile']}"] if profile.get("type") == "Localhost" else [])]


def _addresses(document: Json) -> list[str]:
    status = document["status"]
    lines = [f"IP:\t{status.get('podIP', '')}"]
    ips = status.get("podIPs") or []
    lines += ["IPs:", *(f"  IP:\t{item['ip']}" for item in ips)] if ips else ["IPs:\t<none>"]
    owners = document["metadata"].get("ownerReferences") or []
    lines += [f"Controlled By:\t{owner['kind']}/{owner['name']}" for owner in owners if owner.get("controller")][:1]
    return [*lines, *([f"NominatedNodeName:\t{status['nominatedNodeName']}"] if status.get("nominatedNodeName") else [])]


def _resources(resources: Json) -> list[str]:
    """The pod-level resource requests and limits."""
    lines = ["Resources:"] if resources else []
    for label in ("Limits", "Requests"):
        values = resources.get(label.lower()) or {}
        lines += [f"  {label}:", *(f"    {name}:\t{values[name]}" for name in sorted(values))] if values else []
    return lines


def _containers(world: World, key: Key, document: Json) -> list[str]:
    pod = world.tables.pods[key].pod
    lines: list[str] = []
    for label, field, statuses in _GROUPS:
        containers = document["spec"].get(field) or []
        if not containers and field != "containers":
            continue
        known = {item["name"]: item for item in document["status"].get(statuses) or []}
        lines.append(f"{label}:")
        for container in containers:
            lines += container_lines(container, known.get(container.get("name", "")), pod, minor=world.release.minor)
    return lines


def _gates(document: Json) -> list[str]:
    gates = document["spec"].get("readinessGates") or []
    if not gates:
        return []
    known = {item["type"]: item["status"] for item in document["status"].get("conditions") or []}
    rows = [f"  {gate['conditionType']} \t{known.get(gate['conditionType'], '<none>')} " for gate in gates]
    return ["Readiness Gates:", "  Type\tStatus", *rows]


def _conditions(document: Json) -> list[str]:
    conditions = document["status"].get("conditions") or []
    if not conditions:
        return []
    return ["Conditions:", "  Type\tStatus", *(f"  {item['type']} \t{item['status']} " for item in conditions)]


def toleration_lines(tolerations: list[Json], *, title: str = "Tolerations") -> list[str]:
    """The tolerations, one per line, sorted by key."""
    texts = [_toleration(item) for item in sorted(tolerations, key=lambda item: str(item.get("key", "")))]
    if not texts:
        return [f"{title}:\t<none>"]
    return [f"{title}:\t{texts[0]}", *(f"\t{text}" for text in texts[1:])]


def spread_lines(constraints: list[Json]) -> list[str]:
    """``zone:DoNotSchedule when max skew 1 is exceeded for selector app=web``."""
    texts = []
    for item in sorted(constraints, key=lambda item: str(item.get("topologyKey", ""))):
        text = f"{item.get('topologyKey')}:{item.get('whenUnsatisfiable')} when max skew {item.get('maxSkew')} is exceeded"
        selector = item.get("labelSelector")
        texts.append(text if selector is None else f"{text} for selector {selector_text(selector)}")
    return [f"Topology Spread Constraints:\t{texts[0]}", *(f"\t{text}" for text in texts[1:])] if texts else []


def _toleration(item: Json) -> str:
    text = str(item.get("key", ""))
    text += f"={item['value']}" if item.get("value") else ""
    text += f":{item['effect']}" if item.get("effect") else ""
    if item.get("operator") == "Exists" and not item.get("value"):
        text += " op=Exists" if text else "op=Exists"
    return text if item.get("tolerationSeconds") is None else f"{text} for {item['tolerationSeconds']}s"
