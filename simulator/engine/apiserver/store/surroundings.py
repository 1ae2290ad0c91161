"""Creating pods in a run: admission looks objects up in the tables, and the server's random suffixes come from the seed."""

import json
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from simulator.engine.apiserver.admission.chain import admit
from simulator.engine.apiserver.admission.cluster import EMPTY, LOOKED_UP, Cluster
from simulator.engine.apiserver.admission.pod_security.plugin import LABELS
from simulator.engine.apiserver.admission.surroundings import ANY_CLUSTER, NotAdmitted
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.create import CreateRequest, completed, stored
from simulator.engine.apiserver.defaulting.pod import fill_pod
from simulator.engine.apiserver.pods import drawn_suffix, next_key
from simulator.engine.apiserver.refusal import refusal_of
from simulator.engine.apiserver.validation.names import subdomain_problems
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.ids import NAME_PREFIX, name_suffix
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.container import Container, VolumeMount
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import pod_from_document, stored_pod, without_nulls
from simulator.engine.model.meta import ObjectMeta, OwnerReference, without_empty
from simulator.engine.model.pod import Pod, PodSpec, Volume
from simulator.engine.model.service_account import BOUND_PREFIX
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.versions.release import Release
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import objects_of, pods_in
from simulator.engine.world.world import World

T = TypeVar("T", Volume, VolumeMount)
_LISTED = tuple(kind for kind in LOOKED_UP if kind != "Namespace")


def cluster_of(world: World, namespace: str | None = None) -> Cluster:
    """What admission may look up in a world, for one namespace or (None) for any. Cost: what it finds, and pods if quotas count them."""
    tables = world.tables
    listed = [kind for kind in _LISTED if kind in tables.namespaces_by_kind.held]
    rows = [row for kind in listed for row in objects_of(tables, kind) if namespace is None or row.namespace in ("", namespace)]
    spaces = [tables.objects.get(("Namespace", "", namespace))] if namespace is not None else objects_of(tables, "Namespace")
    rows += [row for row in spaces if row is not None and LABELS in row.document]
    if namespace is None:
        pods = [row for row in tables.pods.values() if row.gone_ms is None]
    else:
        pods = pods_in(tables, namespace) if "ResourceQuota" in [row.kind for row in rows] else []
    if not rows and not pods:
        return EMPTY
    return Cluster(
        objects={(row.kind, row.namespace, row.name): json.loads(row.document) for row in rows},
        pods=tuple((row.namespace, row.pod.spec) for row in pods if row.status.phase not in TERMINAL_PHASES),
    )


def completed_pod(fx: Effects, document: Json, namespace: str, *, text: str, is_valid: bool = False, dry_run: bool = False) -> Json:
    """The pod as the store of this run keeps it, under its final name; ``text`` is its JSON text.

    Raises ApiError, and Refusal with the rule that explains it if a plug-in forbids the pod.
    """
    metadata = document.get("metadata") or {}
    prefix = "" if metadata.get("name") else str(metadata.get("generateName") or "")
    suffix = drawn_suffix(fx, namespace, prefix) if prefix else ""
    name = str(metadata.get("name") or f"{prefix[:NAME_PREFIX]}{suffix}")
    request = CreateRequest(
        release=fx.world.release,
        namespace=namespace,
        kind="Pod",
        surroundings=cluster_of(fx.world, namespace).around(namespace),
        dry_run=dry_run,
        suffix=suffix,
        token=_token_suffix(fx, namespace, name),
    )
    try:
        return completed(document, request, body=text, is_valid=is_valid)
    except NotAdmitted as error:
        raise refusal_of(error, error.rule) from None


_TOKEN = "\N{INVISIBLE SEPARATOR}"
"""Stands for the end of the token volume's name in a spec that pods share; nobody would type it."""
_NODE = "\N{INVISIBLE TIMES}"
"""Stands for the node in the affinity of a DaemonSet's pods, the only part in which they differ."""
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_SHAREABLE = frozenset({"name", "namespace", "labels"})
_OF_CONTROLLER = _SHAREABLE | {"generateName", "ownerReferences", "finalizers"}
_ALIKE_BYTES_MAX = 20_000


def alike(fx: Effects, document: Json, namespace: str, *, judged: bool = True) -> tuple[str, Pod | None, str] | None:
    """A pod as the store keeps it, if it differs only in metadata from one completed before: its JSON text, its typed form if available,
    and its name; else None.

    Pods of one template are defaulted once, and validated once unless already ``judged``; those of a DaemonSet may each name a node of
    their own. Only for pods without annotations, in a cluster whose admission looks nothing up. Cost: about 15 µs instead of 130.
    """
    metadata = document.get("metadata") or {}
    known = _SHAREABLE if judged else _OF_CONTROLLER
    if not metadata.keys() <= known or document.get("apiVersion") != "v1" or len(document) != 4:
        return None
    prefix, labels = str(metadata.get("generateName") or ""), metadata.get("labels", {})
    if (
        not (metadata.get("name") or prefix)
        or not isinstance(labels, dict)
        or [each for each in labels.values() if not isinstance(each, str)]
    ):
        return None
    given: Any = document.get("spec")
    node = _pinned_to(given)
    spec = msgspec.json.encode({**given, "affinity": _pinned(given["affinity"], _NODE)} if node else given)
    # Admission that looks something up may decide differently for the next pod.
    if len(spec) > _ALIKE_BYTES_MAX or cluster_of(fx.world, namespace) is not EMPTY:
        return None
    shared = _shared_spec(spec, fx.world.release, namespace, judged, bool(node))
    if shared is None:
        return None
    name = str(metadata.get("name") or f"{prefix[:NAME_PREFIX]}{drawn_suffix(fx, namespace, prefix)}")
    token = _token_suffix(fx, namespace, name)
    head = {**without_empty(metadata), "name": name, "namespace": namespace}
    spec_text = shared[0].replace(_TOKEN, token)
    if node:
        spec_text = spec_text.replace(_NODE, node)
    text = f'{{"apiVersion":"v1","kind":"Pod","metadata":{_HEAD(head).decode()},"spec":{spec_text}}}'
    if fx.profile.token_volume_prefix != BOUND_PREFIX:  # the volume's source names the token too
        return text, None, name
    owners = tuple([_owner(item) for item in metadata.get("ownerReferences") or ()])
    typed = ObjectMeta(
        name=name, namespace=namespace, labels=labels, generate_name=prefix, owner_references=owners,
        finalizers=tuple(metadata.get("finalizers") or ()),
    )  # fmt: skip
    own = _with_token(shared[1], token)
    if node and own.affinity:
        own = replace(own, affinity=_pinned(own.affinity, node))
    return text, Pod(metadata=typed, spec=own), name


