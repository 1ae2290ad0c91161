"""The semantic check: what the API server rejects although every field has the right type.

The stages are the store's own (``simulator.engine.apiserver.create``): decode, default, admit, drop, validate, judge.
They are called one by one, because the store stops at the first stage that refuses, while an author wants the results
of the others as well. After a refusal by mutating admission, validation still runs, but does not report as missing what
admission would have added. Validating admission is only asked about a valid object, because its answers about others
mean little.

An object that exists is changed rather than created: admission of new objects and the rules for creation are skipped,
and the preview of the run reports whether the change is accepted.

A finding about a field that was not written, because defaulting or admission added it, is placed at the nearest one
that was. In a few places, where the server uses fields of its internal types, its field paths differ from the
manifest's (``_WRITTEN_AS``).
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
"""Field paths that the API server names differently from the manifest."""


class Judged(Struct, frozen=True, kw_only=True):
    """The result of creating a document: ``findings``, and the ``whole`` object that would be stored (None if it is refused).

    ``filled`` is the document with what the server adds to it, even if it is refused; None if it cannot be decoded.
    """

    findings: tuple[Finding, ...] = ()
    whole: Json | None = None
    filled: Json | None = None


def judge_create(document: Json, request: CreateRequest, *, exists: bool = False) -> Judged:
    """Create an object from a document that passed the structural check, without nulls, and report everything that is wrong with it.

    Where the store stops at a refusal, the later stages still run as far as possible: the author of a manifest wants to
    see all problems at once. An object that ``exists`` is changed instead, and checks for new objects are skipped.
    Cost: O(document).
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
    """What the store checks in an object that is valid."""
    if is_sound and (refused := _refused(lambda: judge(whole, info, request.surroundings, release=request.release))) is not None:
        yield refused
    if has_version(whole):
        yield Finding(path="metadata.resourceVersion", message=HAS_VERSION, code="resource-version")


def _warned(whole: Json, info: KindInfo, request: CreateRequest) -> Iterator[Finding]:
    """The server's warnings when it stores the object."""
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
    """The field path of the pod inside a document of that kind, ending with a dot; "" for a Pod itself."""
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
    """The manifest's path for a field as the API server names it."""
    for said, written in _WRITTEN_AS:
        if said in path:
            return path.replace(said, written, 1)
    # A ConfigMap that is too large is reported at an empty path.
    return "data" if path == "[]" else path
