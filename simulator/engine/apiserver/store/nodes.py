"""Changes of Node objects: labels, taints and whether pods may be scheduled; each as the act of the corresponding kubectl command."""

from typing import Any

from simulator.engine.apiserver.kind_answers import invalid_answer
from simulator.engine.apiserver.nodes.labels import labelling
from simulator.engine.apiserver.nodes.objects import cordon
from simulator.engine.apiserver.nodes.taints import change_taints
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.edits import Edit, edited
from simulator.engine.apiserver.update_checks import check_object_update
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KINDS
from simulator.engine.policies.taint_eviction import Taint
from simulator.engine.world.effects import Effects


def is_machine(fx: Effects, name: str) -> bool:
    """Whether the cluster has a machine of that name, and not just an object."""
    held = fx.tables.nodes.get(name)
    return held is not None and not held.is_deleted


def change_node(fx: Effects, name: str, edit: Edit, *, is_patch: bool) -> Doing:
    """Check a change of a node; the act stores the parts that the simulation knows. Raises ApiError."""
    shown, wanted = edited(fx, "Node", ("", name), edit, is_patch=is_patch)
    wanted = {**wanted, "status": shown["status"]}
    errors = check_object_update(shown, wanted, release=fx.world.release)
    if errors:
        raise invalid_answer(KINDS["Node"], name, errors)
    return lambda: _store(fx, name, shown, wanted)


def _store(fx: Effects, name: str, shown: Json, wanted: Json) -> None:
    old, new = _labels(shown), _labels(wanted)
    changed: dict[str, str | None] = {key: new.get(key) for key in (*old, *new) if old.get(key) != new.get(key)}
    if changed:
        with fx.aside():
            labelling(fx, name, changed)()
    before, after = _taints(shown), _taints(wanted)
    # Labels, taints and cordon of one request are siblings, not causes of one another.
    add, remove = tuple(item for item in after if item not in before), tuple(item for item in before if item not in after)
    with fx.aside():
        change_taints(fx, name, add=add, remove=remove, rule="TAINT-SET")
    closed = bool((wanted.get("spec") or {}).get("unschedulable"))
    if closed != bool(shown["spec"].get("unschedulable")):
        cordon(fx, name, unschedulable=closed)


def _labels(document: Json) -> dict[str, str]:
    return {str(key): str(value) for key, value in (document["metadata"].get("labels") or {}).items()}


def _taints(document: Json) -> tuple[Taint, ...]:
    items: list[dict[str, Any]] = (document.get("spec") or {}).get("taints") or []
    return tuple((str(item.get("key")), str(item.get("value") or ""), str(item.get("effect"))) for item in items)
