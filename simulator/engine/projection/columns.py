"""The columns that the server computes for ``kubectl get pods``, at any moment."""

from simulator.engine.kernel.units import Ms
from simulator.engine.policies.printing import Columns, printed_columns
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World


def columns_at(world: World, row: PodRow, now_ms: Ms) -> Columns:
    """The server's columns for the pod at ``now_ms``."""
    return printed_columns(row.pod.spec, row.status, now_ms=now_ms, is_deleted=row.deletion_ms is not None, options=world.options.printing)
