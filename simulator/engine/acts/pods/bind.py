"""The binding of a pod to a node, as a scheduler sends it.

A scheduler decides, and the binding writes its decision: the API server only checks whether the pod
already has a node, is being deleted or is held back by scheduling gates. Neither resources nor
taints nor the node itself are checked; the kubelet of that name decides whether to admit the pod.
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import NODE, TARGET, Form
from simulator.engine.acts.offer import Input, Offer, Offers, button, gone, plain_choices
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, live_pod
from simulator.engine.apiserver.store.binding import bind_to, binding_problem
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class BindPod(Command, frozen=True, kw_only=True, tag="bind"):
    """POST to the binding subresource: assign a pod to a node, as a scheduler does. Whether the node exists is not checked."""

    target: Key
    node: str


def _bind(fx: Effects, command: BindPod) -> Doing:
    row = live_pod(fx, command.target)
    problem = binding_problem(fx, row)
    if problem is not None:
        raise problem
    return lambda: bind_to(fx, row, command.node)


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    nodes = [node.name for node in world.tables.nodes.values() if not node.is_deleted]
    if not nodes:
        return
    target = '"target":{"apiVersion":"v1","kind":"Node","name":"{node}"}'
    body = f'{{"apiVersion":"v1","kind":"Binding","metadata":{{"name":"{pod.name}","namespace":"{pod.namespace}"}},{target}}}'
    # What binding_problem checks, from the view.
    is_free = not pod.node and pod.deletion is None and not pod.scheduling_gates
    yield Offer(
        key=f"{pod.key}-bind",
        place="change",
        given={"target": pod.key},
        buttons=button(gettext_noop("Bind to node")),
        kubectl=f"echo '{body}' | kubectl create --raw /api/v1/namespaces/{pod.namespace}/pods/{pod.name}/binding -f -",
        help=Text(
            gettext_noop("A scheduler’s last step. Taints and room are not checked; the node’s kubelet decides whether to admit the pod.")
        ),
        inputs=(Input("node", Text(gettext_noop("Node")), nodes[0], choices=plain_choices(nodes)),),
        why_not=gone(pod) or ("" if is_free else "API-CONFLICT"),
    )


def _read(step: StepReader) -> Iterator[BindPod]:
    yield BindPod(target=step.target(), node=step.needed("node", str))


BIND_POD = Act(
    command=BindPod,
    handler=_bind,
    subject=the_pod,
    sentence=gettext_noop("Bind {target} to {node}"),
    headline=gettext_noop("You bound pod {pod} to {node}"),
    omitted=("target",),
    form=Form((TARGET, NODE)),
    offers=Offers(pod=_offer),
    verbs=(Verb("bind", "assigns a pod to a node, as a scheduler does", _read, needs=("pod", "node")),),
)
