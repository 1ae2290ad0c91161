"""What an API server answers to the creation of an object, without a cluster at hand: decode, default, admit, validate.

Source: apiserver pkg/endpoints/handlers/create.go, pkg/registry/rest/create.go, plugin/pkg/admission; checked against answers recorded
from a 1.20 server.
"""

import copy
import json
from typing import Any

from msgspec import Struct

from simulator.engine.api.answer import Answer, ApiError, bad_request, invalid_object
from simulator.engine.api.defaults.kinds import default_object
from simulator.engine.api.defaults.pod import default_pod_document
from simulator.engine.api.kinds import KINDS, KindInfo
from simulator.engine.api.manifest import without_nulls
from simulator.engine.api.quantity import parse
from simulator.engine.api.validation import validate_object, validate_pod
from simulator.engine.api.validation.disabled import drop_disabled_fields
from simulator.engine.api.validation.errors import FieldError
from simulator.engine.ids import NAME_PREFIX
from simulator.manifests.admission import EMPTY_CLUSTER, Surroundings, admit_object, check_overhead
from simulator.manifests.catalog import catalog
from simulator.manifests.decoding import first_problem, known_fields, type_problem

Json = dict[str, Any]
_SCHEME = 'in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'
_OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request"
_OTHER_KINDS = (
    *("Binding", "ComponentStatus", "Endpoints", "EphemeralContainers", "Event", "List", "Namespace", "PersistentVolume", "PodList"),
    *("PodTemplate", "ReplicationController", "ServiceAccount", "Status", "DeleteOptions"),
)
"""Kinds of version v1 that are registered, but not among those that are modelled."""
_SHOWN_BYTES = 30
_DRAWN = "xxxxx"
_HAS_VERSION = "resourceVersion should not be set on objects to be created"


def create_answer(
    document: Json,
    *,
    minor: int,
    namespace: str = "default",
    body: str = "",
    strict: bool = False,
    kind: str = "",
    surroundings: Surroundings = EMPTY_CLUSTER,
    dry_run: bool = False,
) -> Answer | None:
    """The refusal of a POST of ``document`` to ``namespace``; None when the object is created.

    ``body`` is the JSON text as it was sent (old decoders quote from it), ``strict`` refuses unknown fields as kubectl asks for,
    ``kind`` is the one that the URL stands for (the document's own when empty).
    A ``dry_run`` ends before the object would be stored. A name that is taken is not looked for. Cost: O(document), about 10 µs a line.
    """
    request = _Request(minor=minor, namespace=namespace, strict=strict, kind=kind, surroundings=surroundings, dry_run=dry_run)
    try:
        _create(document, body or _as_sent(document), request)
    except ApiError as error:
        return error.answer
    return None


class _Request(Struct, frozen=True, kw_only=True):
    minor: int
    namespace: str
    strict: bool
    kind: str
    surroundings: Surroundings
    dry_run: bool


def _as_sent(document: Json) -> str:
    """The body as kubectl sends it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def _create(document: Json, body: str, request: _Request) -> None:
    if problem := type_problem(document):
        raise bad_request(f"the object provided is unrecognized (must be of type {request.kind or 'Pod'}): {problem} ({_summary(body)})")
    info, typed = _typed(document, request)
    decoded = _decoded(typed, body, request)
    metadata = decoded.get("metadata") or {}
    if info.namespaced and metadata.get("namespace") not in (None, "", request.namespace):
        raise bad_request(_OTHER_NAMESPACE)
    whole, known = _defaulted(decoded, info, request), request.surroundings
    admit_object(whole, info, known, namespace=request.namespace, minor=request.minor)
    _name(whole)
    if info.kind == "Pod":
        drop_disabled_fields(whole["spec"], minor=request.minor)
    _validate(whole, info, request)
    check_overhead(whole, info, known)
    if metadata.get("resourceVersion") and not request.dry_run:
        raise ApiError(Answer(code=500, reason="", message=_HAS_VERSION))


def _summary(body: str) -> str:
    sent = body.encode()
    return body if len(sent) <= _SHOWN_BYTES else f"{sent[:_SHOWN_BYTES].decode('utf-8', 'replace')} ..."


def _name(whole: Json) -> None:
    """Give an object that asks for a generated name one, after admission; which letters are drawn is nobody's business."""
    metadata = whole.get("metadata") or {}
    if metadata.get("generateName") and not metadata.get("name"):
        whole["metadata"] = {**metadata, "name": f"{metadata['generateName'][:NAME_PREFIX]}{_DRAWN}"}


