"""Removing scheduling gates."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import TARGET, VALUE, Form, Values
from simulator.engine.acts.offer import Offer, Offers, button, gone, in_namespace
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, live_pod
from simulator.engine.apiserver.store.pods import change_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class RemoveSchedulingGates(Command, frozen=True, kw_only=True, tag="remove_scheduling_gates"):
    """Remove a scheduling gate from a pod that has no node yet; an empty ``gate`` removes all."""

    target: Key
    gate: str = ""


def _remove_gates(fx: Effects, command: RemoveSchedulingGates) -> Doing:
    row = live_pod(fx, command.target)
    kept = [gate.name for gate in row.pod.spec.scheduling_gates if command.gate and gate.name != command.gate]
    if not fx.profile.scheduling_gated or len(kept) == len(row.pod.spec.scheduling_gates):
        raise Refusal("COMMAND-NO-GATE")

    def edit(shown: Json) -> Json:
        # An empty list is left out, as the API server stores it.
        spec = {key: value for key, value in shown["spec"].items() if key != "schedulingGates"}
        return {**shown, "spec": {**spec, **({"schedulingGates": [{"name": name} for name in kept]} if kept else {})}}

    return change_pod(fx, row, edit)


def _make(values: Values) -> RemoveSchedulingGates:
    return RemoveSchedulingGates(target=values["target"], gate=values["value"])


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    is_gated = world.profile.scheduling_gated and pod.scheduling_gates
    yield Offer(
        key=f"{pod.key}-gates",
        place="change",
        given={"target": pod.key},
        buttons=button(gettext_noop("Remove scheduling gates")),
        kubectl=f'kubectl patch pod {pod.name}{in_namespace(pod.namespace)} --type=merge -p \'{{"spec":{{"schedulingGates":null}}}}\'',
        help=Text(gettext_noop("The scheduler now considers the pod.")),
        why_not=gone(pod) or ("" if is_gated else "COMMAND-NO-GATE"),
    )


def _read(step: StepReader) -> Iterator[RemoveSchedulingGates]:
    yield RemoveSchedulingGates(target=step.target(), gate=step.field("gate", str, ""))


REMOVE_SCHEDULING_GATES = Act(
    command=RemoveSchedulingGates,
    handler=_remove_gates,
    subject=the_pod,
    sentence=gettext_noop("Remove scheduling gates of {target}"),
    headline=gettext_noop("You removed scheduling gates of pod {pod}"),
    form=Form((TARGET, VALUE), _make),
    offers=Offers(pod=_offer),
    verbs=(Verb("ungate", "removes scheduling gates: all of them, or the one named", _read, needs=("pod",), may=("gate",)),),
    rules=(RuleText("COMMAND-NO-GATE", gettext_noop("The pod has no such scheduling gate."), "a command of the run"),),
)
