"""``kubectl apply``: every document creates its object, or changes the one that is there by a three-way merge."""

from simulator.engine.api.answer import ApiError
from simulator.engine.commands import ApplyManifest
from simulator.engine.controllers.refusal import Act, Refusal, refusal_of
from simulator.engine.controllers.store.creation import creating, place_of, read_document, tell_refused
from simulator.engine.controllers.store.edits import Document, by_apply
from simulator.engine.controllers.store.nodes import change_node, is_machine
from simulator.engine.controllers.store.pods import change_pod, nothing
from simulator.engine.controllers.store.updates import change_object
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.world import ApiObject

RULES = (
    RuleText(
        "APPLY-TERMINATING",
        gettext_noop("The object is being deleted. What is applied now changes it, but it goes nevertheless; apply again when it is gone."),
        "kubectl pkg/cmd/apply/apply.go warningChangesOnDeletingResource",
    ),
)


_Sent = tuple[Document, str]
"""A document and its JSON text."""


def applying(fx: Effects, command: ApplyManifest) -> Act:
    """Check the documents up to the first that can be applied; each later one is judged when those before it are stored.

    Raises Refusal where not one can be applied. A refused document does not stop the others, as with kubectl.
    """
    documents = [(read_document(text), text) for text in command.documents]
    refused: list[tuple[Document, Refusal]] = []
    for n, (document, text) in enumerate(documents):
        found = _judged(fx, document, text, command)
        if not isinstance(found, Refusal):
            rest = documents[n + 1 :]
            return nothing if command.dry_run else _several(fx, found, rest, refused, command)
        refused.append((document, found))
    if not refused:
        return nothing
    raise refused[0][1] if len(refused) == 1 else _joined(refused)


def _joined(refused: list[tuple[Document, Refusal]]) -> Refusal:
    """One refusal for several documents: the first one's code and reason, all messages."""
    first = refused[0][1]
    said = {key: value for _, refusal in reversed(refused) for key, value in refusal.data}
    messages = [str(value) for _, refusal in refused for key, value in refusal.data if key == "message"]
    return Refusal(first.rule, tuple({**said, "message": "\n".join(messages)}.items()))


def _several(fx: Effects, first: Act, rest: list[_Sent], refused: list[tuple[Document, Refusal]], command: ApplyManifest) -> Act:
    def act() -> None:
        cause = fx.cause
        for document, refusal in refused:
            tell_refused(fx, document, command.namespace, refusal)
        first()
        for document, text in rest:
            fx.cause = cause
            found = _judged(fx, document, text, command)
            if isinstance(found, Refusal):
                tell_refused(fx, document, command.namespace, found)
            else:
                found()
        fx.cause = cause

    return act


def _judged(fx: Effects, document: Document, text: str, command: ApplyManifest) -> Act | Refusal:
    try:
        if command.create:
            return creating(fx, document, command.namespace, text=text, dry_run=command.dry_run)
        return _apply_one(fx, document, text, command)
    except Refusal as refusal:
        return refusal
    except ApiError as error:
        return refusal_of(error)


def _apply_one(fx: Effects, document: Document, text: str, command: ApplyManifest) -> Act:
    kind, space, name = place_of(document, command.namespace)
    if kind == "Node" and is_machine(fx, name):
        return change_node(fx, name, by_apply("", document), is_patch=True)
    if kind == "Pod":
        row = fx.world.live_pod(space, name) if name else None
        if row is not None:
            return _told(fx, row, change_pod(fx, row, by_apply(row.applied, document), applied=text))
    held = fx.tables.objects.get((kind, space, name))
    if held is not None:
        return _told(fx, held, change_object(fx, held, by_apply(held.applied, document), applied=text))
    return creating(fx, document, command.namespace, text=text, dry_run=command.dry_run)


def _told(fx: Effects, row: PodRow | ApiObject, act: Act) -> Act:
    """The act, with a note where the object is on its way out."""
    if row.deletion_ms is None:
        return act

    def warned() -> None:
        cause = fx.cause
        fx.note(row.subject, "being-deleted", row.name, rule="APPLY-TERMINATING")
        fx.cause = cause
        act()

    return warned
