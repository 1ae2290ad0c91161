"""A new pod of a run on its way into the store: what admission looks up is in the tables, what the server draws comes from the seed."""

import json
from typing import Any

from simulator.engine.apiserver.admission.chain import admit
from simulator.engine.apiserver.admission.cluster import LOOKED_UP, Cluster
from simulator.engine.apiserver.admission.surroundings import ANY_CLUSTER, NotAdmitted
from simulator.engine.apiserver.create import CreateRequest, completed, stored
from simulator.engine.apiserver.defaulting.pod import fill_pod
from simulator.engine.apiserver.pods import drawn_suffix, next_key
from simulator.engine.apiserver.refusal import refusal_of
from simulator.engine.kernel.ids import NAME_PREFIX, name_suffix
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import pod_from_document, without_nulls
from simulator.engine.model.service_account import BOUND_PREFIX
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

Json = dict[str, Any]
_TERMINAL = ("Succeeded", "Failed")


def cluster_of(world: World, namespace: str | None = None) -> Cluster:
    """What admission may look up in a world, for one namespace or (None) for any. O(objects), and O(pods) where quotas may count them."""
    spaces = None if namespace is None else ("", namespace)
    rows = [row for row in world.tables.objects.values() if row.kind in LOOKED_UP and (spaces is None or row.namespace in spaces)]
    counts = namespace is None or any(row.kind == "ResourceQuota" for row in rows)
    pods = (row for row in world.tables.pods.values() if row.gone_ms is None and row.status.phase not in _TERMINAL) if counts else ()
    return Cluster(
        objects={(row.kind, row.namespace, row.name): json.loads(row.document) for row in rows},
        pods=tuple((row.namespace, row.pod.spec) for row in pods),
    )


def completed_pod(fx: Effects, document: Json, namespace: str, *, text: str, is_valid: bool = False, dry_run: bool = False) -> Json:
    """The pod as the store of this run keeps it, under the name it gets; ``text`` is its JSON text.

    Raises ApiError, and Refusal with the rule that explains it where a plug-in forbids it.
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


def imported_pod(fx: Effects, document: Json, namespace: str, name: str) -> Json:
    """A pod that another cluster completed, as the store keeps it: with what the import took out. Raises BadManifest."""
    pod_from_document(document)
    info, release = KINDS["Pod"], fx.world.release
    whole = {**without_nulls(document), "apiVersion": "v1", "kind": "Pod"}
    whole["metadata"] = {**(whole.get("metadata") or {}), "name": name, "namespace": namespace}
    fill_pod(whole, release=release)
    admit(whole, info, ANY_CLUSTER, release=release, namespace=namespace, suffix=_token_suffix(fx, namespace, name))
    return stored(whole, info)


def _token_suffix(fx: Effects, namespace: str, name: str) -> str:
    """Each pod has a projected volume of its own; the Secret of older versions is one per namespace."""
    owner = next_key(fx, namespace, name) if fx.profile.token_volume_prefix == BOUND_PREFIX else namespace
    return name_suffix(fx.world.header.seed, owner, 0)
