"""``kubectl describe node``. Cells are separated by tabs."""

from collections.abc import Iterable

from simulator.engine.apiserver.documents.moments import long_date, since, timestamp
from simulator.engine.apiserver.documents.node import renewed_ms
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import amount_text, milli
from simulator.engine.model.requests import pod_limits, pod_requests
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.versions.span import Span
from simulator.engine.world.rows import PodRow
from simulator.kubectl.describe import annotation_lines, pair_lines
from simulator.kubectl.tables.cluster import node_roles
from simulator.kubectl.tables.model import NONE, UNSET, Sight, at

_COLUMNS = ("Type", "Status", "LastHeartbeatTime", "LastTransitionTime", "Reason", "Message")
_INFO = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
    ("Kube-Proxy Version", "kubeProxyVersion"),
)
_PROXY_VERSION = Span(until=35)
_AGE_AS_WORD = Span(since=24)
_NANO_PER_MILLI = 1_000_000
_ALWAYS = ("cpu", "memory", "ephemeral-storage")


def node_lines(document: Json, sight: Sight) -> list[str]:
    """Every section except the Events."""
    metadata = document["metadata"]
    taints = [_taint(item) for item in sorted(at(document, "spec", "taints") or (), key=lambda item: (item["effect"], item["key"]))]
    return [
        f"Name:\t{metadata['name']}",
        f"Roles:\t{node_roles(document)}",
        *pair_lines("Labels", metadata.get("labels") or {}),
        *annotation_lines(metadata.get("annotations") or {}),
        f"CreationTimestamp:\t{long_date(metadata['creationTimestamp'])}",
        *_several("Taints", taints),
        f"Unschedulable:\t{'true' if at(document, 'spec', 'unschedulable') else 'false'}",
        *_lease(document, sight),
        *_conditions(document),
        "Addresses:",
        *(f"  {item['type']}:\t{item['address']}" for item in at(document, "status", "addresses") or ()),
        *_resources("Capacity", document, "capacity"),
        *_resources("Allocatable", document, "allocatable"),
        *_system(document, sight),
        f"PodCIDR:\t{at(document, 'spec', 'podCIDR') or ''}",
        f"PodCIDRs:\t{','.join(at(document, 'spec', 'podCIDRs') or ())}",
        *_pods(document, sight),
    ]


def _taint(item: Json) -> str:
    return f"{item['key']}={item['value']}:{item['effect']}" if item.get("value") else f"{item['key']}:{item['effect']}"


def _several(title: str, texts: list[str]) -> list[str]:
    first, *rest = texts or [NONE]
    return [f"{title}:\t{first}", *(f"\t{text}" for text in rest)]


def _lease(document: Json, sight: Sight) -> list[str]:
    name = document["metadata"]["name"]
    if name not in sight.world.tables.node_life:  # a Node object that no kubelet ever registered as its own
        return ["Lease:", *(f"  {field}:\t{UNSET}" for field in ("HolderIdentity", "AcquireTime", "RenewTime"))]
    moment = renewed_ms(sight.world, sight.world.tables.node_life[name])
    renewed = long_date(timestamp(moment, sight.world.header.epoch_s))
    return ["Lease:", f"  HolderIdentity:\t{name}", f"  AcquireTime:\t{UNSET}", f"  RenewTime:\t{renewed}"]


def _conditions(document: Json) -> list[str]:
    conditions = at(document, "status", "conditions") or ()
    if not conditions:
        return []
    rows = [_COLUMNS, tuple("-" * len(head) for head in _COLUMNS)]
    for item in conditions:
        moments = tuple(long_date(item[key]) if item.get(key) else UNSET for key in ("lastHeartbeatTime", "lastTransitionTime"))
        texts = (str(item.get(key) or "") for key in ("type", "status"))
        rows.append((*(f"{text} " for text in (*texts, *moments)), f"{item.get('reason') or ''} ", str(item.get("message") or "")))
    return ["Conditions:", *("  " + "\t".join(row) for row in rows)]


def _resources(title: str, document: Json, field: str) -> list[str]:
    values = at(document, "status", field) or {}
    return [f"{title}:", *(f"  {name}:\t{values[name]}" for name in sorted(values))]


def _system(document: Json, sight: Sight) -> list[str]:
    info = at(document, "status", "nodeInfo") or {}
    shown = (pair for pair in _INFO if pair[1] != "kubeProxyVersion" or _PROXY_VERSION.holds_for(sight.minor))
    return ["System Info:", *(f"  {label}:\t{info.get(field, '')}" for label, field in shown)]


def _pods(document: Json, sight: Sight) -> list[str]:
    """The pods that have not ended, with their requests and limits, and the totals."""
    node = document["metadata"]["name"]
    there = (row for row in sight.world.tables.pods.values() if row.node == node and row.gone_ms is None)
    rows = sorted((row for row in there if row.status.phase not in TERMINAL_PHASES), key=lambda row: (row.namespace, row.name))
    allocatable = at(document, "status", "allocatable") or {}
    age = "Age" if _AGE_AS_WORD.holds_for(sight.minor) else "AGE"
    lines = [
        f"Non-terminated Pods:\t({len(rows)} in total)",
        f"  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\t{age}",
        "  ---------\t----\t\t------------\t----------\t---------------\t-------------\t---",
    ]
    for row in rows:
        requests, limits = pod_requests(row.pod.spec), pod_limits(row.pod.spec)
        cells = [_share(amounts, name, allocatable) for name in ("cpu", "memory") for amounts in (requests, limits)]
        lines.append("\t".join([f"  {row.namespace}", row.name, "", *cells, since(row.created_ms, sight.now_ms)]))
    return [*lines, *_sums(rows, allocatable)]


def _sums(rows: Iterable[PodRow], allocatable: Json) -> list[str]:
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    for row in rows:
        for sums, amounts in ((requests, pod_requests(row.pod.spec)), (limits, pod_limits(row.pod.spec))):
            for name, amount in amounts.items():
                sums[name] = sums.get(name, 0) + amount
    others = sorted(name for name in allocatable if name not in (*_ALWAYS, "pods"))
    lines = [
        "Allocated resources:",
        "  (Total limits may be over 100 percent, i.e., overcommitted.)",
        "  Resource\tRequests\tLimits",
        "  --------\t--------\t------",
    ]
    lines += [f"  {name}\t{_share(requests, name, allocatable)}\t{_share(limits, name, allocatable)}" for name in _ALWAYS]
    return [*lines, *(f"  {name}\t{amount_text(name, requests.get(name, 0))}\t{amount_text(name, limits.get(name, 0))}" for name in others)]


def _share(amounts: dict[str, int], name: str, allocatable: Json) -> str:
    """An amount, and what share of the node it is in whole percent."""
    amount = amounts.get(name, 0)
    whole = milli(str(allocatable.get(name) or "0"))
    percent = amount // _NANO_PER_MILLI * 100 // whole if whole else 0
    return f"{amount_text(name, amount)} ({percent}%)"
