"""The facts about a world: one function for each ``what`` in the corpus, from a world and a selector to a value."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from simulator.engine import Record, World
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.containers import FileSystem, image_facts, process_tree
from simulator.engine.containers.effort import Meter
from simulator.engine.containers.files.etc import etc_text
from simulator.engine.containers.files.filesystem import FileProblem
from simulator.engine.containers.kernel.kernel import base_environment
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.requests import resource_request
from simulator.engine.model.status import ContainerStatus
from simulator.engine.network.endpoints import SLICE, read_slice, slice_service
from simulator.engine.network.network import ask_pod, host_for
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.rows import Instance, PodRow
from simulator.fidelity.corpus.index import Promise
from simulator.headless.trace import snapshot

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
OLD = "old"
_TERMINAL = ("Complete", "Failed")
COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"


class NotThere(Exception):
    """What an expectation is about does not exist at that moment."""


class Look(Struct, frozen=True, kw_only=True):
    """A world at a moment, with all records of its run. ``own`` are the pods of the example's own manifest."""

    world: World
    records: list[Record]
    own: tuple[str, ...] = ()


def pod_of(look: Look, item: Promise) -> PodRow:
    """The pod that an expectation means: by name, by label, or the example's own. Raises NotThere.

    If several pods have had the name, it is the existing one, unless a deleted one is asked for.
    """
    table = look.world.tables.pods
    rows = {**{key: table[key] for key in look.own if key in table}, **table}
    name, container = item.selected("pod"), item.selected("container")
    there = {(row.namespace, row.name) for row in table.values() if row.gone_ms is None}
    for row in rows.values():
        if name != OLD and row.gone_ms is not None and (row.namespace, row.name) in there:
            continue
        if name and not _is_named(row, str(name)):
            continue
        if not _is_labelled(row, item):
            continue
        if container and not any(c.name == container for c in (*row.pod.spec.containers, *row.pod.spec.init_containers)):
            continue
        return row
    raise NotThere("no such pod")


def _is_named(row: PodRow, name: str) -> bool:
    """Whether a pod has that name; for pods with generated names, ``old`` means one that has been deleted."""
    return row.name == name or (name == OLD and row.deletion_ms is not None)


def _is_labelled(row: PodRow, item: Promise) -> bool:
    """Whether a pod has the requested label (``key=value``, with ``*`` for any text) and completion index."""
    key, _, value = str(item.selected("label") or "").partition("=")
    if key and not fnmatchcase(row.pod.metadata.labels.get(key, ""), value):
        return False
    index = item.selected("index")
    return index is None or row.pod.metadata.annotations.get(COMPLETION_INDEX) == str(index)


def _snapshot(look: Look, item: Promise) -> Mapping[str, Any]:
    return snapshot(look.world, pod_of(look, item))


def _phase(look: Look, item: Promise) -> Any:
    return pod_of(look, item).status.phase


def _column(name: str) -> Callable[[Look, Promise], Any]:
    def column(look: Look, item: Promise) -> Any:
        return _snapshot(look, item)[name]

    return column


def _restarts(look: Look, item: Promise) -> Any:
    name = item.selected("container")
    status = pod_of(look, item).status
    counts = [entry.restart_count for entry in (*status.init_containers, *status.containers) if name in (None, entry.name)]
    return sum(counts)


def _condition(look: Look, item: Promise) -> Any:
    found = pod_of(look, item).status.condition(str(item.selected("type")))
    reason = item.selected("reason")
    if found is None or (reason and not re.search(reason, found.reason)):
        return None
    return found.status


def _container(look: Look, item: Promise) -> Mapping[str, Any] | None:
    shown = _snapshot(look, item)
    name = item.selected("container")
    for group in ("containers", "init_containers", "ephemeral_containers"):
        for entry, state in (shown.get(group) or {}).items():
            if name in (None, entry):
                found: Mapping[str, Any] = state
                return found
    return None


def _last_state(look: Look, item: Promise) -> Any:
    """The last state of the container; None if it has none."""
    last = (_container(look, item) or {}).get("lastState")
    return {"message": "", **last} if last else None


