"""``kubectl taint node``."""

import json
from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import NODE, VALUE, Form, Values, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.nodes.checks import check_taints
from simulator.engine.apiserver.nodes.taints import change_taints
from simulator.engine.apiserver.refusal import Doing, bad_value, check_node
from simulator.engine.apiserver.validation.pod.placing import EFFECTS
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.policies.taint_eviction import Taint
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class TaintNode(Command, frozen=True, kw_only=True, tag="taint"):
    """``kubectl taint node``: add taints ``key=value:effect``, remove those matching ``key``, ``key:effect`` or ``key=value:effect``."""

    node: str
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()


def _taint(fx: Effects, command: TaintNode) -> Doing:
    check_node(fx, command.node)
    held = fx.tables.nodes[command.node].taints
    add = tuple(_parsed(text) for text in command.add)
    remove = tuple(taint for text in command.remove for taint in _meant(held, text.removesuffix("-")))
    # Key and effect identify a taint: a new value replaces the old one.
    replaced = tuple(old for old in held for new in add if (old[0], old[2]) == (new[0], new[2]) and old != new)
    if not add and not remove:
        raise bad_value(
            f"taint {json.dumps(command.remove[0].removesuffix('-'))} not found"
            if command.remove
            else "at least one taint update is required"
        )
    # The rules judge the list as it will be stored, with each taint once.
    gone = (*remove, *replaced, *add)
    check_taints(fx, command.node, (*(taint for taint in held if taint not in gone), *add))

    return lambda: change_taints(fx, command.node, add=add, remove=(*remove, *replaced), rule="TAINT-SET")


def _parsed(text: str) -> Taint:
    """``key=value:effect`` or ``key:effect`` as a taint. Raises Refusal in kubectl's words (pkg/cmd/taint/utils.go)."""
    name, _, effect = text.rpartition(":")
    key, _, value = name.partition("=")
    if not key:
        raise bad_value(f"invalid taint spec: {text}")
    if effect not in EFFECTS:
        raise bad_value(f"invalid taint effect: {effect}, unsupported taint effect")
    return (key, value, effect)


def _meant(held: tuple[Taint, ...], text: str) -> list[Taint]:
    """Those of the taints that ``key``, ``key:effect`` or ``key=value:effect`` matches."""
    name, _, effect = text.rpartition(":") if ":" in text else (text, "", "")
    key, _, value = name.partition("=")
    return [taint for taint in held if taint[0] == key and effect in ("", taint[2]) and value in ("", taint[1])]


def _make(values: Values) -> TaintNode:
    text = values["value"]
    if text.endswith("-"):
        return TaintNode(node=values["node"], remove=(text[:-1],))
    return TaintNode(node=values["node"], add=(text,))


def _offer(world: World, node: NodeView) -> Iterator[Offer]:
    yield Offer(
        key=f"{node.name}-taint",
        place="node-more",
        given={"node": node.name},
        buttons=button(gettext_noop("Set taint")),
        kubectl=f"kubectl taint node {node.name} {{value}}",
        help=Text(gettext_noop("NoExecute evicts pods that do not tolerate it; a trailing minus removes the taint.")),
        inputs=(Input("value", Text(gettext_noop("Taint")), "maintenance=soon:NoExecute"),),
        why_not="COMMAND-NO-NODE" if node.is_deleted else "",
    )


def _read(step: StepReader) -> Iterator[TaintNode]:
    yield TaintNode(node=step.needed("node", str), add=_taints(step, "add"), remove=_taints(step, "remove"))


def _taints(step: StepReader, field: str) -> tuple[str, ...]:
    """Taints as strings (``key=value:effect``) or maps, one or a list of them."""
    value = step.field(field, (str, dict, list))
    found = []
    for item in value if isinstance(value, list) else [] if value is None else [value]:
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, dict) and item.get("key"):
            content = f"={item['value']}" if item.get("value") else ""
            effect = f":{item['effect']}" if item.get("effect") else ""
            found.append(f"{item['key']}{content}{effect}")
        else:
            raise BadStep(gettext_noop("a taint must have the form key=value:effect"), f"taint.{field}")
    return tuple(found)


TAINT_NODE = Act(
    command=TaintNode,
    handler=_taint,
    subject=the_node,
    sentence=gettext_noop("Taint {node}"),
    headline=gettext_noop("You changed the taints of node {node}"),
    form=Form((NODE, is_needed(VALUE)), _make),
    offers=Offers(node=_offer),
    verbs=(Verb("taint", "as `kubectl taint`", _read, needs=("node", ("add", "remove"))),),
)
