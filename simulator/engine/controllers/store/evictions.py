"""The eviction subresource: a deletion that says that it disrupts the pod.

Source: pkg/registry/core/pod/storage/eviction.go Create.
"""

from simulator.engine.controllers.api_server import delete_pod
from simulator.engine.controllers.node.taints import disrupt
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText(
        "EVICT-REQUEST",
        gettext_noop("The eviction API lets the pod go: it is marked as disrupted where the version does that, then deleted."),
        "pkg/registry/core/pod/storage/eviction.go",
    ),
)


def evict(fx: Effects, row: PodRow, grace_s: int | None, *, rule: str = "EVICT-REQUEST") -> None:
    """Mark the pod where the version does, then delete it."""
    disrupt(fx, row.key, "EvictionByEvictionAPI", "Eviction API: evicting", rule=rule)
    delete_pod(fx, fx.tables.pods[row.key], grace_s)