def matching_events(look: Look, item: Promise) -> list[Record]:
    """The Events so far that match the selector, once for each time they were written."""
    found = []
    for record in look.records:
        if record.machine != "k8s_event" or record.at_ms > look.world.now_ms:
            continue
        kind, _, rest = record.subject.partition("/")
        container, name = item.selected("container"), item.selected("pod")
        if container and (kind != "container" or rest.rpartition("/")[2] != container):
            continue
        if name and name not in rest.split("/"):
            continue
        if item.selected("object") and f"{kind}/{rest.rpartition('/')[2]}".lower() != str(item.selected("object")).lower():
            continue
        if item.selected("type") not in (None, record.get("type")) or item.selected("reason") not in (None, record.target):
            continue
        if re.search(item.selected("message") or "", str(record.get("message"))):
            found.append(record)
    return found


def _log(look: Look, item: Promise) -> str:
    """What the current instance has written; without a container name, that of the first container."""
    row = pod_of(look, item)
    name = item.selected("container") or row.pod.spec.containers[0].name
    lines = look.world.tables.logs.get((row.key, name), ())
    newest = max((line[0] for line in lines), default=0)
    instance = next((one for one in look.world.tables.instances.get(row.key, ()) if one.container == name), None)
    attempt = newest if instance is None else instance.attempt
    match = item.selected("match")
    texts = [line[3] for line in lines if line[0] == attempt and (not match or re.search(match, line[3]))]
    return "".join(f"{text}\n" for text in texts)


def _instance(look: Look, item: Promise) -> Instance:
    row = pod_of(look, item)
    name = item.selected("container") or row.pod.spec.containers[0].name
    for one in look.world.tables.instances.get(row.key, ()):
        if one.container == name and one.process is not None:
            return one
    raise NotThere(f"container {name} has no process")


def _env(look: Look, item: Promise) -> Any:
    process = _instance(look, item).process
    assert process is not None
    return base_environment(process.launch).get(str(item.selected("name")))


def _files(look: Look, item: Promise) -> FileSystem:
    process = _instance(look, item).process
    assert process is not None
    mounts, volumes = process.launch.mounts, look.world.tables.volumes
    facts = image_facts(process.launch.image)
    etc = partial(etc_text, process.launch.naming, facts.tools)
    return FileSystem(process.files, mounts, volumes, base_dirs=facts.directories, now_ms=look.world.now_ms, meter=Meter(), etc=etc)


def _file(look: Look, item: Promise) -> Any:
    """The text of the file, None if there is none."""
    try:
        return _files(look, item).read(str(item.selected("path")))
    except FileProblem:
        return None


def _directory(look: Look, item: Promise) -> Any:
    return [name for name in _files(look, item).names(str(item.selected("path"))) if not name.startswith(".")]


def _http(look: Look, item: Promise) -> Any:
    answer = ask_pod(look.world, pod_of(look, item), int(item.selected("port")), str(item.selected("path")))
    return {"status": answer.status, "body": answer.body}


def _document(look: Look, item: Promise) -> dict[str, Any]:
    """The object that an expectation means, as JSON values."""
    kind = item.selected("kind") or "Pod"
    if kind == "Pod":
        return pod_document(look.world, pod_of(look, item).key)
    for other, namespace, name in look.world.tables.objects:
        if other == kind and item.selected("name") in (None, name):
            return object_document(look.world, kind, namespace, name)
    raise NotThere(f"no such {kind}")


def _field(look: Look, item: Promise) -> Any:
    value: Any = _document(look, item)
    for name, index in _STEP.findall(str(item.selected("path"))):
        if name:
            value = value.get(name) if isinstance(value, dict) else None
        else:
            value = value[int(index)] if isinstance(value, list) and int(index) < len(value) else None
    return value


def _exists(look: Look, item: Promise) -> Any:
    """Whether an object of the kind (by default a pod) and name exists. Raises NotThere for an unknown kind."""
    kind, name, tables = item.selected("kind") or "Pod", item.selected("name"), look.world.tables
    if kind == "Pod":
        return any(row.name == name and row.gone_ms is None for row in tables.pods.values())
    if kind == "Node":
        return name in tables.nodes
    if kind not in KINDS:
        raise NotThere(f"no kind {kind}")
    return any((other, own) == (kind, name) for other, _namespace, own in tables.objects)


