"""``kubectl debug``: an ephemeral container.

It is added to a running pod, through a subresource of its own, and can be neither changed nor removed
afterwards. kubectl sends the pod with one more item in the list. The version may not have the
subresource yet; a static pod is rejected by newer API servers, and accepted without effect by older
ones, since its kubelet reads a file.
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import COMMAND_LINE, IMAGE, TARGET, THE_CONTAINER, Form, FormField, Values, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button, gone, in_namespace, is_mirror, plain_choices
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, live_pod
from simulator.engine.apiserver.store.pods import change_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

_IMAGE = "busybox:1.36"


class DebugPod(Command, frozen=True, kw_only=True, tag="debug_pod"):
    """``kubectl debug``: add an ephemeral container; with ``target_container`` it shares that container's processes."""

    target: Key
    container: str
    image: str
    command: tuple[str, ...] = ()
    target_container: str = ""


def _debug(fx: Effects, command: DebugPod) -> Doing:
    row = live_pod(fx, command.target)
    entry: dict[str, Any] = {"name": command.container, "image": command.image}
    if command.command:
        entry["command"] = list(command.command)
    if command.target_container:
        entry["targetContainerName"] = command.target_container

    def edit(shown: Json) -> Json:
        # The whole list is sent: the subresource does not accept a single container.
        held = shown["spec"].get("ephemeralContainers") or []
        return {**shown, "spec": {**shown["spec"], "ephemeralContainers": [*held, entry]}}

    return change_pod(fx, row, edit, subresource="ephemeralcontainers")


def _make(values: Values) -> DebugPod:
    where = {"target": values["target"], "container": values["container"], "target_container": values["target_container"]}
    return DebugPod(**where, image=values["image"], command=values["words"])


def _why_not(world: World, pod: PodView) -> str:
    """What would refuse it: the pod is gone, or it is a static one and the version's API server rejects that."""
    is_refused = is_mirror(world, pod) and world.release.facts.static_pods_refuse_debug
    return gone(pod) or ("COMMAND-REJECTED" if is_refused else "")


def _offer(world: World, pod: PodView) -> Iterator[Offer]:
    """Older API servers accept an ephemeral container for a static pod, which no kubelet starts: that is not worth a button."""
    if not world.profile.ephemeral_containers or (is_mirror(world, pod) and not _why_not(world, pod)):
        return
    taken = {item.name for item in pod.containers}
    name = next(name for n in range(1, len(taken) + 2) if (name := f"debugger-{n}") not in taken)
    targets = [item.name for item in pod.containers if item.group == "app"]
    where = in_namespace(pod.namespace)
    yield Offer(
        key=f"{pod.key}-debug",
        place="debug",
        given={"target": pod.key, "container": name},
        buttons=button(gettext_noop("Add debug container")),
        kubectl=f"kubectl debug {pod.name}{where} --container={name} --image={{image}} --target={{target_container}} -- {{words}}",
        help=Text(gettext_noop("An ephemeral container: no probes, no restarts, and it stays as long as the pod.")),
        inputs=(
            Input("image", Text(gettext_noop("Image")), _IMAGE),
            Input("target_container", Text(gettext_noop("Shares processes with")), targets[0], choices=plain_choices(targets)),
            Input("words", Text(gettext_noop("Command")), "sleep 60"),
        ),
        why_not=_why_not(world, pod),
    )


def _read(step: StepReader) -> Iterator[DebugPod]:
    yield DebugPod(
        target=step.target(),
        container=step.needed("container", str),
        image=step.needed("image", str),
        command=step.words("command"),
        target_container=step.field("target", str, ""),
    )


DEBUG_POD = Act(
    command=DebugPod,
    handler=_debug,
    subject=the_pod,
    sentence=gettext_noop("Debug {target} with {container}"),
    headline=gettext_noop("You added an ephemeral container to pod {pod}"),
    icon="search",
    form=Form((TARGET, THE_CONTAINER, is_needed(IMAGE), COMMAND_LINE, FormField("target_container", limit=63)), _make),
    offers=Offers(pod=_offer),
    verbs=(Verb("debug", "adds an ephemeral container", _read, needs=("pod", "container", "image"), may=("target", "command")),),
    rules=(
        RuleText(
            "EPHEMERAL-ADDED",
            gettext_noop("An ephemeral container joins the running pod; it never restarts and cannot be removed."),
            "pkg/registry/core/pod/rest/subresources.go EphemeralContainersREST",
        ),
    ),
)
