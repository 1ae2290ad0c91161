"""User namespaces: the ids of a pod with hostUsers false are mapped to a range on the node that no other pod has.

Source: pkg/kubelet/userns. Where the feature is off the API server drops the field, so nothing happens.
"""

from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.sandbox.user_namespace_machine import USER_NAMESPACE
from simulator.engine.model.system import system_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RANGE = 65_536
"""Number of ids per pod; the first range of a node is reserved for the node itself."""

RULES = (
    RuleText(
        "USER-NAMESPACE",
        gettext_noop("Root in this pod is user {first} on the node: its {count} user IDs are mapped to a range that no other pod has."),
        "pkg/kubelet/userns/userns_manager.go",
        "1.25",
    ),
    RuleText(
        "USER-NAMESPACE-FREE",
        gettext_noop("The pod has left the node, so its range of user IDs can be given to another pod."),
        "pkg/kubelet/userns/userns_manager.go Release",
        "1.25",
    ),
)


def acquire(fx: Effects, row: PodRow) -> None:
    """Allocate the lowest free range of the pod's node, unless it has one or the version has none; Windows maps no ids. O(ranges)."""
    if not fx.profile.user_namespaces or row.key in fx.tables.user_ranges:
        return
    if not system_of(fx.tables.nodes[row.node].os).has_namespaces:
        return
    taken = {first for node, first in fx.tables.user_ranges.values() if node == row.node}
    first = RANGE
    while first in taken:
        first += RANGE
    fx.save_user_range(row.key, (row.node, first))
    name, data = f"{first}-{first + RANGE - 1}", (("first", first), ("count", RANGE))
    fx.fire(USER_NAMESPACE, row.subject, USER_NAMESPACE.initial, DECIDED, "USER-NAMESPACE", word=name, data=data)


def give_back(fx: Effects, pod: Key) -> None:
    """Release the range of a pod that is gone from its node."""
    given = fx.tables.user_ranges.get(pod)
    if given is None:
        return
    fx.save_user_range(pod, None)
    name = f"{given[1]}-{given[1] + RANGE - 1}"
    fx.fire(USER_NAMESPACE, f"pod/{pod}", name, DECIDED, "USER-NAMESPACE-FREE")
