"""The managers of an object: which of them owns which fields at this moment.

Source: apimachinery pkg/util/managedfields (internal/managedfields.go, stripmeta.go), structured-merge-diff v4 merge/update.go.
"""

import re
from collections.abc import Iterable

from msgspec.structs import replace

from simulator.engine.apiserver.documents.definitions import defined_kind
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.managed.sets import Fields, Path, difference, fields_in, from_fields_v1, to_fields_v1, with_parents
from simulator.engine.apiserver.managed.topology import Part
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.versions.span import Span
from simulator.engine.world.managed import APPLY, UPDATE, Managed, Manager
from simulator.engine.world.world import World

CLIENT_SIDE, CREATE, CONTROLLERS, KUBELET = "kubectl-client-side-apply", "kubectl-create", "kube-controller-manager", "kubelet"
_SUBRESOURCES = Span(since=22)
"""The versions whose managedFields name the subresource through which a manager writes."""
ANCIENT, UPDATES_MAX = "ancient-changes", 10
_STRIPPED = frozenset(
    (
        *(("f:apiVersion",), ("f:kind",), ("f:metadata",)),
        *(
            ("f:metadata", f"f:{name}")
            for name in (
                *("name", "generateName", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation"),
                *("managedFields", "resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds"),
            )
        ),
    )
)
"""Fields that nobody manages."""
_ALWAYS = frozenset(
    ("f:metadata", "f:spec", "f:status", "f:template", "f:jobTemplate", "f:strategy", "f:updateStrategy", "f:containers", "f:loadBalancer")
)
"""Fields without omitempty: they exist before they have a value, so setting one does not add it."""
_GIVEN = frozenset(
    (
        *(("f:spec", f"f:{name}") for name in ("tolerations", "serviceAccount", "serviceAccountName", "priority", "preemptionPolicy")),
        *(("f:spec", f"f:{name}") for name in ("nodeName", "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")),
    )
)
"""What admission and allocation add, after ownership has been recorded."""
_ANNOTATIONS = ("f:metadata", "f:annotations")
_CONTROLLED = (("f:metadata", "f:finalizers"), ("f:metadata", "f:ownerReferences"))
"""Metadata that controllers write on objects they do not own."""
_TOKEN = ("kube-api-access-", "/var/run/secrets/kubernetes.io/serviceaccount")
_TOKEN_SECRET = re.compile(r'^k:\{"name":".*-token-[a-z0-9]{5}"\}$')
"""The volume of a token that is kept in a Secret, as in pods until 1.20."""


def part_of(world: World, document: Json) -> Part:
    """What is known of the structure of an object."""
    schema = catalog(world.release.minor).schema(str(document.get("apiVersion") or ""), str(document.get("kind") or ""))
    if schema is None:
        defined = defined_kind(world, str(document.get("kind") or ""))
        version = defined.version_of(str(document.get("apiVersion") or "")) if defined is not None else None
        schema = version.schema if version is not None else None
    return Part(schema or {})


def manageable(paths: Iterable[Path], *, subresource: str = "") -> Fields:
    """The paths that can be managed: the status only through its subresource, which manages nothing else."""
    found = [path for path in paths if path not in _STRIPPED and (path[:1] == ("f:status",)) == (subresource == "status")]
    leading = {path[:length] for path in found for length in range(1, len(path))}
    return frozenset(path for path in found if path and not (path[-1] in _ALWAYS and path in leading))


def managers_now(world: World, document: Json) -> tuple[Manager, ...]:
    """The managers of an object as it is now, including those of its status."""
    return (*_of_spec(world, document), *_of_status(world, document))


def _of_spec(world: World, document: Json) -> tuple[Manager, ...]:
    held = world.tables.managed.get(str(document["metadata"].get("uid") or ""))
    if held is None:
        return _first(world, document)
    found = difference(held.document, document, part_of(world, document))
    if not found.changed and not found.removed:
        return held.managers
    lost = found.modified | found.removed
    kept = [replace(each, fields=each.fields - lost) for each in held.managers]
    others = manageable(path for path in found.changed if path not in _GIVEN)
    return tuple(each for each in (*kept, *_written_otherwise(world, document, others)) if each.fields)


def _first(world: World, document: Json) -> tuple[Manager, ...]:
    """Who created an object that no client claims: its first sender, or a controller."""
    metadata = document["metadata"]
    annotations = metadata.get("annotations") or {}
    if document["kind"] == "Node":
        name = KUBELET
    elif metadata.get("ownerReferences") or not _was_sent(world, document):
        name = CONTROLLERS
    else:
        name = CLIENT_SIDE if LAST_APPLIED in annotations else CREATE
    manager = Manager(
        name=name,
        operation=UPDATE,
        api_version=document["apiVersion"],
        time=metadata.get("creationTimestamp", ""),
        fields=made_by_update(world, document),
    )
    return (manager,) if manager.fields else ()


def _was_sent(world: World, document: Json) -> bool:
    metadata = document["metadata"]
    space, name = metadata.get("namespace", ""), metadata["name"]
    if document["kind"] == "Pod":
        row = world.live_pod(space, name)
        return row is not None and bool(row.applied)
    held = world.tables.objects.get((document["kind"], space, name))
    return held is not None and bool(held.applied)


def made_by_update(world: World, document: Json) -> Fields:
    """The fields of a new object that was sent as a whole."""
    found = difference({}, {key: value for key, value in document.items() if key != "status"}, part_of(world, document))
    paths = [path for path in manageable(found.added) if path[:2] not in _GIVEN]
    tokens = {path for path in paths if _is_token(path)}
    # A list that holds only what admission added was added along with it.
    kept = with_parents(path for path in paths if path not in tokens and not any(other[: len(path)] == path for other in tokens))
    return frozenset(path for path in paths if path not in tokens and path in kept)


def _is_token(path: Path) -> bool:
    return any(_TOKEN_SECRET.match(element) or any(word in element for word in _TOKEN) for element in path)


def _written_otherwise(world: World, document: Json, changed: Fields) -> tuple[Manager, ...]:
    """What has changed since without a client's name: by a controller, or on the run's page, which counts as written by kubectl."""
    scaled = frozenset(path for path in changed if path == ("f:spec", "f:replicas"))
    own = frozenset(path for path in changed if "deployment.kubernetes.io/revision" in path[-1] or path[:2] in _CONTROLLED)
    if own:
        own |= changed & {_ANNOTATIONS}
    images = frozenset(path for path in changed if path[-1] == "f:image")
    rolled = frozenset(path for path in changed if "restartedAt" in path[-1] or path == ("f:spec", "f:paused"))
    labels, notes = (
        frozenset(path for path in changed - own if path[:2] == ("f:metadata", f"f:{name}")) for name in ("labels", "annotations")
    )
    tainted = frozenset(path for path in changed if path == ("f:spec", "f:taints"))
    head = {"operation": UPDATE, "api_version": document["apiVersion"], "time": timestamp(world.now_ms, world.header.epoch_s)}
    is_scaled_alone = any(space == document["metadata"].get("namespace") for space, _ in world.tables.autoscalers)
    return (
        Manager(name=CONTROLLERS, fields=own, **head),
        Manager(name=CONTROLLERS if is_scaled_alone else "kubectl", subresource="scale", fields=scaled, **head),
        Manager(name="kubectl-set", fields=images, **head),
        Manager(name="kubectl-rollout", fields=rolled, **head),
        Manager(name="kubectl-label", fields=labels, **head),
        Manager(name="kubectl-annotate", fields=notes, **head),
        Manager(name="kubectl-taint", fields=tainted, **head),
        Manager(name="kubectl-edit", fields=changed - own - scaled - images - rolled - labels - notes - tainted, **head),
    )


def _of_status(world: World, document: Json) -> tuple[Manager, ...]:
    if not document.get("status"):
        return ()
    held = world.tables.managed.get(str(document["metadata"].get("uid") or ""))
    others = {path for each in (held.managers if held is not None else ()) if each.subresource == "status" for path in each.fields}
    found = difference({}, {"status": document["status"]}, part_of(world, document))
    fields = manageable(found.added, subresource="status") - others
    name, time = CONTROLLERS, document["metadata"].get("creationTimestamp", "")
    if document["kind"] in ("Pod", "Node"):
        name, fields = KUBELET, frozenset(path for path in fields if not _came_with_binding(path))
    if document["kind"] == "Pod":
        time = max((time, *(str(each.get("lastTransitionTime") or "") for each in document["status"].get("conditions") or ())))
    manager = Manager(name=name, operation=UPDATE, subresource="status", api_version=document["apiVersion"], time=time, fields=fields)
    return (manager,) if fields else ()


def _came_with_binding(path: Path) -> bool:
    """Whether a field of a pod's status exists before a kubelet does: nobody manages what the API server itself writes."""
    return path[1:] in (("f:qosClass",), ("f:conditions",)) or path[2:3] == ('k:{"type":"PodScheduled"}',)


# ---- writes ----------------------------------------------------------------------------------------------------------
def after_update(
    world: World, before: Json | None, after: Json, writer: Manager, said: tuple[Manager, ...] | None = None
) -> tuple[Manager, ...]:
    """The managers after a write other than an apply: the writer owns what it changed. ``writer`` has no fields yet.

    ``said``: the previous managers as the write itself states them.
    """
    if before is None:
        return (replace(writer, fields=made_by_update(world, after)),)
    found = difference(before, after, part_of(world, after))
    changed = frozenset(
        path for path in manageable(found.changed, subresource="status" if writer.subresource == "status" else "") if path not in _GIVEN
    )
    old = _of_spec(world, before) if said is None else said
    own = next((each.fields for each in old if each.identity == writer.identity), frozenset[Path]())
    others = [replace(each, fields=each.fields - changed - found.removed) for each in old if each.identity != writer.identity]
    return tuple(each for each in (*others, replace(writer, fields=(own | changed) - found.removed)) if each.fields)


def after_apply(world: World, before: Json | None, after: Json, writer: Manager) -> tuple[Manager, ...]:
    """The managers after an apply; ``writer`` has the fields that it named."""
    old = _of_spec(world, before) if before is not None else ()
    found = difference(before or {}, after, part_of(world, after))
    lost = (found.changed & writer.fields) | found.removed if before is not None else set[Path]()
    own = next((each for each in old if each.identity == writer.identity), None)
    if own is not None and own.fields == writer.fields and not (found.changed & writer.fields):
        writer = own
    others = [replace(each, fields=each.fields - lost) for each in old if each.identity != writer.identity]
    return tuple(each for each in (*others, writer) if each.fields)


def _bounded(managers: tuple[Manager, ...]) -> tuple[Manager, ...]:
    """At most UPDATES_MAX managers that update: the oldest beyond that are merged into one (internal/capmanagers.go)."""
    updates = sorted((each for each in managers if each.operation == UPDATE), key=lambda each: (each.time, each.name))
    old = updates[: max(0, len(updates) - UPDATES_MAX + 1)] if len(updates) > UPDATES_MAX else []
    if not old:
        return managers
    fields = frozenset(path for each in old for path in each.fields)
    ancient = Manager(name=ANCIENT, operation=UPDATE, api_version=old[-1].api_version, time=old[-1].time, fields=fields)
    gone = set(map(id, old))
    return (*(each for each in managers if id(each) not in gone), ancient)


def remember(world: World, document: Json, managers: tuple[Manager, ...]) -> None:
    """Remember who manages the object from now on. Only for effects of a command."""
    kept = {key: value for key, value in document.items() if key != "status"}
    world.tables.managed[document["metadata"]["uid"]] = Managed(_bounded(managers), kept)


# ---- documents -------------------------------------------------------------------------------------------------------
def entries_of(managers: Iterable[Manager], minor: int) -> list[Json]:
    """managedFields as that minor version writes them: managers that apply first, then by time."""
    ordered = sorted(managers, key=lambda each: (each.operation, each.time, each.name, each.api_version, each.subresource))
    return [
        {
            "manager": each.name,
            "operation": each.operation,
            "apiVersion": each.api_version,
            "time": each.time,
            "fieldsType": "FieldsV1",
            "fieldsV1": to_fields_v1(each.fields),
            **({"subresource": each.subresource} if each.subresource and _SUBRESOURCES.holds_for(minor) else {}),
        }
        for each in ordered
    ]


def managers_in(entries: object) -> tuple[Manager, ...]:
    """The managers that a client wrote into managedFields itself, as kubectl does when it migrates to server-side apply.

    What controllers own of a status is computed and not stored.
    """
    found = [item for item in entries if isinstance(item, dict) and item.get("manager")] if isinstance(entries, list) else []
    return tuple(
        Manager(
            name=str(item["manager"]),
            operation=APPLY if item.get("operation") == APPLY else UPDATE,
            subresource=str(item.get("subresource") or ""),
            api_version=str(item.get("apiVersion") or ""),
            time=str(item.get("time") or ""),
            fields=from_fields_v1(item.get("fieldsV1")),
        )
        for item in found
        if not (item.get("subresource") == "status" and item["manager"] in (CONTROLLERS, KUBELET))
    )


def with_managed_fields(world: World, document: Json) -> Json:
    """The document with its managedFields, if it has any."""
    entries = entries_of(managers_now(world, document), world.release.minor)
    return {**document, "metadata": {**document["metadata"], "managedFields": entries}} if entries else document


def named_fields(world: World, document: Json, *, subresource: str = "") -> Fields:
    """The manageable fields that a configuration names. Raises ApiError."""
    return frozenset(
        path
        for path in fields_in(document, part_of(world, document))
        if path not in _STRIPPED and (path[:1] == ("f:status",)) == (subresource == "status")
    )
