"""How much of a ResourceQuota is used at this moment, for a quota whose status nobody keeps."""

from simulator.engine.apiserver.documents.objects import keys_of
from simulator.engine.model.kinds import kind_of
from simulator.engine.model.quantity import canonical, parse
from simulator.engine.model.requests import pod_limits, pod_requests
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.world import World

_NANO = 1_000_000_000


def used_of(world: World, namespace: str, name: str) -> str:
    """The use of one resource: what pods that have not ended ask for, or a number of objects. O(pods)."""
    part, _, resource = name.rpartition(".")
    rows = [row for row in world.tables.pods.values() if row.namespace == namespace and row.gone_ms is None]
    rows = [row for row in rows if row.status.phase not in TERMINAL_PHASES]
    if name in ("pods", "count/pods"):
        return str(len(rows))
    if resource in ("cpu", "memory", "ephemeral-storage") and part in ("", "requests", "limits"):
        pick = pod_limits if part == "limits" else pod_requests
        return amount_text(resource, sum(pick(row.pod.spec).get(resource, 0) for row in rows))
    info = kind_of(name.removeprefix("count/"))
    return "0" if info is None else str(sum(space == namespace for space, _ in keys_of(world, info.kind)))


def amount_text(resource: str, nano: int) -> str:
    """Nano units as a quantity: thousandths of a cpu, binary units of bytes where they fit."""
    if nano % _NANO:
        return f"{nano // (_NANO // 1000)}m"
    number = nano // _NANO
    for unit, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if resource != "cpu" and number and number % size == 0:
            return f"{number // size}{unit}"
    return canonical(parse(str(number)))