def _resources(look: Look, item: Promise) -> Any:
    """The resources of the given container, or else of the first one; ``from`` selects spec or status."""
    document, name = pod_document(look.world, pod_of(look, item).key), item.selected("container")
    held = document["status"].get("containerStatuses") if item.selected("from") == "status" else document["spec"]["containers"]
    found: dict[str, Any] = next((entry for entry in held or () if name in (None, entry["name"])), {})
    return found.get("resources") or {}


def _limit_defaults(look: Look, item: Promise) -> Any:
    for (kind, _, name), held in look.world.tables.objects.items():
        if kind == "LimitRange" and item.selected("name") in (None, name):
            limit = json.loads(held.document)["spec"]["limits"][0]
            return {part: limit.get(part) for part in ("default", "defaultRequest")}
    raise NotThere("no such LimitRange")


def _effective_request(look: Look, item: Promise) -> Any:
    spec = pod_of(look, item).pod.spec
    return {name: f"{resource_request(spec, name)}m" if name == "cpu" else str(resource_request(spec, name)) for name in item.value}


def _processes(look: Look, item: Promise) -> Any:
    """The commands that ``ps`` in the container shows: with a shared process namespace, those of the whole pod."""
    instance = _instance(look, item)
    assert instance.process is not None
    host = host_for(look.world, pod_of(look, item).key, instance.container)
    trees = (instance.process, *(other.process for other in host.neighbours))
    return [*(["/pause"] if host.pause else []), *(line.command for tree in trees for line in process_tree(tree))]


def _identity(look: Look, item: Promise) -> Any:
    process = _instance(look, item).process
    assert process is not None
    launch = process.launch
    return {"uid": launch.uid, "gid": launch.gid, "groups": list(launch.groups)}


def _status_of(look: Look, item: Promise) -> ContainerStatus:
    name, status = item.selected("container"), pod_of(look, item).status
    for entry in (*status.containers, *status.init_containers, *status.ephemeral_containers):
        if name in (None, entry.name):
            return entry
    raise NotThere("no status of such a container")


def _last_state_or_state(look: Look, item: Promise) -> Any:
    """The last state if there is one, otherwise the state."""
    found = _container(look, item)
    if found is None:
        return None
    last = found.get("lastState") or {}
    return {"message": "", **last} if last else found


def _quota_used(look: Look, item: Promise) -> Any:
    for kind, namespace, name in look.world.tables.objects:
        if kind == "ResourceQuota" and item.selected("name") in (None, name):
            used = object_document(look.world, kind, namespace, name)["status"].get("used") or {}
            resource = item.selected("resource")
            return used.get(resource) if resource else used
    raise NotThere("no such ResourceQuota")


def _pod_count(look: Look, item: Promise) -> Any:
    phase, word = item.selected("phase"), item.selected("status")
    phases = phase if isinstance(phase, list) else [phase]
    rows = [row for row in look.world.tables.pods.values() if row.gone_ms is None and _is_labelled(row, item)]
    rows = [row for row in rows if phase is None or row.status.phase in phases]
    return sum(word in (None, snapshot(look.world, row)["kubectl_status"]) for row in rows)


def _jobs(look: Look, item: Promise) -> Iterator[dict[str, Any]]:
    """The Jobs that are meant, by name (with ``*`` for any text) or all of them, as documents."""
    for row in objects_of(look.world.tables, "Job"):
        if fnmatchcase(row.name, str(item.selected("job") or "*")):
            yield object_document(look.world, "Job", row.namespace, row.name)


def _job_condition(look: Look, item: Promise) -> Any:
    """The status of a Job's condition with that type, reason and message; None if there is none."""
    for document in _jobs(look, item):
        for condition in (document.get("status") or {}).get("conditions") or ():
            matches = [re.search(str(item.selected(part) or ""), condition.get(part, "")) for part in ("reason", "message")]
            if condition.get("type") == item.selected("type") and all(matches):
                return condition.get("status")
    return None


def job_is_finished(world: World, name: str | None) -> bool:
    """Whether a Job of that name (with ``*`` for any text; None for any Job) has its terminal condition."""
    for row in objects_of(world.tables, "Job"):
        conditions = (object_document(world, "Job", row.namespace, row.name).get("status") or {}).get("conditions") or ()
        if fnmatchcase(row.name, name or "*") and any(one["type"] in _TERMINAL and one["status"] == "True" for one in conditions):
            return True
    return False


