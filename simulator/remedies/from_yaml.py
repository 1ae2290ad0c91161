"""Clues in pods and Events as ``kubectl get -o yaml`` or ``-o json`` prints them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.imports.read import LIMITS
from simulator.manifests.read.loader import RawDocument, load
from simulator.remedies.clue import CLUES_MAX, STATE_KINDS, Clue, Clues, PodFacts

_GROUPS = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")


def clues_of_yaml(text: str) -> Clues:
    """The clues in the pods of a text, then in the Events about them, each in the order of the text."""
    clues = Clues({}, [])
    documents = [raw for raw in load(text, limits=LIMITS).documents if isinstance(raw.value, dict)]
    for raw in documents:
        if raw.value.get("kind") == "Pod":
            _read_pod(raw, clues)
    for raw in documents:
        if raw.value.get("kind") == "Event":
            _read_event(raw, clues)
    del clues.found[CLUES_MAX:]
    return clues


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Mapping[str, Any]]:
    return [_map(item) for item in value] if isinstance(value, list) else []


def _key(metadata: Mapping[str, Any]) -> str:
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name')}"


def _read_pod(raw: RawDocument, clues: Clues) -> None:
    metadata, spec, status = (_map(raw.value.get(part)) for part in ("metadata", "spec", "status"))
    if not metadata.get("name") or not status:
        return
    key = _key(metadata)
    conditions = {str(item.get("type")): item for item in _list(status.get("conditions"))}
    ready, placed = conditions.get("Ready", {}).get("status"), conditions.get("PodScheduled", {}).get("status")
    clues.pods[key] = PodFacts(
        name=str(metadata["name"]),
        namespace=str(metadata.get("namespace") or "default"),
        names=names_of_pod(metadata, spec),
        is_ready=None if ready is None else str(ready) == "True",
        is_placed=bool(spec.get("nodeName")) or str(placed) == "True",
    )
    clues.found.extend(_of_status(raw, key, metadata, status))


def _of_status(raw: RawDocument, key: str, metadata: Mapping[str, Any], status: Mapping[str, Any]) -> Iterator[Clue]:
    if status.get("reason"):
        yield _clue(raw, key, "pod", status, "status", of="")
    for group in _GROUPS:
        for n, item in enumerate(_list(status.get(group))):
            yield from _of_container(raw, key, item, f"status.{group}[{n}]")
    for n, item in enumerate(_list(status.get("conditions"))):
        if item.get("reason") and str(item.get("status")) == "False":
            yield _clue(raw, key, "condition", item, f"status.conditions[{n}]", of=f"{item.get('type')}=False")
    if metadata.get("deletionTimestamp"):
        line = raw.locate("metadata.deletionTimestamp")[0]
        held = ("metadata.finalizers",) if metadata.get("finalizers") else ()
        lines = (line, *(raw.locate(path, key=True)[0] for path in held))
        yield Clue(pod=key, kind="status", word="Terminating", said=" ".join(held), lines=lines)
    elif status.get("phase") == "Pending" and not status.get("containerStatuses"):
        yield Clue(pod=key, kind="status", word="Pending", lines=(raw.locate("status.phase")[0],))


def _of_container(raw: RawDocument, key: str, item: Mapping[str, Any], path: str) -> Iterator[Clue]:
    name = str(item.get("name") or "")
    for field in ("state", "lastState"):
        for kind in STATE_KINDS:
            state = _map(_map(item.get(field)).get(kind))
            if state and (kind == "waiting" or field == "state" or state.get("exitCode") is not None):
                clue = _clue(raw, key, kind, state, f"{path}.{field}.{kind}", container=name, is_last=field == "lastState")
                if clue.word:
                    yield clue


def _clue(raw: RawDocument, key: str, kind: str, held: Mapping[str, Any], path: str, *, of: str = "", **more: Any) -> Clue:
    """The clue of an object with a reason, a message and possibly an exit code."""
    shown = [name for name in ("reason", "exitCode", "message") if held.get(name) not in (None, "")]
    lines = tuple(dict.fromkeys(raw.locate(f"{path}.{name}")[0] for name in shown))
    said = " ".join((str(held.get("message") or ""), *([f"exitCode={held['exitCode']}"] if "exitCode" in held else [])))
    return Clue(pod=key, kind=kind, word=str(held.get("reason") or ""), of=of, said=said.strip(), lines=lines, **more)


def _read_event(raw: RawDocument, clues: Clues) -> None:
    about = _map(raw.value.get("involvedObject") or raw.value.get("regarding"))
    word = raw.value.get("reason")
    if about.get("kind") != "Pod" or not about.get("name") or not isinstance(word, str):
        return
    key = _key(about)
    if key not in clues.pods:
        clues.pods[key] = PodFacts(name=str(about["name"]), namespace=key.partition("/")[0], names={"pod": str(about["name"])})
    field = "message" if raw.value.get("message") else "note"
    lines = tuple(sorted({raw.locate(name)[0] for name in ("reason", field) if raw.value.get(name)}))
    container = re.search(r"\{(.+)\}", str(about.get("fieldPath") or ""))
    clues.found.append(
        Clue(
            pod=key, kind="event", word=word, of=str(raw.value.get("type") or ""), said=str(raw.value.get(field) or ""), lines=lines,
            container=container[1] if container else "",
        )
    )  # fmt: skip


def names_of_pod(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, str]:
    """Names for the placeholders in command lines about a pod: the pod, its node, its claim, the workload that owns it."""
    names = {"pod": str(metadata.get("name")), "node": str(spec.get("nodeName") or "")}
    for volume in _list(spec.get("volumes")):
        claim = _map(volume.get("persistentVolumeClaim")).get("claimName")
        if claim:
            names.setdefault("claim", str(claim))
    suffix = f"-{_map(metadata.get('labels')).get('pod-template-hash')}"
    workload, hashed, _ = names["pod"].rpartition(f"{suffix}-")
    if hashed:
        names |= {"deployment": workload, "replicaset": workload + suffix}
    for owner in _list(metadata.get("ownerReferences")):
        name, kind = str(owner.get("name")), str(owner.get("kind")).lower()
        if kind in ("statefulset", "daemonset", "job"):
            names |= {kind: name, "owner": f"{kind}/{name}"}
    return {key: value for key, value in names.items() if value}
