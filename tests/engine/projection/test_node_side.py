"""The back-off entries of a pod as the page shows them."""

from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.projection.model import BackoffView
from simulator.engine.projection.node_side import backoff_views
from tests.engine.worlds import container, header, pod, run

CRASHES = tuple((at, ExitContainer(target="default/p", container="app", exit_code=1)) for at in (5, 10, 615))
"""The second wait ends at 20 s, so the entry is advanced at 24 s, with the next sync: it is ten minutes old at 624 s."""


def entries(at_s: float) -> tuple[BackoffView, ...]:
    world, _ = run(header(pod(container("sleep 9999"))), at_s, *(crash for crash in CRASHES if crash[0] <= at_s))
    (row,) = world.tables.pods.values()
    return backoff_views(world, row, world.now_ms)


def test_wait_ends_when_housekeeping_drops_the_entry() -> None:
    (entry,) = entries(616)
    assert (entry.window_ms, entry.until_ms) == (20_000, 625_000)


def test_entry_that_housekeeping_dropped_is_not_shown() -> None:
    assert len(entries(624.9)) == 1
    assert entries(625) == ()
