"""A new pod of a run on its way into the store: what admission looks up is in the tables, what the server draws comes from the seed."""

import json
from collections.abc import Mapping
from typing import Any

from simulator.engine.apiserver.admission.chain import admit
from simulator.engine.apiserver.admission.resource_quota import used_by
from simulator.engine.apiserver.admission.surroundings import SYSTEM_CLASSES, NotAdmitted, PriorityClass, Quota, Surroundings
from simulator.engine.apiserver.create import CreateRequest, completed, stored
from simulator.engine.apiserver.defaulting.pod import fill_pod
from simulator.engine.apiserver.pods import drawn_suffix, next_key
from simulator.engine.apiserver.refusal import refusal_of
from simulator.engine.kernel.ids import NAME_PREFIX, name_suffix
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import pod_from_document, without_nulls
from simulator.engine.model.service_account import BOUND_PREFIX
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject

Json = dict[str, Any]
_ASKED_FOR = frozenset({"PriorityClass", "RuntimeClass", "LimitRange", "ResourceQuota"})
_EMPTY = Surroundings(service_accounts=None)
"""Service accounts, as namespaces, need not be created."""
_ANYWHERE = Surroundings(service_accounts=None, priority_classes=None, runtime_classes=None)
_TERMINAL = ("Succeeded", "Failed")


def surroundings_of(fx: Effects, namespace: str) -> Surroundings:
    """What admission of a pod in that namespace may look up. O(objects), and O(pods) where the namespace has a quota."""
    found = [row for row in fx.tables.objects.values() if row.kind in _ASKED_FOR and row.namespace in ("", namespace)]
    if not found:
        return _EMPTY
    documents = [(row, json.loads(row.document)) for row in found]
    classes = {row.name: document for row, document in documents if row.kind == "PriorityClass"}
    limits = (document for row, document in documents if row.kind == "LimitRange")
    return Surroundings(
        service_accounts=None,
        priority_classes={**{name: _class(document) for name, document in classes.items()}, **SYSTEM_CLASSES},
        default_class=next((name for name, document in classes.items() if document.get("globalDefault")), ""),
        runtime_classes={row.name: document for row, document in documents if row.kind == "RuntimeClass"},
        limits=tuple(item for document in limits for item in (document.get("spec") or {}).get("limits") or ()),
        quotas=tuple(_quota(fx, row, document) for row, document in documents if row.kind == "ResourceQuota"),
    )


def _class(document: Mapping[str, Any]) -> PriorityClass:
    policy = document.get("preemptionPolicy")
    return PriorityClass(int(document.get("value") or 0), *((str(policy),) if policy else ()))


def _quota(fx: Effects, row: ApiObject, document: Mapping[str, Any]) -> Quota:
    hard = (document.get("spec") or {}).get("hard") or {}
    pods = (pod for pod in fx.tables.pods.values() if pod.namespace == row.namespace and pod.gone_ms is None)
    counted = (pod.pod.spec for pod in pods if pod.status.phase not in _TERMINAL)
    return Quota(name=row.name, hard=hard, used=used_by(counted, hard))


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
        surroundings=surroundings_of(fx, namespace),
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
    admit(whole, info, _ANYWHERE, release=release, namespace=namespace, suffix=_token_suffix(fx, namespace, name))
    return stored(whole, info)


def _token_suffix(fx: Effects, namespace: str, name: str) -> str:
    """Each pod has a projected volume of its own; the Secret of older versions is one per namespace."""
    owner = next_key(fx, namespace, name) if fx.profile.token_volume_prefix == BOUND_PREFIX else namespace
    return name_suffix(fx.world.header.seed, owner, 0)
