"""How messages name a kind: its plural and its group; and the refusals that need both."""

from typing import Any

from simulator.engine.apiserver.answer import ApiError, already_exists, bad_request, forbidden_object, invalid_object, not_found
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.model.custom import plural_of
from simulator.engine.model.kinds import KINDS, KindInfo
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

_BEING_DELETED = "object is being deleted: "


def info_of(kind: str) -> KindInfo:
    """What is known of the kind; of a kind nobody knows the plural is guessed as clients do."""
    return KINDS.get(kind) or KindInfo(kind=kind, group="", versions=(), plural=plural_of(kind), singular=kind.lower())


def missing_answer(kind: str, name: str) -> ApiError:
    """404 for a name of that kind."""
    info = info_of(kind)
    return not_found(info.plural, name, group=info.group)


def taken(kind: str, name: str, *, is_terminating: bool = False) -> ApiError:
    """409 for a name that an object has, also one on its way out."""
    info = info_of(kind)
    return already_exists(info.plural, name, group=info.group, prefix=_BEING_DELETED if is_terminating else "")


def forbidden_answer(kind: str, name: str, why: str) -> ApiError:
    """403 by admission."""
    info = info_of(kind)
    return forbidden_object(info.plural, name, why, group=info.group)


def invalid_answer(kind: str, name: str, errors: list[FieldError]) -> ApiError:
    """422 with its causes."""
    return invalid_object(kind, name, errors, group=info_of(kind).group)


def unreadable(document: dict[str, Any], why: str) -> ApiError:
    """400 for a document that does not have the shape of its kind; ``why`` is the decoder's text."""
    kind, api_version = str(document.get("kind") or ""), str(document.get("apiVersion") or "")
    return bad_request(f'{kind} in version "{api_version.rpartition("/")[2]}" cannot be handled as a {kind}: {why}')


def find_object(fx: Effects, kind: str, namespace: str, name: str) -> ApiObject:
    """The stored object that is no pod; raises ApiError (404)."""
    row = fx.tables.objects.get((kind, namespace if info_of(kind).namespaced else "", name))
    if row is None:
        raise missing_answer(kind, name)
    return row


def find_pod(fx: Effects, namespace: str, name: str) -> PodRow:
    """The pod of that name; raises ApiError (404)."""
    row = fx.world.live_pod(namespace, name)
    if row is None:
        raise missing_answer("Pod", name)
    return row
