"""The path of a new object: decode, default, admit, drop disabled fields, validate.

One pipeline serves every caller. The store of a run passes the cluster's objects as surroundings;
editors, ``simulate`` and the checks of imports pass what they know of a cluster. What comes out is
what is stored and shown, so an editor judges an object as the run does.

The order is the server's, and each step relies on the one before:

* Decode. Fields of the wrong type are a 400 here and never reach validation. Fields that the
  version does not know are dropped, or refused under strict validation, which kubectl asks for.
* Default, by version. Validation may therefore assume that defaulted fields are set.
* Mutating admission. It sees defaults, and what it adds can need defaults in turn: the server
  writes limits set by LimitRanger into the object as it is stored and fills in the requests
  whenever it is read. Here that is done once, directly after admission.
* Drop fields whose feature gate is off (the strategy's PrepareForCreate), then generate the name.
  Both come after admission, which is why plug-ins' messages show the prefix.
* Validate: all errors at once, as causes of one 422.
* Validating admission: one refusal, a 403.
* A resourceVersion on a new object is found last, by the storage layer, and is a 500. A dry run
  does not get that far and succeeds.

Errors print amounts as they were sent, while defaulting has already made them canonical. So the
rules run on the canonical object first and, only if they object, a second time on a copy with the
amounts as written. The second run costs nothing for the pods that are fine.

Source: apiserver pkg/endpoints/handlers/create.go, pkg/registry/rest/create.go,
plugin/pkg/admission; checked against answers recorded from a 1.20 server.
"""

import copy
import json
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.admission.chain import admit, judge
from simulator.engine.apiserver.admission.surroundings import EMPTY_CLUSTER, Surroundings
from simulator.engine.apiserver.answer import Answer, ApiError, bad_request, invalid_object
from simulator.engine.apiserver.defaulting.kinds import fill_object
from simulator.engine.apiserver.defaulting.pod import fill_pod
from simulator.engine.apiserver.defaulting.serialized import as_serialized
from simulator.engine.apiserver.validation import KindRule, Rule, validate_object, validate_pod
from simulator.engine.apiserver.validation.disabled import drop_disabled_fields, drop_disabled_of_kind
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.kinds.workloads.templates import pod_template
from simulator.engine.apiserver.validation.pod_rules import fields
from simulator.engine.apiserver.wire.decoding import first_problem, read_typed, type_problem
from simulator.engine.kernel.ids import NAME_PREFIX
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS, KindInfo
from simulator.engine.model.meta import without_empty, without_managed
from simulator.engine.model.quantity import parse
from simulator.engine.versions.release import Release

Objection = tuple[Rule | KindRule, FieldError]
"""A rule and the error it found."""
_SCHEME = 'in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'
_OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request"
_OTHER_KINDS = (
    *("Binding", "ComponentStatus", "Endpoints", "EphemeralContainers", "Event", "List", "Namespace", "PersistentVolume", "PodList"),
    *("PodTemplate", "ReplicationController", "ServiceAccount", "Status", "DeleteOptions"),
)
"""Kinds of version v1 that are registered but not modelled."""
STATUS_BESIDE = ("PodDisruptionBudget", "ResourceQuota")
"""Kinds whose status is computed; a status that is sent is not kept."""
_SHOWN_BYTES = 30
_DRAWN = "xxxxx"
HAS_VERSION = "resourceVersion should not be set on objects to be created"


class CreateRequest(Struct, frozen=True, kw_only=True):
    """A POST to ``namespace``. ``strict`` refuses unknown fields, which kubectl asks for; ``kind`` is the kind of the URL (the document's
    own when empty); a ``dry_run`` ends before the object would be stored.

    ``suffix`` stands for the server's random characters: the end of a generated name and, without a ``token``, of the token volume's name.
    """

    release: Release
    namespace: str = "default"
    strict: bool = False
    kind: str = ""
    surroundings: Surroundings = EMPTY_CLUSTER
    dry_run: bool = False
    suffix: str = _DRAWN
    token: str = ""


def create_answer(document: Any, request: CreateRequest, *, body: str = "") -> Answer | None:
    """The refusal of a POST of ``document``; None when the object is created. Whether the name is taken is not checked.

    ``body`` is the JSON text as it was sent (old decoders quote from it); without one, the text that kubectl sends. Cost: O(document).
    """
    try:
        completed(document, request, body=body)
    except ApiError as error:
        return error.answer
    return None


