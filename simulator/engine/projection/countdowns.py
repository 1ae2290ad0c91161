"""The moments that pages count down to, even if nothing is recorded when they come: a run is not over before them."""

from collections.abc import Iterator

from simulator.engine.kernel.units import Ms
from simulator.engine.model.disruption import DISRUPTED_FOR_MS
from simulator.engine.world.events import DrainRetry
from simulator.engine.world.world import World


def last_countdown_ms(world: World) -> Ms | None:
    """The last future moment of a countdown shown now; None if none is shown. O(pods + planned checks + budgets).

    A drain retries in vain, the grace period runs out on a node without a kubelet, a budget forgets an eviction that nobody has seen.
    """
    return max((moment for moment in _moments(world) if moment > world.now_ms), default=None)


def _moments(world: World) -> Iterator[Ms]:
    yield from (due_ms for key, (due_ms, _) in world.tables.checks.items() if isinstance(key, DrainRetry))
    yield from (row.deletion_ms for row in world.tables.pods.values() if row.deletion_ms is not None and row.gone_ms is None)
    for budget in world.tables.budgets.values():
        yield from (seen_ms + DISRUPTED_FOR_MS for _, seen_ms in budget.health.disrupted)
