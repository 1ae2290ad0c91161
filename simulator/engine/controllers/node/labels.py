"""``kubectl label node``: the labels change, and pods that found no node are tried again; pods that run stay where they are."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from simulator.engine.commands import LabelNode
from simulator.engine.controllers.node.change import check_labels
from simulator.engine.controllers.refusal import Act, Refusal
from simulator.engine.effects import Effects
from simulator.engine.machines.node import LABELS
from simulator.engine.rules.text import RuleText, gettext_noop

RULES = (
    RuleText(
        "NODE-LABELLED",
        gettext_noop("The node's labels changed. That may let waiting pods in; pods that run there stay, whatever they asked for."),
        "docs: assign pods to nodes (IgnoredDuringExecution)",
    ),
)


def _label(fx: Effects, command: LabelNode) -> Act:
    row = fx.tables.nodes.get(command.node)
    if row is None:
        raise Refusal("COMMAND-NO-NODE")
    kept = {key: text for key, text in row.labels.items() if key not in command.labels}
    given = {key: text for key, text in command.labels.items() if text is not None}
    check_labels(fx, command.node, {**kept, **given})

    def act() -> None:
        data = tuple((key, text if text is not None else "-") for key, text in command.labels.items())
        subject = f"node/{command.node}"
        step, fx.cause = fx.fire(LABELS, subject, LABELS.initial, "label", None, data=data)
        if step is None or step.target != "changed":
            return
        fx.save_node(replace(fx.tables.nodes[command.node], labels={**kept, **given}))

    return act


LABEL_ACTS: dict[type, Callable[[Effects, Any], Act]] = {LabelNode: _label}
