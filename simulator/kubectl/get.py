"""The table of ``kubectl get pods``: the columns that the server computes, for every pod that exists at this moment.

READY, STATUS and RESTARTS are computed by the API server from the published status (printPod), so they lag behind the
node as far as the status does. AGE is the time from creation to the moment asked about.
"""

from collections.abc import Iterable

from msgspec import Struct

from simulator.engine.apiserver.documents.moments import since
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.projection.columns import columns_at
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World
from simulator.kubectl.align import table

HEADER = ("NAME", "READY", "STATUS", "RESTARTS", "AGE")
WIDE = ("IP", "NODE", "NOMINATED NODE", "READINESS GATES")
NONE = "<none>"


class GetRow(Struct, frozen=True, kw_only=True, gc=False):
    """One row. ``cells`` are the texts below ``HEADER``, ``wide`` those that ``-o wide`` adds."""

    key: Key
    namespace: str
    cells: tuple[str, str, str, str, str]
    wide: tuple[str, str, str, str]


def get_rows(world: World, *, now_ms: Ms | None = None) -> tuple[GetRow, ...]:
    """The pods that exist, by namespace and name, as the API lists them."""
    now = world.now_ms if now_ms is None else now_ms
    present = (row for row in world.tables.pods.values() if row.gone_ms is None)
    return tuple(get_row(world, row, now) for row in sorted(present, key=lambda row: (row.namespace, row.name)))


def get_row(world: World, row: PodRow, now_ms: Ms) -> GetRow:
    """One pod's row at ``now_ms``."""
    shown = columns_at(world, row, now_ms)
    status = row.status
    return GetRow(
        key=row.key,
        namespace=row.namespace,
        cells=(row.name, shown.ready, shown.status, shown.restarts_text, since(row.created_ms, now_ms)),
        wide=(status.pod_ip or NONE, row.node or NONE, status.nominated_node or NONE, shown.readiness_gates),
    )


def get_pods(world: World, *, now_ms: Ms | None = None, wide: bool = False) -> str:
    """The table as kubectl prints it, with a NAMESPACE column if there are several namespaces. Empty if no pod exists."""
    rows = get_rows(world, now_ms=now_ms)
    if not rows:
        return ""
    everywhere = len({row.namespace for row in rows}) > 1
    head = (*HEADER, *(WIDE if wide else ()))
    lines = [(*row.cells, *(row.wide if wide else ())) for row in rows]
    if not everywhere:
        return table([head, *lines])
    return table([("NAMESPACE", *head), *_with_namespace(rows, lines)])


def _with_namespace(rows: Iterable[GetRow], lines: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return [(row.namespace, *line) for row, line in zip(rows, lines, strict=True)]
