"""What kubectl makes of manifests beside sending them: what it prints of them, what it replaces, and how they differ from what is there.

Source: kubectl pkg/cmd/{apply,create,replace,diff}.
"""

import difflib
import json
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.delete import DeleteObject
from simulator.engine.acts.objects.replace import ReplaceObject
from simulator.engine.acts.pods.delete import DeletePod
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
"""kubectl that writes a List as a type of Go, whose fields have an order of their own."""
_SOURCE = 'error when {} "STDIN": '


def full_name(document: Json) -> str:
    """``deployment.apps/web``, or the beginning of a name that is to be generated."""
    group, metadata = document["apiVersion"].rpartition("/")[0], document["metadata"]
    return f"{document['kind'].lower()}{f'.{group}' if group else ''}/{metadata.get('name') or metadata.get('generateName')}"


def placed(document: Json, space: str, sight: Sight) -> Json:
    """The manifest in a namespace, as kubectl sends it: that of the line, where its kind has one and it names none."""
    info, metadata = kind_in(sight.world, document["kind"]), document["metadata"]
    if metadata.get("namespace") or (info is not None and not info.namespaced):
        return document
    return {**document, "metadata": {**metadata, "namespace": space}}


def space_of(document: Json, sight: Sight) -> str:
    """The namespace that goes with a placed manifest; for a modelled kind of the whole cluster that of the run, as with any request."""
    given = str(document["metadata"].get("namespace") or "")
    return given or (sight.world.header.namespace if document["kind"] in KINDS else "")


def body_of(document: Json) -> str:
    """The JSON text that kubectl sends: its keys by the alphabet, without blanks."""
    return json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False)


def failing(doing: str) -> str:
    """What kubectl says before the server's words of an object that comes from the line's input."""
    return _SOURCE.format(doing)


def live(world: World, document: Json) -> Json | None:
    """The object of the cluster that has the manifest's kind and name; None where there is none."""
    metadata = document["metadata"]
    try:
        return object_document(world, document["kind"], str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
    except KeyError:
        return None


def replacing(document: Json, sight: Sight, *, force: bool) -> Iterator[Step]:
    """The steps of ``replace -f -``; with ``force`` what is there is deleted first."""
    namespace, full = space_of(document, sight), full_name(document)
    if not force:
        command = ReplaceObject(document=body_of(document), namespace=namespace)
        yield Step(command=command, done=f"{full} replaced", source=failing("replacing"))
        return
    if live(sight.world, document) is not None:
        yield Step(
            command=_forced_deletion(document, sight),
            done=f'{full.partition("/")[0]} "{document["metadata"]["name"]}" deleted{_from_space(document, sight)}',
        )
    made_again = ApplyManifest(documents=(body_of(document),), namespace=namespace, create=True)
    yield Step(command=made_again, done=f"{full} replaced", source=failing("creating"))


def _from_space(document: Json, sight: Sight) -> str:
    space = document["metadata"].get("namespace") if sight.facts.delete_namespace_shown else ""
    return f" from {space} namespace" if space else ""


def _forced_deletion(document: Json, sight: Sight) -> AnyCommand:
    metadata = document["metadata"]
    namespace, name = str(metadata.get("namespace") or ""), str(metadata["name"])
    row = sight.world.live_pod(namespace, name) if document["kind"] == "Pod" else None
    if row is not None:
        # kubectl waits until the pod has gone; here the line comes back at once, so the pod goes at once.
        return DeletePod(target=row.key, grace_s=0, force=True)
    return DeleteObject(kind=document["kind"], namespace=namespace, name=name, propagation="Background")


# ---- what was applied last -------------------------------------------------------------------------------------------
def last_applied(document: Json) -> Json:
    """The manifest as client-side apply notes it on the object."""
    metadata = {"annotations": {}, **document["metadata"]}
    notes = {key: value for key, value in (metadata.get("annotations") or {}).items() if key != LAST_APPLIED}
    return {**document, "metadata": {**metadata, "annotations": notes}}


def annotated(document: Json) -> Json:
    """The manifest with that note."""
    return _with_note(document, f"{json_text(last_applied(document), indent=None)}\n")


def _with_note(document: Json, text: str) -> Json:
    notes = {**last_applied(document)["metadata"]["annotations"], LAST_APPLIED: text}
    return {**document, "metadata": {**document["metadata"], "annotations": notes}}


def view_last_applied(line: Line, sight: Sight) -> str:
    """The answer of ``apply view-last-applied``. Raises BadLine."""
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
    return to_yaml(document) if output == "yaml" else f"{json_text(document)}\n"


def _applied_text(item: Target, sight: Sight) -> str:
    """JSON text of what was applied: the object's annotation, or what the run keeps beside the object; empty for neither."""
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
    """The objects in the line's format: one by itself, several as a List (in YAML and JSON). Raises BadLine."""
    found, output = list(documents), line.value("output") or "go-template"
    wholes = [list_of(found, sight)] if line.verb == "apply" and len(found) > 1 and output != "name" else [ordered(item) for item in found]
    texts = [print_object(item, output, full_name=full_name(item) if output == "name" else "", line=line, sight=sight) for item in wholes]
    return ("---\n" if output == "yaml" else "").join(texts)


def list_of(documents: list[Json], sight: Sight) -> Json:
    """What apply prints of several objects."""
    items = [ordered(item) for item in documents]
    if _TYPED_LIST.holds_for(sight.minor):
        return {"kind": "List", "apiVersion": "v1", "metadata": {}, "items": items}
    return {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {}}


def dry_documents(documents: Iterable[Json], verb: str, sight: Sight) -> Iterator[Json]:
    """The objects that the client prints of a dry run of its own: the manifest, or with apply what is there already."""
    for document in documents:
        there = live(sight.world, document) if verb == "apply" else None
        yield there or (annotated(document) if verb == "apply" else document)


# ---- diff ------------------------------------------------------------------------------------------------------------
def diff(documents: Iterable[Json], line: Line, sight: Sight) -> str:
    """The answer of ``kubectl diff -f -``: what apply would change, as the program diff shows it; nothing where nothing would."""
    return "".join(_difference(document, line, sight) for document in documents)


def _difference(document: Json, line: Line, sight: Sight) -> str:
    before = live(sight.world, document)
    # What is tried has no note of its own of what was applied: that of the object stays.
    note = ((before or {"metadata": {}})["metadata"].get("annotations") or {}).get(LAST_APPLIED)
    tried = _with_note(document, note) if note else document
    fork = sight.world.fork()
    apply(fork, ApplyManifest(documents=(body_of(tried),), namespace=space_of(document, sight)))
    after = live(fork, document) or document
    if before is not None:  # a dry run moves no position
        before = with_managers(before, replace(line, flags={**line.flags, "output": "yaml"}), sight)
        # Who has written what is as it was: the apply that is tried writes as the manager of the one before.
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
