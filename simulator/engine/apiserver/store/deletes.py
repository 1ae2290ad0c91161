"""DELETE with its options: preconditions, grace period, propagation to dependents, dry run.

Source: apiserver pkg/registry/rest/delete.go BeforeDelete; pkg/registry/generic/registry/store.go
deletionFinalizersForGarbageCollection.
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.answer import Answer, ApiError, conflict, invalid_object
from simulator.engine.apiserver.documents.custom import info_in
from simulator.engine.apiserver.documents.implied import implied_to_return, made_again
from simulator.engine.apiserver.documents.objects import keys_of, object_document
from simulator.engine.apiserver.kind_answers import find_object, find_pod
from simulator.engine.apiserver.list_selectors import label_selector
from simulator.engine.apiserver.nodes.objects import deleting_node
from simulator.engine.apiserver.pods import delete_pod
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.namespace_deletion import deleting_namespace
from simulator.engine.apiserver.store.nodes import is_machine
from simulator.engine.apiserver.store.owners import BACKGROUND, FOREGROUND, ORPHAN, delete_owner
from simulator.engine.apiserver.validation.errors import invalid
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.selectors import selects
from simulator.engine.world.effects import REVISIONS, Effects

_POLICIES = ("", BACKGROUND, FOREGROUND, ORPHAN)


class Deletion(Struct, frozen=True, kw_only=True):
    """A DELETE with its options; without a ``name``, it deletes all objects of the kind in the namespace that ``selector`` selects."""

    kind: str
    namespace: str = ""
    name: str = ""
    selector: str = ""
    grace_s: int | None = None
    propagation: str = ""  # Background, Foreground, Orphan, or empty for the kind's default
    uid: str = ""  # preconditions, if they are not empty
    resource_version: str = ""


def deleting(fx: Effects, asked: Deletion) -> Doing:
    """Check a DELETE; the act carries it out. Raises ApiError."""
    if asked.propagation not in _POLICIES:
        error = invalid("propagationPolicy", asked.propagation, 'needs to be one of "Foreground", "Background", "Orphan" or nil')
        raise invalid_object("DeleteOptions", "", [error], group="meta.k8s.io")
    return _act(fx, asked) if asked.name else _several(fx, asked)


def _several(fx: Effects, asked: Deletion) -> Doing:
    """Delete all matching objects, one after the other in the order of their names. Raises ApiError if there are none."""
    wanted = label_selector(asked.selector)
    names = sorted(name for space, name in keys_of(fx.world, asked.kind) if space in ("", asked.namespace))
    meant = [name for name in names if selects(wanted, _labels(fx, asked, name))]
    if not meant:
        raise ApiError(Answer(code=404, reason="NotFound", message="No resources found"))
    acts = [_act(fx, replace(asked, name=name)) for name in meant]

    def act() -> None:
        for one in fx.each(acts):
            one()

    return act


def _labels(fx: Effects, asked: Deletion, name: str) -> dict[str, str]:
    return object_document(fx.world, asked.kind, asked.namespace, name)["metadata"].get("labels") or {}


def _act(fx: Effects, asked: Deletion) -> Doing:
    if asked.kind == "Namespace":
        return deleting_namespace(fx, asked.name)
    if asked.kind == "Node" and is_machine(fx, asked.name):
        return deleting_node(fx, asked.name)
    if asked.kind == "Pod":
        pod = find_pod(fx, asked.namespace, asked.name)
        _check_preconditions(fx, asked, pod.uid, str(pod.resource_version))
        return lambda: delete_pod(fx, pod, asked.grace_s)
    implied = implied_to_return(fx.world, asked.kind, asked.namespace, asked.name)
    if implied is not None:
        return _replacing(fx, asked, implied)
    row = find_object(fx, asked.kind, asked.namespace, asked.name)
    _check_preconditions(fx, asked, row.uid, str(row.resource_version))
    # Jobs orphan by default when deleted through the API; kubectl always sends Background.
    policy = asked.propagation or (ORPHAN if asked.kind == "Job" else BACKGROUND)
    return lambda: delete_owner(fx, row, policy)


def _replacing(fx: Effects, asked: Deletion, implied: Json) -> Doing:
    """The deletion of an object that is recreated at once. Raises ApiError (409)."""
    _check_preconditions(fx, asked, str(implied["metadata"]["uid"]), asked.resource_version)

    def act() -> None:
        fx.world.counters.update(made_again(fx.world, asked.kind, asked.namespace, asked.name))
        fx.count(REVISIONS)

    return act


def _check_preconditions(fx: Effects, asked: Deletion, uid: str, resource_version: str) -> None:
    """Check that the object is the intended one, in the state that was seen. Raises ApiError (409)."""
    if asked.uid and asked.uid != uid:
        why = (
            f"the UID in the precondition ({asked.uid}) does not match the UID in record ({uid}). "
            "The object might have been deleted and then recreated"
        )
        raise _conflict(fx, asked, why)
    if asked.resource_version and asked.resource_version != resource_version:
        why = (
            f"the ResourceVersion in the precondition ({asked.resource_version}) does not match the ResourceVersion in record "
            f"({resource_version}). "
            "The object might have been modified"
        )
        raise _conflict(fx, asked, why)


def _conflict(fx: Effects, asked: Deletion, why: str) -> ApiError:
    """409; it names the object by its kind where other answers have the plural."""
    return conflict(asked.kind, asked.name, why, group=info_in(fx.world, asked.kind).group)
