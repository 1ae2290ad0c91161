"""The dry run: applies each object of a text to a fork of the world and reads back the API server's answer.

The preview does not predict the result, it carries the change out. Documents are applied in order to a world of the
preview's own, which is thrown away afterwards, with the same command that the user would send; later documents see the
earlier ones. The answer comes from the records that the command wrote, and the effects from the worlds before and
after.

Two kinds of refusal are handled here. A document that does not decode never becomes a command, so the decoder's answer
(400) is built here; and what only the check of the text finds becomes a 422 in the server's format.
"""

import json
from typing import Any

from simulator.engine import apply
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.answer import Answer, Cause, bad_request, shortened
from simulator.engine.apiserver.wire.decoding import first_problem
from simulator.engine.kernel.records import Record
from simulator.engine.model.custom import custom_info
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.minors import minor_number
from simulator.engine.world.world import World
from simulator.manifests.check.check import Checked, Document
from simulator.manifests.check.decodable import UNDECODABLE
from simulator.manifests.editor.preview.differ import diff_lines
from simulator.manifests.editor.preview.effects import Change, effects_of, hints_of, kept_by_apply, removed
from simulator.manifests.editor.preview.live import LiveObject, live_object
from simulator.manifests.editor.preview.outcome import ACCEPTED, REJECTED, UNCHANGED, Effect, ObjectPreview, Preview
from simulator.manifests.problems import ERROR, Problem

_STRUCTURAL = (*UNDECODABLE, "unknown-field")


def preview(world: World, checked: Checked) -> Preview:
    """What applying the documents in order would do. The world must belong to the caller and is modified. Some ms a document."""
    errors = [problem for problem in checked.problems if problem.severity == ERROR]
    objects = tuple(
        _object(world, document, [problem for problem in errors if problem.document == document.index]) for document in checked.documents
    )
    verbs = {item.verb for item in objects}
    outcome = REJECTED if "rejected" in verbs else UNCHANGED if verbs <= {"unchanged"} else ACCEPTED
    return Preview(
        outcome=outcome,
        answer=next((item.answer for item in objects if item.answer is not None), None),
        kubectl="\n".join(item.kubectl for item in objects),
        diff=tuple(line for item in objects for line in item.diff),
        effects=tuple(effect for item in objects for effect in item.effects),
        objects=objects,
    )


def _object(world: World, document: Document, errors: list[Problem]) -> ObjectPreview:
    # A copy, because applying changes the world itself.
    before = world.fork()
    old = live_object(world, document.kind, document.namespace, document.name) if document.name else None
    unreadable = [error for error in errors if error.code in _STRUCTURAL]
    if unreadable:
        return _rejected(document, _unreadable(document, unreadable, minor=minor_number(world.header.kubernetes)), is_new=old is None)
    records = apply(world, ApplyManifest(documents=(document.json,), namespace=document.namespace or "default"))
    answer = refusal_of(records, document) or (_invalid(document, errors) if errors else None)
    if answer is not None:
        hints = hints_of(old.editable, json.loads(document.json), world=before) if old is not None else ()
        return _rejected(document, answer, is_new=old is None, effects=hints)
    name = document.name or _created(records)
    new = live_object(world, document.kind, document.namespace, name)
    if new is None:
        return _shown(document, name, "created") if old is None else _shown(document, name, "configured", effects=(removed(),))
    kept = kept_by_apply(old.editable, new.editable, json.loads(document.json)) if old is not None else ()
    if old is not None and old.editable == new.editable:
        return _shown(document, name, "unchanged", effects=kept)
    change = Change(old=old, new=new, before=before, after=world)
    verb = "configured" if old else "created"
    return _shown(document, name, verb, diff=_diff(old, new), effects=(*effects_of(change), *kept))


def _diff(old: LiveObject | None, new: LiveObject) -> Any:
    return diff_lines(old.editable if old is not None else None, new.editable)


def _shown(document: Document, name: str, verb: str, **more: Any) -> ObjectPreview:
    info = KINDS.get(document.kind) or custom_info(document.api_version, document.kind)
    resource = f"{info.singular}.{info.group}" if info.group else info.singular
    return ObjectPreview(
        kind=document.kind, namespace=document.namespace, name=name, verb=verb, kubectl=f"{resource}/{name} {verb}", **more
    )


def _rejected(document: Document, answer: Answer, *, is_new: bool, effects: tuple[Effect, ...] = ()) -> ObjectPreview:
    answer = shortened(answer)
    words = answer.kubectl
    if is_new and answer.reason != "Invalid":
        # kubectl adds this for anything but an invalid object.
        words = words.replace(": ", ': error when creating "STDIN": ', 1)
    return ObjectPreview(
        kind=document.kind,
        namespace=document.namespace,
        name=document.name,
        verb="rejected",
        kubectl=words,
        answer=answer.document(),
        effects=effects,
    )


def _unreadable(document: Document, errors: list[Problem], *, minor: int) -> Answer:
    """400 with the first message of the version's decoder; unknown fields are refused, as kubectl requests."""
    body = json.dumps(document.doc, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"
    said = first_problem(json.loads(body), body, minor=minor, strict=True) or errors[0].message
    version = document.api_version.rsplit("/", 1)[-1]
    return bad_request(f'{document.kind} in version "{version}" cannot be handled as a {document.kind}: {said}').answer


def _invalid(document: Document, errors: list[Problem]) -> Answer:
    """422 for what the check found and the engine does not look at."""
    texts = list(dict.fromkeys(f"{error.path}: {error.message}" for error in errors))
    listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    info = KINDS.get(document.kind)
    group = info.group if info is not None else ""
    shown = f"{document.kind}.{group}" if group else document.kind
    causes = tuple(Cause(reason="FieldValueInvalid", message=error.message, field=error.path) for error in errors)
    message = f'{shown} "{document.name}" is invalid: {listed}'
    return Answer(code=422, reason="Invalid", message=message, kind=document.kind, group=group, name=document.name, causes=causes)


def refusal_of(records: list[Record], document: Document) -> Answer | None:
    """The Status of a refused command, from the data of its record."""
    refused = next((record for record in records if record.kind == "command" and record.target == "refused"), None)
    if refused is None:
        return None
    data = dict(refused.data)
    code, causes = data.get("code"), json.loads(str(data.get("causes") or "[]"))
    info = KINDS.get(document.kind)
    reason = str(data.get("reason") or ("Invalid" if code is None else ""))
    kind = document.kind if reason == "Invalid" or info is None else info.plural
    return Answer(
        code=code if isinstance(code, int) else 422,
        reason=reason,
        message=str(data.get("message") or refused.rule),
        kind=kind,
        group=info.group if info is not None else "",
        name=document.name,
        causes=tuple(Cause(reason=item["reason"], message=item["message"], field=item.get("field", "")) for item in causes),
    )


def _created(records: list[Record]) -> str:
    """The name that the server generated."""
    found = (record.subject for record in records if record.machine == "object" and record.trigger == "created")
    return next(found, "").rsplit("/", 1)[-1]
