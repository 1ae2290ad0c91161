"""DELETE with its options: preconditions, grace period, propagation to dependents, dry run.

Source: apiserver pkg/registry/rest/delete.go BeforeDelete; pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection.
"""

from msgspec.structs import replace

from simulator.engine.api.answer import Answer, ApiError, conflict, invalid_object
from simulator.engine.api.list_selectors import label_selector
from simulator.engine.api.selectors import selects
from simulator.engine.api.validation.errors import invalid
from simulator.engine.commands import DeleteNamespace, DeleteNode, DeleteObject
from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.node.acts import NODE_ACTS
from simulator.engine.controllers.object_acts import OBJECT_ACTS
from simulator.engine.controllers.refusal import Act
from simulator.engine.controllers.store.nodes import is_machine
from simulator.engine.controllers.store.owners import BACKGROUND, FOREGROUND, ORPHAN, delete_owner
from simulator.engine.controllers.store.pods import nothing
from simulator.engine.controllers.store.resources import find_object, find_pod
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.views.objects import keys_of, object_document
from simulator.engine.world import ApiObject

_POLICIES = ("", BACKGROUND, FOREGROUND, ORPHAN)


def deleting(fx: Effects, command: DeleteObject) -> Act:
    """Check a DELETE; the act carries it out. Raises ApiError."""
    if command.propagation not in _POLICIES:
        error = invalid("propagationPolicy", command.propagation, 'needs to be one of "Foreground", "Background", "Orphan" or nil')
        raise invalid_object("DeleteOptions", "", [error], group="meta.k8s.io")
    act = _act(fx, command) if command.name else _several(fx, command)
    return nothing if command.dry_run else act


def _several(fx: Effects, command: DeleteObject) -> Act:
    """Every object that is meant, one after the other in the order of their names. Raises ApiError where there is none."""
    wanted = label_selector(command.selector)
    names = sorted(name for space, name in keys_of(fx.world, command.kind) if space in ("", command.namespace))
    meant = [name for name in names if selects(wanted, _labels(fx, command, name))]
    if not meant:
        raise ApiError(Answer(code=404, reason="NotFound", message="No resources found"))
    acts = [_act(fx, replace(command, name=name)) for name in meant]

    def act() -> None:
        cause = fx.cause
        for one in acts:
            fx.cause = cause
            one()

    return act


def _labels(fx: Effects, command: DeleteObject, name: str) -> dict[str, str]:
    return object_document(fx.world, command.kind, command.namespace, name)["metadata"].get("labels") or {}


def _act(fx: Effects, command: DeleteObject) -> Act:
    if command.kind == "Namespace":
        return OBJECT_ACTS[DeleteNamespace](fx, DeleteNamespace(name=command.name))
    if command.kind == "Node" and is_machine(fx, command.name):
        return NODE_ACTS[DeleteNode](fx, DeleteNode(node=command.name))
    if command.kind == "Pod":
        pod = find_pod(fx, command.namespace, command.name)
        _check_preconditions(command, pod)
        return lambda: delete_pod(fx, pod, command.grace_s)
    row = find_object(fx, command.kind, command.namespace, command.name)
    _check_preconditions(command, row)
    policy = command.propagation or (ORPHAN if command.kind == "Job" else BACKGROUND)
    return lambda: delete_owner(fx, row, policy)


def _check_preconditions(command: DeleteObject, row: PodRow | ApiObject) -> None:
    """The object must be the one that is meant, and as it was seen. Raises ApiError (409)."""
    if command.uid and command.uid != row.uid:
        why = (
            f"the UID in the precondition ({command.uid}) does not match the UID in record ({row.uid}). "
            "The object might have been deleted and then recreated"
        )
        raise _conflict(command, why)
    found = str(row.resource_version)
    if command.resource_version and command.resource_version != found:
        why = (
            f"the ResourceVersion in the precondition ({command.resource_version}) does not match the ResourceVersion in record ({found}). "
            "The object might have been modified"
        )
        raise _conflict(command, why)


def _conflict(command: DeleteObject, why: str) -> ApiError:
    return conflict(command.kind, command.name, why)
