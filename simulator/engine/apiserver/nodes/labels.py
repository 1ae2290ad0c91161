"""``kubectl label node``: the labels change, and pods that found no node are tried again; running pods stay where they are."""

from collections.abc import Mapping

from msgspec.structs import replace

from simulator.engine.apiserver.nodes.checks import check_labels
from simulator.engine.apiserver.refusal import Doing, Refusal
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.machines.node import LABELS
from simulator.engine.world.effects import Effects

RULES = (
    RuleText(
        "NODE-LABELLED",
        gettext_noop("The node’s labels changed. Waiting pods may now fit; pods running there stay, whatever they asked for."),
        "docs: assign pods to nodes (IgnoredDuringExecution)",
    ),
)


def labelling(fx: Effects, node: str, labels: Mapping[str, str | None]) -> Doing:
    """Check these labels (None removes one); the act sets them. Raises Refusal if there is no such node, ApiError for a bad label."""
    row = fx.tables.nodes.get(node)
    if row is None:
        raise Refusal("COMMAND-NO-NODE")
    kept = {key: text for key, text in row.labels.items() if key not in labels}
    given = {key: text for key, text in labels.items() if text is not None}
    check_labels(fx, node, {**kept, **given})

    def act() -> None:
        data = tuple((key, text if text is not None else "-") for key, text in labels.items())
        subject = f"node/{node}"
        step, fx.cause = fx.fire(LABELS, subject, LABELS.initial, "label", None, data=data)
        if step is None or step.target != "changed":
            return
        fx.save_node(replace(fx.tables.nodes[node], labels={**kept, **given}))

    return act
