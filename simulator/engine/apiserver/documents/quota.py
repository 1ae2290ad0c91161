"""The status of a ResourceQuota: what a namespace may use and what is used of it at this moment."""

from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import kind_of
from simulator.engine.model.quantity import canonical, parse
from simulator.engine.model.quota_scopes import is_counted
from simulator.engine.model.requests import pod_limits, pod_requests
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.lookups import objects_of, pods_in
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

_NANO = 1_000_000_000


def quota_status(world: World, namespace: str, spec: Json) -> dict[str, Any]:
    """The status of a quota with this spec, as the quota controller keeps it. O(pods of the namespace × bounds).

    Source: pkg/controller/resourcequota syncResourceQuota. The controller's delay is not modelled.
    """
    hard = spec.get("hard") or {}
    rows = [row for row in pods_in(world.tables, namespace) if row.status.phase not in TERMINAL_PHASES and is_counted(row.pod.spec, spec)]
    return {"hard": dict(hard), "used": {name: _used(world, namespace, name, rows) for name in hard}} if hard else {}


def _used(world: World, namespace: str, name: str, rows: list[PodRow]) -> str:
    """The use of one resource: what pods that have not ended ask for, or a number of objects."""
    part, _, resource = name.rpartition(".")
    if name in ("pods", "count/pods"):
        return str(len(rows))
    if resource in ("cpu", "memory", "ephemeral-storage") and part in ("", "requests", "limits"):
        pick = pod_limits if part == "limits" else pod_requests
        return amount_text(resource, sum(pick(row.pod.spec).get(resource, 0) for row in rows))
    info = kind_of(name.removeprefix("count/").partition(".")[0])
    return "0" if info is None else str(sum(1 for _ in objects_of(world.tables, info.kind, namespace)))


def amount_text(resource: str, nano: int) -> str:
    """Nano units as a quantity: thousandths of a cpu, binary units of bytes where they fit."""
    if nano % _NANO:
        return f"{nano // (_NANO // 1000)}m"
    number = nano // _NANO
    for unit, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if resource != "cpu" and number and number % size == 0:
            return f"{number // size}{unit}"
    return canonical(parse(str(number)))