def _typed(document: Json, request: _Request) -> tuple[KindInfo, Json]:
    """The kind, and the document with its type; a document without one is what the URL says, a Pod where nothing is said."""
    kind = str(document.get("kind") or request.kind or "Pod")
    info, wanted = KINDS.get(kind), request.kind or kind
    served = info.api_versions(request.minor) if info is not None else ()
    version = str(document.get("apiVersion") or (served[0] if served else "v1"))
    converts = f"converting ({version.rpartition('/')[2]}.{kind}) to (core.{wanted}): unknown conversion"
    if info is None and version == "v1" and kind in _OTHER_KINDS:
        raise _unreadable(kind, version, wanted if wanted in KINDS else "Pod", converts)
    if info is None or version not in served:
        why = f'no kind "{kind}" is registered for version "{version}" {_SCHEME}'
        raise _unreadable(kind, version, wanted if wanted in KINDS else "Pod", why)
    if kind != wanted:
        raise _unreadable(kind, version, wanted, converts)
    return info, {**document, "apiVersion": version, "kind": kind}


def _unreadable(kind: str, version: str, wanted: str, why: str) -> ApiError:
    return bad_request(f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a {wanted}: {why}')


def _decoded(typed: Json, body: str, request: _Request) -> Json:
    """The object that the server reads: fields that it does not know are gone. Raises ApiError."""
    kind, version = typed["kind"], typed["apiVersion"]
    if catalog(request.minor).schema(version, kind) is None:
        plain: Json = without_nulls(typed)
        return plain
    problem = first_problem(typed, body, minor=request.minor, strict=request.strict)
    if problem:
        raise _unreadable(kind, version, kind, problem)
    return known_fields(typed, minor=request.minor)


def _defaulted(decoded: Json, info: KindInfo, request: _Request) -> Json:
    if info.kind == "Pod":
        whole = _as_written(default_pod_document(decoded, minor=request.minor), decoded)
    else:
        whole = default_object(copy.deepcopy(decoded), minor=request.minor)
    if info.namespaced:
        whole["metadata"] = {**(whole.get("metadata") or {}), "namespace": request.namespace}
    return whole


def _as_written(whole: Json, decoded: Json) -> Json:
    """The pod with the amounts of its containers spelled as they were sent, as far as defaulting did not change them."""
    for group in ("containers", "initContainers"):
        for container, sent in zip(whole["spec"].get(group) or (), (decoded.get("spec") or {}).get(group) or (), strict=True):
            written = (sent or {}).get("resources") or {}
            for which in ("limits", "requests"):
                amounts = (container.get("resources") or {}).get(which) or {}
                spelled = {**(written.get("limits") or {}), **(written.get(which) or {})}
                amounts.update({name: spelled[name] for name, value in amounts.items() if _is_same(value, spelled.get(name))})
    return whole


def _is_same(one: Any, other: Any) -> bool:
    return other is not None and parse(one).nano == parse(other).nano


def _validate(whole: Json, info: KindInfo, request: _Request) -> None:
    errors = [*_errors(whole, info, request)]
    if errors:
        name = (whole.get("metadata") or {}).get("name") or ""
        raise invalid_object(info.kind, name, errors, group=info.group)


def _errors(whole: Json, info: KindInfo, request: _Request) -> list[FieldError]:
    if info.kind == "Pod":
        return [error for rule, error in validate_pod(whole, minor=request.minor, defaulted=True) if not rule.warning]
    return [error for rule, error in validate_object(whole, minor=request.minor) if not rule.warning]
