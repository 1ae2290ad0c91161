"""How messages name a kind, by its plural and its group, and the errors that need both."""

from simulator.engine.apiserver.answer import ApiError, Cause, already_exists, bad_request, forbidden_object, invalid_object, not_found
from simulator.engine.apiserver.documents.custom import info_in
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.custom import DEFINITION, custom_info
from simulator.engine.model.kinds import KINDS, KindInfo
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

_BEING_DELETED = "object is being deleted: "


def info_of(document: Json) -> KindInfo:
    """What is known of the kind of an object as it is sent or stored; for a custom one, from its kind and apiVersion."""
    kind = str(document.get("kind") or "")
    if kind == DEFINITION.kind:
        return DEFINITION
    return KINDS.get(kind) or custom_info(str(document.get("apiVersion") or ""), kind)


def missing_answer(info: KindInfo, name: str) -> ApiError:
    """404 for a name of that kind."""
    return not_found(info.plural, name, group=info.group)


def taken(info: KindInfo, name: str, *, is_terminating: bool = False) -> ApiError:
    """409 for a name that an object has, even one that is terminating."""
    return already_exists(info.plural, name, group=info.group, prefix=_BEING_DELETED if is_terminating else "")


def forbidden_answer(info: KindInfo, name: str, why: str, *, causes: tuple[Cause, ...] = ()) -> ApiError:
    """403 by admission."""
    return forbidden_object(info.plural, name, why, group=info.group, causes=causes)


def invalid_answer(info: KindInfo, name: str, errors: list[FieldError]) -> ApiError:
    """422 with its causes."""
    return invalid_object(info.kind, name, errors, group=info.group)


def unreadable(document: Json, why: str) -> ApiError:
    """400 for a document that does not have the shape of its kind; ``why`` is the decoder's text."""
    kind, api_version = str(document.get("kind") or ""), str(document.get("apiVersion") or "")
    return bad_request(f'{kind} in version "{api_version.rpartition("/")[2]}" cannot be handled as a {kind}: {why}')


def find_object(fx: Effects, kind: str, namespace: str, name: str) -> ApiObject:
    """The stored object of a kind other than Pod; raises ApiError (404)."""
    info = info_in(fx.world, kind)
    row = fx.tables.objects.get((kind, namespace if info.namespaced else "", name))
    if row is None:
        raise missing_answer(info, name)
    return row


def find_pod(fx: Effects, namespace: str, name: str) -> PodRow:
    """The pod of that name; raises ApiError (404)."""
    row = fx.world.live_pod(namespace, name)
    if row is None:
        raise missing_answer(KINDS["Pod"], name)
    return row
