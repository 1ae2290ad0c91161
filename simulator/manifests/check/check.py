"""The only way for manifests to enter the product: text in, checked documents and problems out.

Web forms, the editor, ``simulate`` and scripts all go through ``check_text``, so that a text that the editor accepts is
one that a run accepts. Nothing in a text makes it raise; everything becomes a problem with a position.

The stages, each working on what the previous one let through:

* Read (``read.loader``): YAML to values that know their position.
* Kinds (``kinds``): kinds that no server has, or that are not simulated, are left out.
* Structure (``schema``): the official schema, with the messages of the server's decoder.
* Repair (``decodable``): the server stops at the first value it cannot read, but an author wants to see every problem.
  So the rules judge a copy in which such values are repaired or removed, and whatever they report only because of the
  repair is dropped again.
* Meaning (``semantic``): the same create pipeline that a run uses, up to admission.
* The behaviour annotation, and anything the engine's own reading of a pod rejects.

Documents are judged in order, and each accepted one is added to the cluster that the next one is judged against, as
``kubectl apply`` sends them one by one: a Namespace with a policy or a LimitRange affects the pods after it.

"Required" means less in a schema than in a rule. Schemas require fields that the server fills in or never asks for; the
rules know better. So a schema's finding is dropped if a rule covers the same field, and is a warning if the server
would accept the object.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.admission.cluster import EMPTY, Cluster
from simulator.engine.apiserver.admission.surroundings import ANY_CLUSTER
from simulator.engine.apiserver.create import CreateRequest
from simulator.engine.apiserver.validation.kinds.workloads.templates import pod_template
from simulator.engine.apiserver.wire.catalog import Catalog, catalog, minor_in
from simulator.engine.apiserver.wire.decoding import without_nulls_of
from simulator.engine.apiserver.wire.field_paths import parse_path
from simulator.engine.kernel.bounded import is_digits
from simulator.engine.kernel.errors import BadManifest
from simulator.engine.model.custom import is_custom
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.manifest import check_plain_pod
from simulator.engine.versions.release import Release, release_of
from simulator.manifests.check.behaviours import annotation_path, check_behaviour, with_behaviours_in_json
from simulator.manifests.check.decodable import Decodable, decodable
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.kinds import UNMATCHED, KnownKinds, defined_kinds, kind_findings
from simulator.manifests.check.schema import check_structure
from simulator.manifests.check.semantic import Judged, judge_create, pod_path
from simulator.manifests.problems import ERROR, PROBLEMS_MAX, WARNING, Problem, sorted_problems
from simulator.manifests.read.loader import RawDocument, load
from simulator.manifests.read.nodes import MANIFEST_LIMITS, ReadLimits
from simulator.manifests.texts import _

Names = frozenset[tuple[str, str, str]]
"""Kind, namespace ("" for cluster-scoped kinds) and name of objects."""
ON_CREATE = "cannot be set on create"
"""Part of the message of rules that only apply to new objects."""


class Document(Struct, frozen=True, kw_only=True):
    """One object. ``doc`` is the document as written; ``json`` is its JSON text for the engine, with the behaviour annotation as JSON.

    ``namespace`` is the one the object belongs in ("" for cluster-scoped kinds); ``name`` is "" if one is to be
    generated. ``start`` and ``end`` are its characters in the text.
    """

    index: int
    api_version: str
    kind: str
    name: str
    namespace: str
    json: str
    doc: dict[str, Any]
    start: int = 0
    end: int = 0


class Checked(Struct, frozen=True, kw_only=True):
    """The objects of a text in order, and what is wrong with it. ``raws`` are all documents that could be read, whether
    their kind is known or not.

    ``cluster`` is the given cluster with the accepted objects added. ``passed`` are the characters (start, end) of
    schemas, which were skipped.
    """

    documents: tuple[Document, ...] = ()
    raws: tuple[RawDocument, ...] = ()
    problems: tuple[Problem, ...] = ()
    cluster: Cluster | None = EMPTY
    passed: tuple[tuple[int, int], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the objects can be created; warnings do not matter."""
        return all(problem.severity != ERROR for problem in self.problems)


class _Options(Struct, frozen=True, kw_only=True):
    kinds: KnownKinds
    strict: bool
    namespace: str
    known: Names

    @property
    def catalog(self) -> Catalog:
        return self.kinds.catalog


class _Verdict(Struct, frozen=True, kw_only=True):
    """What was found in a document, and the cluster once it is created (unchanged if it is refused)."""

    found: tuple[Finding | Problem, ...]
    cluster: Cluster | None


