"""Stop a node's kubelet, container runtime or network plugin, or bring it back.

The three parts of a machine fail independently, and none of them takes the containers with it.
Without its kubelet a node falls silent: nothing probes, restarts or stops its containers, which keep
running. Without its runtime the kubelet runs but sees nothing. Without a network plugin only new
sandboxes fail. ``kill`` differs from ``stop`` only in the wording of the script.

A kubelet that starts again has no memory: probe results, back-offs and countdowns start over.
Docker is excluded, since its daemon takes the containers down when it stops.
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_node
from simulator.engine.acts.form import CHOICE, NODE, Form, FormField
from simulator.engine.acts.offer import Offer, Offers, button
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, bad_value
from simulator.engine.containers.docker import DOCKER
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.node import kubelet_restart, runtime_loss, shutdown
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

_SWITCH = ("stop", "kill", "start")
_PLUGIN = ("missing", "present")


class NodeControl(Command, frozen=True, kw_only=True, tag="node"):
    """Stop, kill or start a node's kubelet or container runtime, or remove its network plugin (missing) and restore it (present)."""

    node: str
    kubelet: str = ""
    runtime: str = ""
    network_plugin: str = ""


def _control(fx: Effects, command: NodeControl) -> Doing:
    node = command.node
    if node not in fx.tables.nodes:
        raise Refusal("COMMAND-NO-NODE")
    if command.kubelet not in ("", *_SWITCH) or command.runtime not in ("", *_SWITCH):
        raise bad_value("kubelet and runtime take stop, kill or start")
    # Other runtimes leave the shims, and with them the containers, running.
    if command.runtime in ("stop", "kill") and fx.world.runtime_of(node) == DOCKER:
        raise Refusal("NODE-DOCKER-STOPS")
    if command.network_plugin not in ("", *_PLUGIN):
        raise bad_value("network_plugin takes missing or present")

    def act() -> None:
        with fx.aside():
            # The runtime first: a kubelet that starts finds it as the command leaves it.
            if command.runtime == "start":
                runtime_loss.start_runtime(fx, node)
            elif command.runtime:
                runtime_loss.stop_runtime(fx, node)
        with fx.aside():
            if command.kubelet == "start":
                kubelet_restart.start_kubelet(fx, node)
            elif command.kubelet and fx.tables.node_life[node].kubelet != "stopped":
                kubelet_restart.stop_kubelet(fx, node)
                # The kubelet holds systemd's inhibitor lock; when it stops, a shutdown no longer
                # waits for it.
                shutdown.lock_lost(fx, node)
        if command.network_plugin:
            runtime_loss.set_network(fx, node, present=command.network_plugin == "present")

    return act


def _offers(world: World, node: NodeView) -> Iterator[Offer]:
    """Stop each part that is up, restore each that is down. A node whose object is gone still has its machine."""

    service = world.runtime_of(node.name)
    stops = "NODE-DOCKER-STOPS" if service == DOCKER else ""

    def offer(part: str, field: str, to: str, label: str, kubectl: str = "", effect: str = "", why_not: str = "") -> Offer:
        return Offer(
            key=f"{node.name}-{part}",
            place="machine",
            given={"node": node.name, field: to},
            buttons=button(label),
            kubectl=kubectl,
            help=Text(effect) if effect else None,
            why_not=why_not,
        )

    if node.is_off:
        effect = gettext_noop("The machine boots. Its kubelet starts without any memory and starts the pods still bound to the node.")
        yield offer("kubelet", "kubelet", "start", gettext_noop("Power on"), effect=effect)
        return
    if node.kubelet == "stopped":
        effect = gettext_noop("It starts without any memory: probe results, back-offs and countdowns start over.")
        yield offer("kubelet", "kubelet", "start", gettext_noop("Start kubelet"), "systemctl start kubelet", effect)
    else:
        effect = gettext_noop("Containers keep running, but nothing probes, restarts or stops them, and the node goes silent.")
        yield offer("kubelet", "kubelet", "stop", gettext_noop("Stop kubelet"), "systemctl stop kubelet", effect)
    if node.runtime == "down":
        yield offer("runtime", "runtime", "start", gettext_noop("Start runtime"), f"systemctl start {service}")
    else:
        effect = gettext_noop("Containers keep running; the kubelet can neither see, start nor stop any of them.")
        yield offer("runtime", "runtime", "stop", gettext_noop("Stop runtime"), f"systemctl stop {service}", effect, stops)
    if node.network:
        effect = gettext_noop("New sandboxes fail, and the node reports NetworkNotReady.")
        yield offer("network", "network_plugin", "missing", gettext_noop("Remove network plugin"), effect=effect)
    else:
        yield offer("network", "network_plugin", "present", gettext_noop("Restore network plugin"))


def _read(step: StepReader) -> Iterator[NodeControl]:
    kubelet, runtime, plugin = (step.field(name, str, "") for name in ("kubelet", "runtime", "network-plugin"))
    for name, value, known in (("kubelet", kubelet, _SWITCH), ("runtime", runtime, _SWITCH), ("network-plugin", plugin, _PLUGIN)):
        if value and value not in known:
            raise BadStep(gettext_noop("{name} must be one of {known}"), f"node.{name}", name=name, known=", ".join(known))
    yield NodeControl(node=step.needed("name", str), kubelet=kubelet, runtime=runtime, network_plugin=plugin)


NODE_CONTROL = Act(
    command=NodeControl,
    handler=_control,
    subject=the_node,
    sentence=gettext_noop("Change what runs on {node}"),
    headline=gettext_noop("You changed what runs on node {node}"),
    form=Form(
        (
            NODE,
            FormField("kubelet", CHOICE, choices=_SWITCH),
            FormField("runtime", CHOICE, choices=_SWITCH),
            FormField("network_plugin", CHOICE, choices=_PLUGIN),
        )
    ),
    offers=Offers(node=_offers),
    verbs=(
        Verb(
            "node",
            "stops and starts parts of a node; a second `missing` puts the plugin back, as in recorded scripts",
            _read,
            needs=("name",),
            may=("kubelet stop, kill or start", "runtime the same", "network-plugin missing or present"),
        ),
    ),
    rules=(
        RuleText(
            "NODE-DOCKER-STOPS",
            gettext_noop("A Docker daemon that stops takes its containers with it, which is not simulated; stop the kubelet instead."),
            "a command of the run; docs.docker.com/config/containers/live-restore",
            until="1.23",
        ),
    ),
)