def _pinned_to(spec: Any) -> str:
    """The node, if the required affinity of a pod names one and nothing else, as that of a DaemonSet's pods does; else empty."""
    affinity = spec.get("affinity") if isinstance(spec, dict) else None
    if not affinity:
        return ""
    try:
        (term,) = affinity["nodeAffinity"][_REQUIRED]["nodeSelectorTerms"]
        (field,) = term["matchFields"]
        (node,) = field["values"]
    except (KeyError, TypeError, ValueError):
        return ""
    is_name = len(term) == 1 and field.get("key") == "metadata.name" and field.get("operator") == "In"
    return node if is_name and isinstance(node, str) and not subdomain_problems(node) else ""


def _pinned(affinity: Json, node: str) -> Json:
    """The affinity of such a pod with ``node`` in place of its own node."""
    by_node = affinity["nodeAffinity"]
    required = by_node[_REQUIRED]
    field = {**required["nodeSelectorTerms"][0]["matchFields"][0], "values": [node]}
    return {**affinity, "nodeAffinity": {**by_node, _REQUIRED: {**required, "nodeSelectorTerms": [{"matchFields": [field]}]}}}


_HEAD = msgspec.json.encode


def _owner(item: Json) -> OwnerReference:
    return OwnerReference(
        kind=item["kind"], name=item["name"], uid=item["uid"], api_version=item["apiVersion"], controller=bool(item.get("controller")),
    )  # fmt: skip


@lru_cache(maxsize=256)
def _shared_spec(spec: bytes, release: Release, namespace: str, judged: bool, is_pinned: bool) -> tuple[str, PodSpec] | None:
    """The complete spec as JSON text and typed, with a mark in place of what differs from pod to pod; None if the server objects."""
    # A mark must not be in the spec already, or the replacement would change the user's text.
    if _TOKEN.encode() in spec or spec.count(_NODE.encode()) > is_pinned:
        return None
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alike", "namespace": namespace}, "spec": msgspec.json.decode(spec)}
    request = CreateRequest(release=release, namespace=namespace, kind="Pod", surroundings=EMPTY.around(namespace), token=_TOKEN)
    try:
        pod_from_document(pod)
        body = msgspec.json.encode(pod).decode()
        if not judged:
            named = body.replace(_NODE, "alike")
            completed(msgspec.json.decode(named), replace(request, token="alike"), body=named)
        whole = completed(pod, request, body=body, is_valid=True)
    except (ApiError, BadManifest):
        return None
    text = msgspec.json.encode(whole["spec"]).decode()
    return text, stored_pod(msgspec.json.encode(whole).decode()).spec


def _with_token(spec: PodSpec, token: str) -> PodSpec:
    """The spec with the name of its own token volume in place of the mark."""

    if not [volume for volume in spec.volumes if _TOKEN in volume.name]:
        return spec
    containers = _mounted(spec.containers, token)
    init_containers = _mounted(spec.init_containers, token) if spec.init_containers else ()
    return replace(spec, volumes=_named(spec.volumes, token), containers=containers, init_containers=init_containers)


def _named(items: tuple[T, ...], token: str) -> tuple[T, ...]:
    """The volumes, or mounts of volumes, with the name in place of the mark."""
    return tuple([replace(item, name=item.name.replace(_TOKEN, token)) if _TOKEN in item.name else item for item in items])


def _mounted(items: tuple[Container, ...], token: str) -> tuple[Container, ...]:
    return tuple([replace(item, volume_mounts=_named(item.volume_mounts, token)) for item in items])


def imported_pod(fx: Effects, document: Json, namespace: str, name: str) -> Json:
    """A pod that another cluster completed, as the store keeps it, without what the import removed. Raises BadManifest."""
    pod_from_document(document)
    info, release = KINDS["Pod"], fx.world.release
    whole = {**without_nulls(document), "apiVersion": "v1", "kind": "Pod"}
    whole["metadata"] = {**(whole.get("metadata") or {}), "name": name, "namespace": namespace}
    fill_pod(whole, release=release)
    admit(whole, info, ANY_CLUSTER, release=release, namespace=namespace, suffix=_token_suffix(fx, namespace, name))
    return stored(whole, info)


def _token_suffix(fx: Effects, namespace: str, name: str) -> str:
    """The token's suffix: each pod has a projected volume of its own; the Secret of older versions is one per namespace."""
    owner = next_key(fx, namespace, name) if fx.profile.token_volume_prefix == BOUND_PREFIX else namespace
    return name_suffix(fx.world.header.seed, owner, 0)
