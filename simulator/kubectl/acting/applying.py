"""What kubectl does with manifests besides sending them: what it prints, what it replaces, and how they differ from the live objects.

Source: kubectl pkg/cmd/{apply,create,replace,diff}.
"""

import difflib
import json
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.course.step import apply
from simulator.engine.kernel.json_text import Json, decode
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.meta import LAST_APPLIED
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import Step, Target, targets
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.output.managed import with_managers
from simulator.kubectl.output.printer import print_object
from simulator.kubectl.output.texts import json_text, ordered
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.yaml import to_yaml

_TYPED_LIST = Span(until=30)
"""The kubectl versions that print a List as a Go struct, whose fields have their own order."""
_SOURCE = 'error when {} "STDIN": '


def full_name(document: Json) -> str:
    """``deployment.apps/web``; for a generated name, its prefix."""
    group, metadata = document["apiVersion"].rpartition("/")[0], document["metadata"]
    return f"{document['kind'].lower()}{f'.{group}' if group else ''}/{metadata.get('name') or metadata.get('generateName')}"


def placed(document: Json, space: str, sight: Sight) -> Json:
    """The manifest with its namespace set, as kubectl sends it: the line's namespace if the kind is namespaced and it names none."""
    info, metadata = kind_in(sight.world, document["kind"]), document["metadata"]
    if metadata.get("namespace") or (info is not None and not info.namespaced):
        return document
    return {**document, "metadata": {**metadata, "namespace": space}}


def space_of(document: Json, sight: Sight) -> str:
    """The namespace to send a placed manifest to; for modelled cluster-scoped kinds that of the run, as for any request."""
    given = str(document["metadata"].get("namespace") or "")
    return given or (sight.world.header.namespace if document["kind"] in KINDS else "")


def body_of(document: Json) -> str:
    """The JSON text that kubectl sends: keys sorted, no whitespace."""
    return json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def failing(doing: str) -> str:
    """The text that kubectl puts in front of the server's message about an object from the line's input."""
    return _SOURCE.format(doing)