def check_text(  # noqa: PLR0913 - what a text is judged against
    text: str | bytes,
    *,
    kubernetes: str,
    strict: bool = True,
    namespace: str = "default",
    known_kinds: frozenset[str] | None = None,
    known: Names = frozenset(),
    limits: ReadLimits | None = None,
    gates: Mapping[str, bool] | None = None,
    cluster: Cluster | None = EMPTY,
) -> Checked:
    """Check a manifest against a Kubernetes version such as ``1.30``; never raises because of anything in the text.

    ``strict`` makes unknown fields errors, otherwise they are warnings. Objects of kinds outside ``known_kinds``
    (default: every kind with a schema, and custom kinds) are left out with a note. An object of a kind that the version
    does not have is left out as ``kubectl apply`` does: that is an error if nothing else is left to apply. What is only
    forbidden on creation does not count against objects that are ``known``.

    ``gates`` are feature gates that differ from their defaults; whether the version has them is not checked here.
    ``cluster`` holds what admission looks up, and each object of the text is added to it; with None, whatever an object
    refers to is assumed to exist.

    Raises ValueError for an invalid version. Cost: about 10 µs a line.
    """
    loaded = load(text, limits=limits or MANIFEST_LIMITS)
    minor = minor_in(kubernetes)
    options = _Options(
        kinds=KnownKinds(
            catalog=catalog(minor),
            release=release_of(minor, gates),
            only=known_kinds,
            defined=defined_kinds([raw.value for raw in loaded.documents]),
        ),
        strict=strict,
        namespace=namespace,
        known=known,
    )
    documents: list[Document] = []
    problems: list[Problem] = list(loaded.problems)
    for raw in loaded.documents:
        verdict = _check_document(raw, options, cluster)
        problems += _placed(raw, verdict.found)
        cluster = verdict.cluster
        document = _document(raw, options)
        if document is not None:
            problems += _placed(raw, _repeated(document, documents))
            documents.append(document)
    # kubectl applies the rest of a text: an unknown kind is an error only if nothing remains.
    if documents:
        problems = [replace(item, severity=WARNING) if item.code == UNMATCHED else item for item in problems]
    if not loaded.documents and not problems:
        problems.append(Problem(severity=ERROR, message=_("the manifest contains no objects"), code="empty", line=1))
    return Checked(
        documents=tuple(documents), raws=loaded.documents, problems=sorted_problems(problems), cluster=cluster, passed=loaded.passed
    )


def _placed(raw: RawDocument, found: Iterable[Finding | Problem]) -> Iterator[Problem]:
    for item in found:
        if isinstance(item, Problem):
            yield item
            continue
        yield placed(raw, item)


def placed(raw: RawDocument, item: Finding) -> Problem:
    """A finding with its position in the text."""
    spot = raw.spot(item.path, key=item.at_key)
    return Problem(
        severity=item.severity,
        message=item.message,
        code=item.code,
        line=spot.line,
        column=spot.column,
        start=spot.start,
        end=spot.end,
        document=raw.index,
        path=item.path,
        hint=item.hint,
        why=item.why,
        doc=item.doc,
        filled=item.filled,
    )


def _check_document(raw: RawDocument, options: _Options, cluster: Cluster | None) -> _Verdict:
    left_out = tuple(kind_findings(raw.value, options.kinds))
    if left_out:
        return _Verdict(found=left_out, cluster=cluster)
    if is_custom(raw.value["apiVersion"], raw.value["kind"]):
        return _Verdict(found=tuple(_check_custom(raw, options)), cluster=cluster)
    place = _names(raw.value, options.namespace)
    # An object that already exists in the run will be changed, not created.
    exists = place in options.known
    schema = options.catalog.schema(raw.value["apiVersion"], raw.value["kind"]) or {}
    plain = without_nulls_of(raw.value, schema)
    # Otherwise a hostile text could produce a finding for each of its values.
    structure = list(islice(check_structure(plain, minor=options.catalog.minor, lenient=not options.strict), PROBLEMS_MAX))
    copy = decodable(plain, structure, minor=options.catalog.minor)
    if copy is None:
        return _Verdict(found=tuple(structure), cluster=cluster)
    judged = judge_create(copy.document, _request(_names(copy.document, options.namespace), options.kinds.release, cluster), exists=exists)
    semantics = [item for item in judged.findings if copy.holds(item) and not (exists and ON_CREATE in item.message)]
    found: list[Finding | Problem] = [*_structural(structure, judged, copy, semantics), *semantics]
    broken = any(item.severity == ERROR for item in found)
    # The engine reads the pod last: problems with a message from the API server come first.
    found += _check_pod(copy.document, raw, broken=broken)
    if cluster is not None and judged.whole is not None and not exists and all(item.severity != ERROR for item in found):
        cluster = cluster.after(place, judged.whole)
    return _Verdict(found=tuple(found), cluster=cluster)