def completed(document: Any, request: CreateRequest, *, body: str = "", is_valid: bool = False) -> Json:
    """The complete object that a create stores: the known fields that were sent, with defaults and what admission adds.

    Excludes the metadata that the store keeps separately (uid, times, revision) and the status. ``is_valid`` skips decoding errors and
    validation, for callers that have already asked for the answer. Raises ApiError, and NotAdmitted if a plug-in refuses. Cost:
    O(document), about 0.3 ms for a pod.
    """
    if not body:
        body = as_sent(document)
        document = json.loads(body)
    info, decoded = decode_object(document, body, request, is_valid=is_valid)
    whole = default(decoded, info, request)
    enter(whole, info, request)
    finish(whole, info, request)
    if not is_valid:
        validate(whole, info, request, sent=document)
    judge(whole, info, request.surroundings, release=request.release)
    # The storage layer finds this, so it comes after every other check and not in a dry run.
    if not (is_valid or request.dry_run) and has_version(whole):
        raise ApiError(Answer(code=500, reason="", message=HAS_VERSION))
    return stored(whole, info)


def enter(whole: Json, info: KindInfo, request: CreateRequest) -> None:
    """Apply to a defaulted object, in place, what admission adds. Raises ApiError, and NotAdmitted if a plug-in refuses."""
    admit(whole, info, request.surroundings, release=request.release, namespace=request.namespace, suffix=request.token or request.suffix)
    if info.kind == "Pod" and request.surroundings.limits:
        fill_pod(whole, release=request.release)  # what LimitRanges set gets its defaults when the object is read back


def finish(whole: Json, info: KindInfo, request: CreateRequest) -> None:
    """Take the last steps before validation, in place: drop disabled fields, and generate the name if one is asked for."""
    drop_disabled_fields_of(whole, info, request.release)
    _name(whole, request.suffix)


def drop_disabled_fields_of(whole: Json, info: KindInfo, release: Release) -> None:
    """Remove the fields whose features are off from an object and from the pod template of a workload, in place."""
    drop_disabled_of_kind(whole, release=release)
    holder = whole if info.kind == "Pod" else pod_template(whole) if info.template else None
    if holder is not None:
        drop_disabled_fields(fields(holder, "spec"), release=release)


def has_version(whole: Json) -> bool:
    """Whether an object names a resourceVersion, which a new one may not."""
    version = str((whole.get("metadata") or {}).get("resourceVersion") or "")
    return version.isdecimal() and bool(version.strip("0"))


def as_sent(document: Any) -> str:
    """The body as kubectl sends it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def decode_object(document: Any, body: str, request: CreateRequest, *, is_valid: bool = False) -> tuple[KindInfo, Json]:
    """The kind, and the object as the server reads it, without nulls and unknown fields. Raises ApiError (400)."""
    if problem := type_problem(document):
        raise bad_request(f"the object provided is unrecognized (must be of type {request.kind or 'Pod'}): {problem} ({_summary(body)})")
    info, typed = _typed(document, request)
    kind, version, minor = typed["kind"], typed["apiVersion"], request.release.minor
    decoded, problem = read_typed(typed, body, minor=minor, is_valid=is_valid)
    # Strict errors are reported only for a body that decodes; a wrong type comes first.
    if not problem and request.strict and not is_valid:
        problem = first_problem(typed, body, minor=minor, strict=True)
    if problem:
        raise _unreadable(kind, version, kind, problem)
    if info.namespaced and (decoded.get("metadata") or {}).get("namespace") not in (None, "", request.namespace):
        raise bad_request(_OTHER_NAMESPACE)
    return info, decoded


def _summary(body: str) -> str:
    sent = body.encode()
    return body if len(sent) <= _SHOWN_BYTES else f"{sent[:_SHOWN_BYTES].decode('utf-8', 'replace')} ..."


def _typed(document: Json, request: CreateRequest) -> tuple[KindInfo, Json]:
    """The kind, and the document with its type; a document without a type is of the URL's kind, or a Pod if there is none."""
    kind = str(document.get("kind") or request.kind or "Pod")
    info, wanted = KINDS.get(kind), request.kind or kind
    served = info.api_versions(request.release.minor) if info is not None else ()
    version = str(document.get("apiVersion") or (served[0] if served else "v1"))
    converts = f"converting ({version.rpartition('/')[2]}.{kind}) to (core.{wanted}): unknown conversion"
    # Registered kinds fail in conversion, unknown ones at the scheme: two different messages.
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


