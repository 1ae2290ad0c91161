"""``kubectl apply --server-side``: what a manager wants of an object, checked against the owner of each field."""

from simulator.engine.acts.act import Act
from simulator.engine.acts.changing import changing
from simulator.engine.apiserver.answer import Answer, ApiError, conflict
from simulator.engine.apiserver.kind_answers import info_of
from simulator.engine.apiserver.managed.apply import Applying, applied, check_declared, configuration
from simulator.engine.apiserver.managed.writes import Writer, shown_object
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.creation import creating, place_of, place_of_text, read_document
from simulator.engine.apiserver.store.pods import nothing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import object_subject


class ApplyServerSide(Command, frozen=True, kw_only=True, tag="server_side_apply"):
    """Apply one object (JSON text) for a manager: fields that it owned before but no longer names are removed.

    ``force``: take over fields that others own with a different value.
    """

    document: str
    namespace: str = "default"
    manager: str
    force: bool = False
    subresource: str = ""
    dry_run: bool = False


def _apply(fx: Effects, command: ApplyServerSide) -> Doing:
    document = read_document(command.document)
    wanted, names = configuration(document), place_of(document, command.namespace)
    check_declared(fx.world, wanted, names[1])
    live = shown_object(fx.world, names)
    if live is None:
        _check_new(document, command)
        act = creating(fx, wanted, command.namespace, dry_run=command.dry_run)
        return nothing if command.dry_run else act
    _check_uid(document, live)
    asked = Applying(document=document, manager=command.manager, force=command.force, subresource=command.subresource)
    found = applied(fx.world, live, asked)
    act = changing(fx, names, lambda _: found, subresource=command.subresource, is_patch=True)
    return nothing if command.dry_run else act


def _check_new(document: Json, command: ApplyServerSide) -> None:
    """An object that does not exist has no status to change, and no uid."""
    name, info = str((document.get("metadata") or {}).get("name") or ""), info_of(document)
    if command.subresource:
        raise ApiError(Answer(code=404, reason="NotFound", message="the server could not find the requested resource"))
    if (document.get("metadata") or {}).get("uid"):
        why = f"uid mismatch: the provided object specified uid {document['metadata']['uid']}, and no existing object was found"
        raise conflict(info.plural, name, why, group=info.group)


def _check_uid(document: Json, live: Json) -> None:
    wanted, held = document["metadata"].get("uid"), live["metadata"].get("uid")
    if wanted and wanted != held:
        info = info_of(document)
        why = f"Precondition failed: UID in precondition: {wanted}, UID in object meta: {held}"
        raise conflict(info.plural, document["metadata"]["name"], why, group=info.group)


def _writer(fx: Effects, command: ApplyServerSide) -> Writer | None:
    if command.dry_run:
        return None
    document = configuration(read_document(command.document))
    names = place_of(document, command.namespace)
    return Writer(manager=command.manager, places=(names,), subresource=command.subresource, applied=document)


def _subject(command: ApplyServerSide) -> Subject:
    return object_subject(*place_of_text(command.document, command.namespace))


def _details(command: ApplyServerSide) -> Data:
    kind, _, name = place_of_text(command.document, command.namespace)
    return (("kind", kind), ("name", name))


def _named(command: ApplyServerSide) -> Data:
    kind, _, name = place_of_text(command.document, command.namespace)
    return (("objects", f"{kind} {name}"),)


APPLY_SERVER_SIDE = Act(
    command=ApplyServerSide,
    handler=_apply,
    subject=_subject,
    details=_details,
    writer=_writer,
    omitted=("document", "namespace"),
    sentence=gettext_noop("Apply {objects}"),
    values=_named,
    headline=gettext_noop("You applied {kind} {name}"),
    omitted_if_empty=("subresource", "dry_run", "force"),
    no_form="the editor, which applies what was changed",
    no_verb="the verb apply, which knows no managers",
)