def _endpoint(look: Look, item: Promise) -> Any:
    """The conditions of the pod's entry in the EndpointSlices of the Service (by default any), or only the one of a ``type``."""
    uid, service = pod_of(look, item).uid, item.selected("service")
    for row in objects_of(look.world.tables, SLICE):
        if service not in (None, slice_service(row.document)):
            continue
        for endpoint in read_slice(row.document).endpoints or ():
            if endpoint.target_ref is not None and endpoint.target_ref.uid == uid:
                found: dict[str, bool] = msgspec.to_builtins(endpoint.conditions)
                return found.get(item.selected("type")) if item.selected("type") else found
    raise NotThere("the pod has no endpoint")


def _job_status(look: Look, item: Promise) -> Any:
    """The requested fields of a Job's status."""
    for document in _jobs(look, item):
        status = document.get("status") or {}
        return {name: status.get(name) for name in item.selected("fields") or status}
    raise NotThere("no such Job")


def _budget(look: Look, item: Promise) -> Any:
    for kind, namespace, name in look.world.tables.objects:
        if kind == "PodDisruptionBudget" and item.selected("name") in (None, name):
            return object_document(look.world, kind, namespace, name)["status"]
    raise NotThere("no such PodDisruptionBudget")


def _hostname(look: Look, item: Promise) -> Any:
    process = _instance(look, item).process
    assert process is not None
    return process.launch.naming.hostname


FACTS: dict[str, Callable[[Look, Promise], Any]] = {
    "phase": _phase,
    "status_column": _column("kubectl_status"),
    "ready_column": _column("kubectl_ready"),
    "restarts": _restarts,
    "condition": _condition,
    "container_state": _container,
    "last_state": _last_state,
    "event": matching_events,
    "qosClass": lambda look, item: pod_of(look, item).status.qos_class,
    "env": _env,
    "file": _file,
    "dir": _directory,
    "log": _log,
    "http": _http,
    "spec_default": _field,
    "object_field": _field,
    "object_exists": _exists,
    "container_resources": _resources,
    "limitrange_defaults": _limit_defaults,
    "effective_request": _effective_request,
    "node_name": lambda look, item: pod_of(look, item).node,
    "last_state_or_state": _last_state_or_state,
    "started": lambda look, item: _status_of(look, item).started,
    "quota_used": _quota_used,
    "pod_uid": lambda look, item: pod_of(look, item).uid,
    "pod_ip": lambda look, item: pod_of(look, item).status.pod_ip,
    "pod_count": _pod_count,
    "pdb_status": _budget,
    "job_condition": _job_condition,
    "job_status": _job_status,
    "endpoint_condition": _endpoint,
    "hostname": _hostname,
    "process_list": _processes,
    "process_id": _identity,
}
"""Every fact that can be read from a world."""

_OF_PODS = frozenset({"pod", "label", "index", "container"})
_OF_FACTS = {
    "condition": ("type", "reason"),
    "log": ("match",),
    "env": ("name",),
    "file": ("path",),
    "dir": ("path",),
    "http": ("port", "path"),
    "spec_default": ("kind", "name", "path"),
    "object_field": ("kind", "name", "path"),
    "container_resources": ("from",),
    "endpoint_condition": ("service", "type"),
    "eviction": ("message",),
}
"""The selector keys of facts about a pod, in addition to those that select pod and container."""
_OF_OTHERS = {
    "event": ("container", "pod", "object", "type", "reason", "message"),
    "object_exists": ("kind", "name"),
    "limitrange_defaults": ("name",),
    "quota_used": ("name", "resource"),
    "pod_count": ("label", "index", "phase", "status"),
    "job_condition": ("job", "type", "reason", "message"),
    "job_status": ("job", "fields"),
    "pdb_status": ("name",),
    "rejected": (),
    "order": (),
}
"""The selector keys of other facts."""


def unread(item: Promise) -> list[str]:
    """The selector keys that nothing reads: with one of them, the expectation is not what would be judged."""
    own = frozenset(_OF_OTHERS[item.what]) if item.what in _OF_OTHERS else _OF_PODS | frozenset(_OF_FACTS.get(item.what, ()))
    moment = {"started": "container", "job_finished": "job"}.get(item.t0)
    return sorted(set(item.selector or {}) - own - {moment})
