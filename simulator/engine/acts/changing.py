"""A change of an object of any kind, as requested by patch and replace."""

from simulator.engine.apiserver.kind_answers import find_object, find_pod
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.edits import Edit
from simulator.engine.apiserver.store.nodes import change_node, is_machine
from simulator.engine.apiserver.store.pods import change_pod
from simulator.engine.apiserver.store.updates import change_object
from simulator.engine.world.effects import Effects


def changing(fx: Effects, names: tuple[str, str, str], edit: Edit, *, subresource: str, is_patch: bool) -> Doing:
    """Check the change of the object of that kind, namespace and name. Raises ApiError."""
    kind, namespace, name = names
    # A Node that is only an object, without a machine, is changed like any other object.
    if kind == "Node" and is_machine(fx, name):
        return change_node(fx, name, edit, is_patch=is_patch)
    if kind == "Pod":
        row = find_pod(fx, namespace, name)
        return change_pod(fx, row, edit, subresource=subresource, is_patch=is_patch)
    return change_object(fx, find_object(fx, kind, namespace, name), edit, subresource=subresource, is_patch=is_patch)
