"""The semantic check: what the API server rejects although every field has the right type.

The stages are the store's own (``simulator.engine.apiserver.create``): decode, default, admit,
drop, validate, judge. They are called one by one, because the store stops at the first stage that
refuses, and an author wants to hear the others too. After a refusal by mutating admission,
validation still runs, but does not count as missing what admission would have added; validating
admission is only asked about an object that is sound, since its answers about others mean little.

An object that exists is changed rather than created: admission for new objects and the rules for
creation are left out, and the preview of the run tells what its change meets.

What the stages say of a field that was not written, because defaulting or admission added it,
stands at the nearest one that was. The server's own field paths differ from the manifest's in a few
places, where it names fields of its internal types (``_WRITTEN_AS``).
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from simulator.engine.apiserver.admission.chain import judge, security_remarks
from simulator.engine.apiserver.admission.surroundings import NotAdmitted
from simulator.engine.apiserver.answer import ApiError, shortened
from simulator.engine.apiserver.create import (
    HAS_VERSION,
    CreateRequest,
    as_sent,
    decode_object,
    default,
    enter,
    finish,
    has_version,
    objections,
)
from simulator.engine.apiserver.validation import FieldError, KindRule, Rule
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS, KindInfo
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import ERROR, PROBLEMS_MAX, WARNING

_WRITTEN_AS = (
    (".template.labels", ".template.metadata.labels"),
    (".template.annotations", ".template.metadata.annotations"),
    ("metadata.taints", "spec.taints"),
    ("spec.LoadBalancerSourceRanges", "spec.loadBalancerSourceRanges"),
    ("resources[storage]", "resources.requests.storage"),
    ("spec.HostPID", "spec.hostPID"),
    ("spec.HostIPC", "spec.hostIPC"),
    ("spec.securityContext.shareProcessNamespace", "spec.shareProcessNamespace"),
    ("spec.overhead.limits", "spec.overhead"),
    (".persistentDisk", ".gcePersistentDisk"),
)
"""Field paths that the API server names otherwise than they are written in a manifest."""


class Judged(Struct, frozen=True, kw_only=True):
    """What a create says of a document: ``findings``, and the ``whole`` object that would be stored (None where it is refused).

    ``filled`` is the document with what the server adds to it, refused or not; None where it cannot be decoded.
    """

    findings: tuple[Finding, ...] = ()
    whole: Json | None = None
    filled: Json | None = None


def judge_create(document: Json, request: CreateRequest, *, exists: bool = False) -> Judged:
    """Send a document that passed the structural check, without nulls, the way of a new object, and tell all that stands against it.

    Where the store stops at a refusal, the stages after it are asked as far as they can be: whoever writes a manifest wants to know of
    everything at once. An object that ``exists`` is changed instead: what is looked at for new ones only is left out. Cost: O(document).
    """
    try:
        info, whole = decode_object(document, as_sent(document), request)
    except ApiError as error:
        return Judged(findings=(_refusal(error, "", "undecodable"),))
    default(whole, info, request)
    findings: list[Finding] = []
    refused = None if exists else _refused(lambda: enter(whole, info, request))
    if refused is not None:
        findings.append(refused)
    finish(whole, info, request)
    found = objections(whole, info, request.release, sent=document, is_admitted=not exists and refused is None, limit=PROBLEMS_MAX)
    findings += (_finding(rule, error) for rule, error in found)
    if not exists:
        findings += _last_refusals(whole, info, request, is_sound=all(item.severity != ERROR for item in findings))
    accepted = all(item.severity != ERROR for item in findings)
    if accepted and not exists:
        findings += _warned(whole, info, request)
    return Judged(findings=tuple(findings), whole=whole if accepted else None, filled=whole)


def _last_refusals(whole: Json, info: KindInfo, request: CreateRequest, *, is_sound: bool) -> Iterator[Finding]:
    """What the store asks of an object that is valid."""
    if is_sound and (refused := _refused(lambda: judge(whole, info, request.surroundings, release=request.release))) is not None:
        yield refused
    if has_version(whole):
        yield Finding(path="metadata.resourceVersion", message=HAS_VERSION, code="resource-version")


def _warned(whole: Json, info: KindInfo, request: CreateRequest) -> Iterator[Finding]:
    """What the server warns of when it stores the object."""
    for rule, text in security_remarks(whole, info, request.surroundings, release=request.release):
        if rule == "POD-SECURITY-WARN":
            yield Finding(path="spec", message=text, code=rule.lower(), severity=WARNING, at_key=True)


def _refused(act: Callable[[], None]) -> Finding | None:
    try:
        act()
    except NotAdmitted as error:
        return _refusal(error, error.field, error.rule.lower() or "not-admitted")
    except ApiError as error:
        return _refusal(error, "", "not-admitted")
    return None


def _refusal(error: ApiError, path: str, code: str) -> Finding:
    return Finding(path=path, message=shortened(error.answer).message, code=code)


def pod_path(kind: str) -> str:
    """The field path of the pod inside a document of that kind, with a trailing dot; "" for a Pod itself."""
    info = KINDS.get(kind)
    return f"{info.template}." if info is not None and info.template else ""


def _finding(rule: Rule | KindRule, error: FieldError) -> Finding:
    return Finding(
        path=_written(error.field),
        message=error.message,
        code=rule.id.lower(),
        severity=WARNING if rule.warning else ERROR,
    )


def _written(path: str) -> str:
    """The path in the manifest of a field that the API server names."""
    for said, written in _WRITTEN_AS:
        if said in path:
            return path.replace(said, written, 1)
    # The size of a ConfigMap is reported at an empty path.
    return "data" if path == "[]" else path
