"""Acts on nodes are changes of their objects: the rules of the API server apply to them as to any other change."""

from collections.abc import Callable

from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.kind_answers import invalid_answer
from simulator.engine.apiserver.update_checks import check_object_update
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.policies.taint_eviction import Taint
from simulator.engine.world.effects import Effects


def check_labels(fx: Effects, name: str, labels: dict[str, str]) -> None:
    """Raise ApiError (422) if the node may not have these labels."""
    _check(fx, name, lambda shown: {**shown, "metadata": {**shown["metadata"], "labels": labels}})


def check_taints(fx: Effects, name: str, taints: tuple[Taint, ...]) -> None:
    """Raise ApiError (422) if the node may not have these taints."""
    written = [{"key": key, "effect": effect, **({"value": value} if value else {})} for key, value, effect in taints]
    _check(fx, name, lambda shown: {**shown, "spec": {**shown["spec"], "taints": written}})


def _check(fx: Effects, name: str, edit: Callable[[Json], Json]) -> None:
    try:
        shown = object_document(fx.world, "Node", "", name)
    except KeyError:  # the machine exists, its object does not
        return
    if errors := check_object_update(shown, edit(shown), release=fx.world.release):
        raise invalid_answer(KINDS["Node"], name, errors)