def _check_custom(raw: RawDocument, options: _Options) -> Iterator[Finding | Problem]:
    """What every API server requires of the metadata of an object whose kind it does not know: the same as for a ConfigMap."""
    like = {"apiVersion": "v1", "kind": "ConfigMap", **({"metadata": raw.value["metadata"]} if "metadata" in raw.value else {})}
    return iter(_check_document(replace(raw, value=like), options, None).found)


def _request(place: tuple[str, str, str], release: Release, cluster: Cluster | None) -> CreateRequest:
    kind, namespace, _name = place
    surroundings = ANY_CLUSTER if cluster is None else cluster.around(namespace)
    return CreateRequest(release=release, namespace=namespace, kind=kind, surroundings=surroundings)


def _structural(structure: list[Finding], judged: Judged, copy: Decodable, semantics: list[Finding]) -> Iterator[Finding]:
    """The findings of the schema that add to those of the rules, which know better what is missing.

    Only the rules of a server require fields, not its schema. So a field that the schema requires is a warning if
    nothing else is wrong with the object, and is not reported at all if the server fills it in.
    """
    answered = {item.path for item in semantics}
    accepted = not any(item.severity == ERROR and item.code != "required" for item in (*structure, *semantics))
    for item in structure:
        if item.code != "required":
            yield item
        elif item.path not in answered and copy.holds(item) and (judged.filled is None or _is_missing(judged.filled, item.path)):
            yield replace(item, severity=WARNING) if accepted else item


def _is_missing(whole: Any, path: str) -> bool:
    """Whether the object, as filled in by the server, has the field's parent but not the field itself."""
    *parents, last = parse_path(path)
    for step in parents:
        if isinstance(whole, list) and is_digits(step) and len(step) < 10 and int(step) < len(whole):
            whole = whole[int(step)]
        elif isinstance(whole, dict) and step in whole:
            whole = whole[step]
        else:
            return False
    return isinstance(whole, dict) and last not in whole


def _check_pod(document: dict[str, Any], raw: RawDocument, *, broken: bool) -> Iterator[Finding | Problem]:
    kind = document["kind"]
    pod = document if kind == "Pod" else pod_template(document)
    if pod is None:
        return
    prefix = pod_path(kind)
    yield from check_behaviour(pod, raw, path=annotation_path(prefix))
    if broken or kind != "Pod":  # a template is only stored; the pods made from it are judged when they are created
        return
    try:
        check_plain_pod(pod)
    except BadManifest as error:
        yield Finding(path=f"{prefix}{error.path}", message=error.problem, code="bad-value")


def _document(raw: RawDocument, options: _Options) -> Document | None:
    if any(True for _finding in kind_findings(raw.value, options.kinds)):
        return None
    doc: dict[str, Any] = raw.value
    kind, namespace, name = _names(doc, options.namespace)
    return Document(
        index=raw.index,
        api_version=doc["apiVersion"],
        kind=kind,
        name=name,
        namespace=namespace,
        json=json.dumps(_for_engine(doc, kind), ensure_ascii=False, separators=(",", ":")),
        doc=doc,
        start=raw.node.start,
        end=raw.node.end,
    )


def _for_engine(document: dict[str, Any], kind: str) -> dict[str, Any]:
    """The document with the behaviours of its pods as JSON, which the engine reads."""
    info = KINDS.get(kind)
    has_pods = kind == "Pod" or (info is not None and info.template)
    return with_behaviours_in_json(document, info.template if info is not None else "") if has_pods else document


def _names(doc: dict[str, Any], default: str) -> tuple[str, str, str]:
    """Kind, namespace ("" for cluster-scoped kinds) and name ("" if it has none) of a document."""
    metadata = doc.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name, namespace = metadata.get("name"), metadata.get("namespace")
    own = namespace if isinstance(namespace, str) and namespace else default
    info = KINDS.get(doc["kind"])
    return doc["kind"], own if info is None or info.namespaced else "", name if isinstance(name, str) else ""


def _repeated(document: Document, before: list[Document]) -> Iterator[Finding]:
    same = (document.kind, document.namespace, document.name)
    if document.name and any((item.kind, item.namespace, item.name) == same for item in before):
        message = _('%(kind)s "%(name)s" appears twice in the manifest') % {"kind": document.kind, "name": document.name}
        yield Finding(path="metadata.name", message=message, code="already-exists")
