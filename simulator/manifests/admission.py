"""What admission refuses and adds when an object is created, without a cluster at hand.

Source: plugin/pkg/admission/{namespace/lifecycle,serviceaccount,priority,runtimeclass}.
"""

from collections.abc import Collection
from typing import Any

from msgspec import Struct

from simulator.engine.api.answer import ApiError, forbidden_object, not_found
from simulator.engine.api.defaults.admission import PRIORITIES, add_node_tolerations, add_priority, add_service_account, token_volume
from simulator.engine.api.kinds import KindInfo

Json = dict[str, Any]
_BOUND_TOKENS_SINCE = 21
_MIRROR = "kubernetes.io/config.mirror"
_NOT_BY_HAND = "must not be provided in pod spec; priority admission controller computed"
_FROM_CLASS = "from the given PriorityClass name"
_PREEMPTS = "PreemptLowerPriority"


class Surroundings(Struct, frozen=True, kw_only=True):
    """The objects that admission looks up by name; what an empty cluster has, unless said otherwise. None: any name is there."""

    namespaces: Collection[str] | None = None
    service_accounts: Collection[str] | None = ("default",)
    priority_classes: Collection[str] | None = tuple(PRIORITIES)
    runtime_classes: Collection[str] | None = ()


EMPTY_CLUSTER = Surroundings()


def admit_object(whole: Json, info: KindInfo, known: Surroundings, *, namespace: str, minor: int) -> None:
    """Look up what the object names and add what admission adds, in place, in the order of the plug-ins. Raises ApiError."""
    if info.namespaced and known.namespaces is not None and namespace not in known.namespaces:
        raise not_found("namespaces", namespace)
    if info.kind != "Pod":
        return
    spec = whole["spec"]
    if _MIRROR in (_metadata(whole).get("annotations") or {}):
        _check_mirror(whole)
    else:
        _admit_account(whole, known, namespace=namespace, minor=minor)
    _check_priority(whole, known)
    add_priority(spec)
    add_node_tolerations(spec)
    runtime = spec.get("runtimeClassName")
    if runtime and known.runtime_classes is not None and runtime not in known.runtime_classes:
        raise _forbidden(whole, f'pod rejected: RuntimeClass "{runtime}" not found')


def check_overhead(whole: Json, info: KindInfo, known: Surroundings) -> None:
    """Overhead comes with a runtime class; this is looked at when all else is well. Raises ApiError."""
    spec = whole.get("spec") or {}
    if info.kind == "Pod" and spec.get("overhead") is not None and not spec.get("runtimeClassName"):
        raise _forbidden(whole, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")


def _metadata(whole: Json) -> Json:
    return whole.get("metadata") or {}


def _forbidden(whole: Json, why: str) -> ApiError:
    metadata = _metadata(whole)
    return forbidden_object("pods", metadata.get("name") or metadata.get("generateName") or "Unknown", why)


def _check_mirror(whole: Json) -> None:
    """The mirror of a static pod refers to nothing in the API server."""
    spec = whole["spec"]
    volumes = spec.get("volumes") or ()
    if spec.get("serviceAccountName") or spec.get("serviceAccount"):
        raise _forbidden(whole, "a mirror pod may not reference service accounts")
    if any(volume.get("secret") for volume in volumes) or spec.get("imagePullSecrets"):
        raise _forbidden(whole, "a mirror pod may not reference secrets")
    sources = [source for volume in volumes for source in (volume.get("projected") or {}).get("sources") or ()]
    if any(source.get("serviceAccountToken") is not None for source in sources):
        raise _forbidden(whole, "a mirror pod may not use ServiceAccountToken volume projections")


def _admit_account(whole: Json, known: Surroundings, *, namespace: str, minor: int) -> None:
    spec = whole["spec"]
    account = spec.get("serviceAccountName") or spec.get("serviceAccount") or "default"
    if known.service_accounts is not None and account not in known.service_accounts:
        why = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
        raise _forbidden(whole, why)
    add_service_account(spec, token_volume(f"{account}-token-xxxxx", bound=minor >= _BOUND_TOKENS_SINCE))


def _check_priority(whole: Json, known: Surroundings) -> None:
    """The class is there, and nobody writes a number or a preemption that it does not stand for."""
    spec = whole["spec"]
    wanted = spec.get("priorityClassName") or ""
    if wanted and known.priority_classes is not None and wanted not in known.priority_classes:
        raise _forbidden(whole, f"no PriorityClass with name {wanted} was found")
    if wanted and wanted not in PRIORITIES:
        return
    priority, preemption, computed = spec.get("priority"), spec.get("preemptionPolicy"), PRIORITIES.get(wanted, 0)
    if priority is not None and priority != computed:
        raise _forbidden(whole, f"the integer value of priority ({priority}) {_NOT_BY_HAND} {computed} {_FROM_CLASS}")
    if preemption is not None and preemption != _PREEMPTS:
        raise _forbidden(whole, f"the string value of PreemptionPolicy ({preemption}) {_NOT_BY_HAND} {_PREEMPTS} {_FROM_CLASS}")
