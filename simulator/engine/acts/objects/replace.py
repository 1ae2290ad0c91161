"""``kubectl replace``."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act
from simulator.engine.acts.changing import changing
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.managed.writes import Writer, with_managed, writer_of
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.creation import place_of, place_of_text, read_document
from simulator.engine.apiserver.store.edits import Edit, by_put
from simulator.engine.apiserver.store.pods import nothing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.model.kinds import KINDS
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import object_subject


class ReplaceObject(Command, frozen=True, kw_only=True, tag="replace"):
    """PUT an object (JSON text) in place of the stored one; if it has a resourceVersion, only if that is still the newest.

    ``manager``: the client's field manager.
    """

    document: str
    namespace: str = "default"
    subresource: str = ""
    dry_run: bool = False
    manager: str = ""


def _replace(fx: Effects, command: ReplaceObject) -> Doing:
    document = read_document(command.document)
    names = place_of(document, command.namespace)
    # Only the document says which object it is; nothing in the command does.
    act = changing(fx, names, with_managed(fx, _edit(command, document), command.document), subresource=command.subresource, is_patch=False)
    return nothing if command.dry_run else act


def _edit(command: ReplaceObject, document: Json) -> Edit:
    # The status of a custom kind may be an ordinary field. A client with a field manager changes a status through its subresource;
    # commands without one, as in older runs, never did.
    is_whole = str(document.get("kind")) not in KINDS or (command.manager and command.subresource == "status")
    return (lambda _: document) if is_whole else by_put(document)


def _writer(fx: Effects, command: ReplaceObject) -> Writer | None:
    document = read_document(command.document)
    names = place_of(document, command.namespace)
    return writer_of(command.manager, names, subresource=command.subresource, edit=_edit(command, document), text=command.document)


def _subject(command: ReplaceObject) -> Subject:
    return object_subject(*place_of_text(command.document, command.namespace))


def _details(command: ReplaceObject) -> Data:
    kind, _, name = place_of_text(command.document, command.namespace)
    return (("kind", kind), ("name", name))


def _read(step: StepReader) -> Iterator[ReplaceObject]:
    for document in step.documents(step.body):
        yield ReplaceObject(document=document, namespace=step.namespace)


REPLACE_OBJECT = Act(
    command=ReplaceObject,
    handler=_replace,
    subject=_subject,
    writer=_writer,
    details=_details,
    sentence=gettext_noop("Replace an object"),
    headline=gettext_noop("You replaced {kind} {name}"),
    omitted_if_empty=("subresource", "dry_run"),
    verbs=(Verb("replace", "replaces existing objects", _read),),
    no_form="the editor, which applies what was changed",
)
