"""The binding subresource: a pod gets its node, as a scheduler requests it.

Source: pkg/registry/core/pod/storage/storage.go setPodHostAndAnnotations.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.answer import ApiError, conflict
from simulator.engine.apiserver.publish import Draft, condition_of, publish
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText(
        "BIND-REQUEST",
        gettext_noop(
            "A binding assigns the pod to a node. Filters and room are not checked; the node’s kubelet decides whether to admit the pod."
        ),
        "pkg/registry/core/pod/storage/storage.go assignPod",
    ),
)


def binding_problem(fx: Effects, row: PodRow) -> ApiError | None:
    """Why the pod cannot be bound; None if it can."""
    why = ""
    if row.deletion_ms is not None:
        why = f"pod {row.name} is being deleted, cannot be assigned to a host"
    elif row.node:
        why = f'pod {row.name} is already assigned to node "{row.node}"'
    elif fx.profile.scheduling_gated and row.pod.spec.scheduling_gates:
        why = f"pod {row.name} has non-empty .spec.schedulingGates"
    return conflict("pods/binding", row.name, why) if why else None


def bind_to(fx: Effects, row: PodRow, node: str) -> None:
    """Write spec.nodeName and PodScheduled together; a kubelet of that name sees the pod next."""
    # One write for both: no client ever sees a node without PodScheduled.
    others = tuple(item for item in row.status.conditions if item.type != "PodScheduled")
    status = replace(row.status, conditions=(*others, condition_of(fx, row, "PodScheduled", "True")))
    # The node need not exist: the API server does not look it up.
    publish(fx, replace(row, node=node), status, rule="BIND-REQUEST", draft=Draft(status, {"PodScheduled": "BIND-REQUEST"}))
