"""The end of a kubectl drain: every pod that had to go is gone.

What a drain still waits for is a set of pods by node. Pods leave it as their objects are removed;
when it is empty kubectl prints "drained". A drain that has failed has an empty set without saying
so (``drain._give_up``).

Source: kubectl pkg/cmd/drain/drain.go RunDrain.
"""

from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import GONE, Watch

RULES = (
    RuleText(
        "DRAIN-DONE",
        gettext_noop("Every pod that had to leave the node is gone: kubectl drain is done. The node stays cordoned."),
        "kubectl pkg/cmd/drain/drain.go RunDrain",
    ),
)


def _pod_gone(fx: Effects, _old: PodRow | None, row: PodRow) -> None:
    """Finish a drain that waited for nothing else."""
    for node, waiting in list(fx.tables.drains.items()):
        if row.key in waiting:
            await_pods(fx, node, tuple(key for key in waiting if key != row.key))


def await_pods(fx: Effects, node: str, pods: tuple[Key, ...]) -> None:
    """Wait for these pods of the node, or report that it is drained."""
    fx.save_drain(node, pods)
    if not pods:
        data = (("message", f"node/{node} drained"),)
        fx.record(kind=RecordKind.NOTE.value, subject=f"node/{node}", machine="drain", target="drained", rule="DRAIN-DONE", data=data)


WATCHES = (Watch("kubectl", "Pod", GONE, _pod_gone),)
