"""The status of a ResourceQuota: what a namespace may use and what it uses at this moment."""

from typing import Any

from simulator.engine.apiserver.admission.resource_quota import quota_amount, used_by
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import kind_of
from simulator.engine.model.quota_scopes import is_counted
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.lookups import objects_of, pods_in
from simulator.engine.world.world import World


def quota_status(world: World, namespace: str, spec: Json) -> dict[str, Any]:
    """The status of a quota with this spec, as the quota controller keeps it. O(pods of the namespace × bounds).

    Source: pkg/controller/resourcequota syncResourceQuota. The controller's delay is not modelled.
    """
    hard = spec.get("hard") or {}
    rows = (row for row in pods_in(world.tables, namespace) if row.status.phase not in TERMINAL_PHASES)
    by_pods = used_by((row.pod.spec for row in rows if is_counted(row.pod.spec, spec)), hard)
    # Bounds that pods do not count against limit numbers of objects.
    used = {name: quota_amount(name, by_pods[name]) if name in by_pods else _objects(world, namespace, name) for name in hard}
    return {"hard": dict(hard), "used": used} if hard else {}


def _objects(world: World, namespace: str, name: str) -> str:
    """How many objects there are of the kind that a bound names."""
    info = kind_of(name.removeprefix("count/").partition(".")[0])
    return "0" if info is None else str(sum(1 for _ in objects_of(world.tables, info.kind, namespace)))
