"""``kubectl apply``: every document creates its object, or changes the existing one by a three-way merge.

kubectl sends the documents of a file one after the other and continues after a refusal, so a
Namespace and its contents can be in one file, and a later document is checked against a cluster
that has the earlier ones. A command of a run, however, is either accepted or refused as a whole. So
documents up to the first that can be applied are checked when the command is judged, and the later
ones when the command acts; if not one can be applied, the command is refused with all their
messages. Refusals of single documents get records of their own.

The merge needs what was applied last. That is kept next to the object and not in an annotation;
objects that come from another cluster still have kubectl's annotation, which is read then.
"""

from collections.abc import Sequence

from msgspec import Struct

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.refusal import Doing, Refusal, refusal_of
from simulator.engine.apiserver.store.creation import creating, place_of, read_document, record_refusal
from simulator.engine.apiserver.store.edits import by_apply
from simulator.engine.apiserver.store.nodes import change_node, is_machine
from simulator.engine.apiserver.store.pods import change_pod, nothing
from simulator.engine.apiserver.store.updates import change_object
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

RULES = (
    RuleText(
        "APPLY-TERMINATING",
        gettext_noop("The object is being deleted. Applying now changes it, but it will still be deleted; apply again once it is gone."),
        "kubectl pkg/cmd/apply/apply.go warningChangesOnDeletingResource",
    ),
)


_Sent = tuple[Json, str]
"""A document and its JSON text."""


class _Asked(Struct, frozen=True):
    namespace: str
    create: bool
    dry_run: bool


def applying(fx: Effects, texts: Sequence[str], namespace: str, *, create: bool, dry_run: bool = False) -> Doing:
    """Check the documents up to the first that can be applied; each later one is checked when those before it are stored.

    ``create``: like ``kubectl create``, which is refused if the object exists. A refused document does not stop the others,
    as with kubectl. Raises Refusal if none can be applied.
    """
    asked = _Asked(namespace, create, dry_run)
    documents = [(read_document(text), text) for text in texts]
    refused: list[tuple[Json, Refusal]] = []
    for n, (document, text) in enumerate(documents):
        found = _judged(fx, document, text, asked)
        if not isinstance(found, Refusal):
            rest = documents[n + 1 :]
            return _several(fx, found, rest, refused, asked)
        refused.append((document, found))
    if not refused:
        return nothing
    raise refused[0][1] if len(refused) == 1 else _joined(refused)


def _joined(refused: list[tuple[Json, Refusal]]) -> Refusal:
    """One refusal for several documents: the first one's code and reason, and all messages."""
    first = refused[0][1]
    said = {key: value for _, refusal in reversed(refused) for key, value in refusal.data}
    messages = [str(value) for _, refusal in refused for key, value in refusal.data if key == "message"]
    return Refusal(first.rule, tuple({**said, "message": "\n".join(messages)}.items()))


def _several(fx: Effects, first: Doing, rest: list[_Sent], refused: list[tuple[Json, Refusal]], asked: _Asked) -> Doing:
    def act() -> None:
        for document, refusal in refused:
            record_refusal(fx, document, asked.namespace, refusal)
        with fx.aside():
            first()
        for document, text in fx.each(rest):
            found = _judged(fx, document, text, asked)
            if isinstance(found, Refusal):
                record_refusal(fx, document, asked.namespace, found)
            else:
                found()

    return act


def _judged(fx: Effects, document: Json, text: str, asked: _Asked) -> Doing | Refusal:
    try:
        if asked.create:
            return creating(fx, document, asked.namespace, text=text, dry_run=asked.dry_run)
        return _apply_one(fx, document, text, asked)
    except Refusal as refusal:
        return refusal
    except ApiError as error:
        return refusal_of(error)


def _apply_one(fx: Effects, document: Json, text: str, asked: _Asked) -> Doing:
    kind, space, name = place_of(document, asked.namespace)
    if kind == "Node" and is_machine(fx, name):
        return change_node(fx, name, by_apply("", document), is_patch=True)
    if kind == "Pod":
        row = fx.world.live_pod(space, name) if name else None
        if row is not None:
            return _with_note(fx, row, change_pod(fx, row, by_apply(row.applied, document), applied=text))
    held = fx.tables.objects.get((kind, space, name))
    if held is not None:
        return _with_note(fx, held, change_object(fx, held, by_apply(held.applied, document), applied=text))
    return creating(fx, document, asked.namespace, text=text, dry_run=asked.dry_run)


def _with_note(fx: Effects, row: PodRow | ApiObject, act: Doing) -> Doing:
    """The act, with a note if the object is being deleted."""
    if row.deletion_ms is None:
        return act

    def warned() -> None:
        fx.note(row.subject, "being-deleted", row.name, rule="APPLY-TERMINATING")
        act()

    return warned
