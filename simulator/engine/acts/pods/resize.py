"""Change a container's cpu and memory while it runs.

The change goes through the subresource ``resize``, which accepts a whole pod but uses only the
resources of its containers. What the form leaves empty stays unchanged, so the new amounts are
computed from the stored pod when the command is applied in the run, not when it was issued.
The version must have the feature; whether the node has room is decided by the kubelet, or from
1.36 on by the API server.
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import TARGET, THE_CONTAINER, Form, FormField, Values
from simulator.engine.acts.offer import Input, Offer, Offers, button, gone, in_container, in_namespace, is_mirror
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, bad_value, live_pod
from simulator.engine.apiserver.store.pods import change_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.model.quantity import BadQuantity
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.policies.resize_rules import resizable, resized
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

_LISTS = ("containers", "initContainers")
_PLACES = ("request", "limit")
_RESOURCES = ("cpu", "memory")


class ResizePod(Command, frozen=True, kw_only=True, tag="resize_pod"):
    """Change a container's cpu and memory through the resize subresource; what is left out stays unchanged."""

    target: Key
    container: str = ""
    requests: dict[str, str] = {}
    limits: dict[str, str] = {}


def _resize(fx: Effects, command: ResizePod) -> Doing:
    row = live_pod(fx, command.target)
    if not fx.profile.in_place_resize:
        raise Refusal("COMMAND-NO-RESIZE")
    name = command.container or row.pod.spec.containers[0].name
    try:
        changed = {item.name: resized(item, command.requests, command.limits) for item in resizable(row.pod.spec) if item.name == name}
    except BadQuantity as error:
        raise bad_value(str(error)) from None
    if not changed:
        raise Refusal("COMMAND-REJECTED", (("message", f'no container "{name}" that can be resized'),))
    resources = changed[name].resources
    # The complete amounts are sent, including those that do not change.
    given = {key: dict(part) for key, part in (("requests", resources.requests), ("limits", resources.limits)) if part}

    def edit(shown: Json) -> Json:
        lists = {key: [_given(item, name, given) for item in shown["spec"][key]] for key in _LISTS if key in shown["spec"]}
        return {**shown, "spec": {**shown["spec"], **lists}}

    return change_pod(fx, row, edit, subresource="resize")


def _given(container: Json, name: str, given: Json) -> Json:
    return {**container, "resources": {**container.get("resources", {}), **given}} if container["name"] == name else container


def _make(values: Values) -> ResizePod:
    given = {place: {name: values[f"{name}_{place}"] for name in _RESOURCES if values[f"{name}_{place}"]} for place in _PLACES}
    return ResizePod(target=values["target"], container=values["container"], requests=given["request"], limits=given["limit"])


def _why_not(world: World, pod: PodView) -> str:
    if not pod.is_present or not world.profile.in_place_resize:
        return gone(pod) or "COMMAND-NO-RESIZE"
    return "COMMAND-REJECTED" if pod.phase in TERMINAL_PHASES or is_mirror(world, pod) else ""


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    """Only for a container whose resources may be changed; the requested amounts are checked when applied."""
    if not any(item.name == container.name for item in resizable(world.tables.pods[pod.key].pod.spec)):
        return
    wanted = '{"requests":{"cpu":"{cpu_request}","memory":"{memory_request}"},"limits":{"cpu":"{cpu_limit}","memory":"{memory_limit}"}}'
    body = f'{{"spec":{{"containers":[{{"name":"{container.name}","resources":{wanted}}}]}}}}'
    held = {"request": dict(container.requests), "limit": dict(container.limits)}
    labels = {"request": gettext_noop("{resource} request"), "limit": gettext_noop("{resource} limit")}
    yield Offer(
        key=f"{pod.key}-{container.name}-resize",
        place="container-more",
        given=in_container(pod, container),
        buttons=button(gettext_noop("Resize container")),
        kubectl=f"kubectl patch pod {pod.name}{in_namespace(pod.namespace)} --subresource=resize -p '{body}'",
        help=Text(gettext_noop("The pod stays; resizePolicy decides whether the container restarts. The QoS class cannot change.")),
        inputs=tuple(
            Input(f"{resource}_{place}", Text(labels[place], (("resource", resource),)), held[place].get(resource, ""))
            for place in _PLACES
            for resource in _RESOURCES
        ),
        why_not=_why_not(world, pod),
    )


def _read(step: StepReader) -> Iterator[ResizePod]:
    requests, limits = step.quantities("requests"), step.quantities("limits")
    yield ResizePod(target=step.target(), container=step.field("container", str, ""), requests=requests, limits=limits)


RESIZE_POD = Act(
    command=ResizePod,
    handler=_resize,
    subject=the_pod,
    sentence=gettext_noop("Change the resources of {target}"),
    headline=gettext_noop("You changed the resources of pod {pod}"),
    form=Form(
        (TARGET, THE_CONTAINER, *(FormField(f"{resource}_{place}", limit=40) for place in _PLACES for resource in _RESOURCES)), _make
    ),
    offers=Offers(container=_offer),
    verbs=(Verb("resize", "requests other resources for a running pod", _read, needs=("pod",), may=("container", "requests", "limits")),),
    rules=(
        RuleText(
            "COMMAND-NO-RESIZE",
            gettext_noop(
                "This version of Kubernetes does not change the resources of a running pod (feature gate InPlacePodVerticalScaling)."
            ),
            "a command of the run",
        ),
    ),
)
