"""``kubectl describe`` for every kind: those with a layout of their own, and the generic one for the rest.

Source: kubectl pkg/describe.

If no object has exactly the given name, ``describe`` takes it as a prefix, as kubectl does. Pods are described from
their row, because their text needs more than the document; every other kind is read from its document alone.
"""

import re
from collections.abc import Callable, Iterator

from simulator.engine.kernel.json_text import Json
from simulator.engine.projection.events import event_lines, events_about
from simulator.engine.versions.span import Span
from simulator.kubectl.align import align
from simulator.kubectl.describe import annotation_lines, describe_pod, pair_lines
from simulator.kubectl.describe_endpoints import endpoints_lines, slice_lines
from simulator.kubectl.describe_kinds import budget_lines, config_map_lines, secret_lines, service_lines
from simulator.kubectl.describe_node import node_lines
from simulator.kubectl.describe_policy import (
    claim_lines,
    limit_range_lines,
    namespace_lines,
    priority_class_lines,
    quota_lines,
    service_account_lines,
    storage_class_lines,
)
from simulator.kubectl.describe_workloads import (
    autoscaler_lines,
    cron_job_lines,
    daemon_set_lines,
    deployment_lines,
    job_lines,
    replica_set_lines,
    stateful_set_lines,
)
from simulator.kubectl.find import Picked, documents_of, missing_text, namespace_of, pick
from simulator.kubectl.line import BadLine, EndedWith, Line
from simulator.kubectl.tables.model import Sight, shown

Lines = Callable[[Json, Sight], list[str]]
LAYOUTS: dict[str, Lines] = {
    "ConfigMap": config_map_lines,
    "Secret": secret_lines,
    "Service": service_lines,
    "Endpoints": endpoints_lines,
    "EndpointSlice": slice_lines,
    "PodDisruptionBudget": budget_lines,
    "Node": node_lines,
    "Deployment": deployment_lines,
    "ReplicaSet": replica_set_lines,
    "StatefulSet": stateful_set_lines,
    "DaemonSet": daemon_set_lines,
    "Job": job_lines,
    "CronJob": cron_job_lines,
    "HorizontalPodAutoscaler": autoscaler_lines,
    "Namespace": namespace_lines,
    "ResourceQuota": quota_lines,
    "LimitRange": limit_range_lines,
    "PersistentVolumeClaim": claim_lines,
    "PriorityClass": priority_class_lines,
    "StorageClass": storage_class_lines,
    "ServiceAccount": service_account_lines,
}
WITHOUT_EVENTS = ("Secret", "Namespace", "ResourceQuota", "LimitRange")
_EVENTS_OF_ONE = Span(since=36)
_ASK = 'error: You must specify the type of resource to describe. Use "kubectl api-resources" for a complete list of supported resources.'
_HEAD = tuple(("metadata", key) for key in ("name", "namespace", "labels", "annotations"))
_ACRONYMS = ("API", "URL", "UID", "IP", "ID")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")


def describe_picked(line: Line, sight: Sight) -> str:
    """The output of ``kubectl describe``. Raises BadLine."""
    if not line.words and not line.sent:
        raise BadLine(_ASK)
    named = pick(line, sight)
    picked = [_with_prefix(item, sight) for item in named]
    documents = [document for item in picked for document in item.items]
    if picked != named:
        shows_events = _shows_events(line, 2, sight)
        return "".join(f"{describe_object(document, sight, shows_events=shows_events)}\n" for document in documents)
    shows_events = _shows_events(line, len(documents) + sum(len(item.missing) for item in picked), sight)
    texts = [describe_object(document, sight, shows_events=shows_events) for document in documents]
    errors = [text for item in picked for text in missing_text(item)]
    if not texts and not errors:
        space = namespace_of(line, sight)  # also of kinds that have none
        return f"No resources found in {space} namespace.\n" if space else "No resources found\n"
    text = "".join(["\n\n".join(texts), *(f"{text}\n" for text in errors)])
    if errors:
        raise EndedWith(text)
    return text


def _shows_events(line: Line, number: int, sight: Sight) -> bool:
    """Whether the Events of objects are printed; later versions of kubectl leave them out if there is more than one object."""
    if "show-events" in line.flags:
        return line.has("show-events")
    return number == 1 or not _EVENTS_OF_ONE.holds_for(sight.minor)


def _with_prefix(item: Picked, sight: Sight) -> Picked:
    """The objects whose names start with a single name that no object has."""
    if item.is_list or item.items or len(item.missing) != 1:
        return item
    found = tuple(document for document in documents_of(item.info, sight) if document["metadata"]["name"].startswith(item.missing[0]))
    return Picked(item.info, found, () if found else item.missing, is_list=False)


def describe_object(document: Json, sight: Sight, *, shows_events: bool = True) -> str:
    """The text about one object, with or without its Events."""
    kind, metadata = document["kind"], document["metadata"]
    if kind == "Pod":
        row = sight.world.live_pod(metadata["namespace"], metadata["name"])
        return describe_pod(sight.world, row.key, now_ms=sight.now_ms, shows_events=shows_events) if row is not None else ""
    lines = LAYOUTS.get(kind, generic_lines)(document, sight)
    if kind in WITHOUT_EVENTS or not shows_events:
        return align(lines)
    subject = "/".join(part for part in (kind.lower(), metadata.get("namespace"), metadata["name"]) if part)
    return align([*lines, *event_lines(events_about(sight.world, subject, now_ms=sight.now_ms), with_path=sight.facts.event_paths)])


def generic_lines(document: Json, sight: Sight) -> list[str]:
    """Every field of an object, with field names spelled out as words."""
    metadata = document["metadata"]
    lines = [f"Name:\t{metadata['name']}", f"Namespace:\t{metadata.get('namespace', '')}"]
    lines += [*pair_lines("Labels", metadata.get("labels") or {}), *annotation_lines(metadata.get("annotations") or {})]
    return [*lines, *_fields(document, 0, ())]


def _fields(values: Json, level: int, path: tuple[str, ...]) -> Iterator[str]:
    indent = "  " * level
    for key in sorted(values):
        here, value = (*path, key), values[key]
        # Already printed in the head.
        if here in _HEAD:
            continue
        if isinstance(value, dict):
            yield f"{indent}{label(key)}:"
            yield from _fields(value, level + 1, here)
        elif isinstance(value, list):
            yield f"{indent}{label(key)}:"
            for item in value:
                yield from _fields(item, level + 1, here) if isinstance(item, dict) else [f"{indent}  {shown(item)}"]
        else:
            yield f"{indent}{label(key)}:\t{'<nil>' if value is None else shown(value)}"


def label(key: str) -> str:
    """``creationTimestamp`` as ``Creation Timestamp``, ``podIP`` as ``Pod IP``; keys that are not field names stay as they are."""
    if not key.isalnum():
        return key
    words = _WORD.findall(key)
    # smartLabelFor: acronyms stay in capitals.
    return " ".join(word.upper() if word.upper() in _ACRONYMS else word[:1].upper() + word[1:] for word in words) or key