def default(decoded: Json, info: KindInfo, request: CreateRequest) -> Json:
    """Fill in the defaults of the object and the namespace of the request, in place; returns the object."""
    if info.kind == "Pod":
        fill_pod(decoded, release=request.release)
    else:
        fill_object(decoded, release=request.release)
    if info.namespaced:
        decoded["metadata"] = {**(decoded.get("metadata") or {}), "namespace": request.namespace}
    return decoded


def _name(whole: Json, suffix: str) -> None:
    """Generate the name of an object that asks for one; runs after admission."""
    metadata = whole.get("metadata") or {}
    if metadata.get("generateName") and not metadata.get("name"):
        whole["metadata"] = {**metadata, "name": f"{metadata['generateName'][:NAME_PREFIX]}{suffix}"}


def validate(whole: Json, info: KindInfo, request: CreateRequest, *, sent: Json) -> None:
    """Raise ApiError (422) with all errors of a new, complete object; amounts are quoted as they were ``sent``."""
    errors = [error for rule, error in objections(whole, info, request.release, sent=sent) if not rule.warning]
    if errors:
        name = (whole.get("metadata") or {}).get("name") or ""
        raise invalid_object(info.kind, name, errors, group=info.group)


def objections(
    whole: Json, info: KindInfo, release: Release, *, sent: Json, is_admitted: bool = True, limit: int | None = None
) -> list[Objection]:
    """The errors and warnings of a new object with its defaults; amounts are quoted as they were ``sent``.

    ``is_admitted``: admission has added its part, so that whatever is still missing is an error. At most ``limit`` errors and ``limit``
    warnings are returned. Cost: O(document).
    """
    found = _limited(_judged(whole, info, release, is_admitted=is_admitted), limit)
    if info.kind == "Pod" and any(not rule.warning for rule, _ in found):
        found = _limited(_judged(_as_written(whole, sent), info, release, is_admitted=is_admitted), limit)
    return found


def _judged(whole: Json, info: KindInfo, release: Release, *, is_admitted: bool) -> Iterator[Objection]:
    if info.kind == "Pod":
        return validate_pod(whole, release=release, defaulted=is_admitted)
    return validate_object(whole, release=release)


def _limited(found: Iterator[Objection], limit: int | None) -> list[Objection]:
    if limit is None:
        return list(found)
    kept: list[Objection] = []
    left = {True: limit, False: limit}
    for item in found:
        if left[item[0].warning]:
            left[item[0].warning] -= 1
            kept.append(item)
        # Enough errors end the search, and with it the warnings that would follow.
        if not left[False]:
            break
    return kept


def _as_written(whole: Json, sent: Json) -> Json:
    """The pod with the amounts of its containers spelled as they were sent, as far as defaulting did not change them."""
    found = copy.deepcopy(whole)
    for group in ("containers", "initContainers"):
        # Defaulting adds no containers and keeps their order, so both lists correspond.
        for container, own in zip(found["spec"].get(group) or (), (sent.get("spec") or {}).get(group) or (), strict=True):
            written = (own or {}).get("resources") or {}
            for which in ("limits", "requests"):
                amounts = (container.get("resources") or {}).get(which) or {}
                # A request that was defaulted from a limit is shown as the limit was written.
                spelled = {**(written.get("limits") or {}), **(written.get(which) or {})}
                amounts.update({name: spelled[name] for name, value in amounts.items() if _is_same(value, spelled.get(name))})
    return found


def _is_same(one: Any, other: Any) -> bool:
    return other is not None and parse(one).nano == parse(other).nano


def stored(whole: Json, info: KindInfo) -> Json:
    """The object as it is stored and shown: as the server writes it, without the metadata that the store keeps separately."""
    if info.kind != "Pod":
        kept: Json = without_managed(whole)
        if kept.get("metadata"):
            kept = {**kept, "metadata": without_empty(kept["metadata"])}
        return {key: value for key, value in kept.items() if key != "status" or info.kind not in STATUS_BESIDE}
    metadata = without_empty(without_managed(whole)["metadata"])
    return {"apiVersion": whole["apiVersion"], "kind": "Pod", "metadata": metadata, "spec": as_serialized(whole["spec"])}