def live(world: World, document: Json) -> Json | None:
    """The live object with the manifest's kind and name; None if there is none."""
    metadata = document["metadata"]
    try:
        return object_document(world, document["kind"], str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
    except KeyError:
        return None


def replacing(document: Json, sight: Sight, *, force: bool) -> Step:
    """The step of ``replace -f -`` that replaces the object; with ``force`` it creates it."""
    namespace, full = space_of(document, sight), full_name(document)
    if not force:
        command = ReplaceObject(document=body_of(document), namespace=namespace)
        return Step(command=command, done=f"{full} replaced", source=failing("replacing"))
    made_again = ApplyManifest(documents=(body_of(document),), namespace=namespace, create=True)
    return Step(command=made_again, done=f"{full} replaced")


def deleted_words(document: Json, line: Line, sight: Sight) -> str:
    """What ``replace --force`` prints when it has deleted the live object of a manifest."""
    if line.value("output") == "name":
        return full_name(document)
    return f'{full_name(document).partition("/")[0]} "{document["metadata"]["name"]}" deleted{_from_space(document, sight)}'


def _from_space(document: Json, sight: Sight) -> str:
    space = document["metadata"].get("namespace") if sight.facts.delete_namespace_shown else ""
    return f" from {space} namespace" if space else ""


# ---- last-applied-configuration --------------------------------------------------------------------------------------
def last_applied(document: Json) -> Json:
    """The manifest as client-side apply stores it in the object's annotation."""
    metadata = {"annotations": {}, **document["metadata"]}
    notes = {key: value for key, value in (metadata.get("annotations") or {}).items() if key != LAST_APPLIED}
    return {**document, "metadata": {**metadata, "annotations": notes}}


def annotated(document: Json) -> Json:
    """The manifest with its last-applied annotation."""
    return _with_note(document, f"{json_text(last_applied(document), indent=None)}\n")


def _with_note(document: Json, text: str) -> Json:
    notes = {**last_applied(document)["metadata"]["annotations"], LAST_APPLIED: text}
    return {**document, "metadata": {**document["metadata"], "annotations": notes}}


def view_last_applied(line: Line, sight: Sight) -> str:
    """The output of ``apply view-last-applied``. Raises BadLine."""
    output = line.value("output") or "yaml"
    if output not in ("json", "yaml"):
        raise BadLine(f"error: Unexpected -o output mode: {output}, the flag 'output' must be one of yaml|json")
    found, missing = targets(line.with_words(line.words[1:]), sight)
    if missing:
        raise BadLine("\n".join(missing))
    texts = [_applied_text(item, sight) for item in found]
    try:
        return "".join(_printed(decode(text), output) for text in texts if text)
    except ValueError as error:
        raise BadLine(f"error: {error}") from None


def _printed(document: Json, output: str) -> str:
    return to_yaml(document) if output == "yaml" else f"{json_text(document, indent=2)}\n"


def _applied_text(item: Target, sight: Sight) -> str:
    """The JSON text of what was last applied: the object's annotation, or what the run keeps with the object; empty if there is neither."""
    text = (item.document["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    if text:
        return str(text)
    world, kind = sight.world, item.info.kind
    row = world.live_pod(item.namespace, item.name) if kind == "Pod" else world.tables.objects.get((kind, item.namespace, item.name))
    if row is None or not row.applied:
        return ""
    head = {"apiVersion": item.document["apiVersion"], "kind": kind}
    return body_of(last_applied(placed({**head, **decode(row.applied)}, item.namespace, sight)))


# ---- printing manifests ----------------------------------------------------------------------------------------------
def printed_manifests(documents: Iterable[Json], line: Line, sight: Sight) -> str:
    """The objects in the line's output format: a single one as it is, several as a List (in YAML and JSON). Raises BadLine."""
    found, output = list(documents), line.value("output") or "go-template"
    wholes = [list_of(found, sight)] if line.verb == "apply" and len(found) > 1 and output != "name" else [ordered(item) for item in found]
    texts = [print_object(item, output, full_name=full_name(item) if output == "name" else "", line=line, sight=sight) for item in wholes]
    return ("---\n" if output == "yaml" else "").join(texts)


def list_of(documents: list[Json], sight: Sight) -> Json:
    """The List that apply prints for several objects."""
    items = [ordered(item) for item in documents]
    if _TYPED_LIST.holds_for(sight.minor):
        return {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {}}


def dry_documents(documents: Iterable[Json], verb: str, sight: Sight) -> Iterator[Json]:
    """The objects that a client-side dry run prints: the manifest, or for apply the live object if there is one."""
    for document in documents:
        there = live(sight.world, document) if verb == "apply" else None
        yield there or (annotated(document) if verb == "apply" else document)


# ---- diff ------------------------------------------------------------------------------------------------------------
def diff(documents: Iterable[Json], line: Line, sight: Sight) -> str:
    """The output of ``kubectl diff -f -``: what apply would change, as the diff program shows it; empty if nothing would change."""
    return "".join(_difference(document, line, sight) for document in documents)


def _difference(document: Json, line: Line, sight: Sight) -> str:
    before = live(sight.world, document)
    # The merged object is given no last-applied annotation of its own: it keeps the live object's.
    note = ((before or {"metadata": {}})["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    tried = _with_note(document, note) if note else document
    fork = sight.world.fork()
    apply(fork, ApplyManifest(documents=(body_of(tried),), namespace=space_of(document, sight)))
    after = live(fork, document) or document
    if before is not None:  # a dry run does not change resourceVersion
        before = with_managers(before, replace(line, flags={**line.flags, "output": "yaml"}), sight)
        # Fields that stay the same keep their managers: the trial apply writes under the same manager as the one
        # before.
        kept = {key: before["metadata"][key] for key in ("resourceVersion", "managedFields") if key in before["metadata"]}
        after = {**after, "metadata": {**after["metadata"], **kept}}
    texts = [to_yaml(item).splitlines(keepends=True) if item is not None else [] for item in (before, after)]
    if texts[0] == texts[1]:
        return ""
    metadata, api = document["metadata"], document["apiVersion"].replace("/", ".")
    name = ".".join(filter(None, (api, document["kind"], str(metadata.get("namespace") or ""), str(metadata.get("name")))))
    files = [f"/tmp/{side}/{name}" for side in ("LIVE", "MERGED")]
    at = timestamp(sight.now_ms, sight.world.header.epoch_s).replace("T", " ").replace("Z", ".000000000 +0000")
    lines = difflib.unified_diff(texts[0], texts[1], files[0], files[1], at, at)
    return "".join([f"diff -u -N {files[0]} {files[1]}\n", *lines])
