"""Change the image of a pod's container, as ``kubectl set image`` does."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import IMAGE, TARGET, THE_CONTAINER, Form, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button, gone, in_container, in_namespace
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.acts.step_names import POD_KINDS
from simulator.engine.acts.workloads.image import ROLLED, SetWorkloadImage
from simulator.engine.acts.workloads.named import read_names
from simulator.engine.apiserver.refusal import Doing, Refusal, live_pod
from simulator.engine.apiserver.store.pods import change_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

_LISTS = ("containers", "initContainers")
"""Where kubectl looks for the container; ephemeral containers keep their image."""


class SetPodImage(Command, frozen=True, kw_only=True, tag="set_pod_image"):
    """Change the image of a container or init container; ``*`` means all of them."""

    target: Key
    container: str
    image: str


def _set_image(fx: Effects, command: SetPodImage) -> Doing:
    row = live_pod(fx, command.target)
    spec = row.pod.spec
    if command.container != "*" and all(item.name != command.container for item in (*spec.containers, *spec.init_containers)):
        raise Refusal("COMMAND-REJECTED", (("message", f'unable to find container named "{command.container}"'),))

    def edit(shown: Json) -> Json:
        lists = {key: [_with_image(item, command) for item in shown["spec"][key]] for key in _LISTS if key in shown["spec"]}
        return {**shown, "spec": {**shown["spec"], **lists}}

    return change_pod(fx, row, edit)


def _with_image(container: Json, command: SetPodImage) -> Json:
    return {**container, "image": command.image} if command.container in ("*", container["name"]) else container


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    if container.group == "ephemeral":
        return
    yield Offer(
        key=f"{pod.key}-{container.name}-image",
        place="container-more",
        given=in_container(pod, container),
        buttons=button(gettext_noop("Change image")),
        kubectl=f"kubectl set image pod/{pod.name}{in_namespace(pod.namespace)} {container.name}={{image}}",
        help=Text(
            gettext_noop(
                "The image is one of the few fields that can change in a running pod: the kubelet stops this container and starts it again."
            )
        ),
        inputs=(Input("image", Text(gettext_noop("Image")), container.image),),
        why_not=gone(pod),
    )


def _read(step: StepReader) -> Iterator[SetPodImage | SetWorkloadImage]:
    if step.field("kind", str, "Pod").lower() not in POD_KINDS:
        for names in read_names(step, ROLLED):
            yield SetWorkloadImage(**names, container=step.needed("container", str), image=step.needed("image", str))
        return
    target = f"{step.namespace}/{step.needed('name', str)}"
    yield SetPodImage(target=target, container=step.needed("container", str), image=step.needed("image", str))


SET_POD_IMAGE = Act(
    command=SetPodImage,
    handler=_set_image,
    subject=the_pod,
    sentence=gettext_noop("Change the image of {container} in {target} to {image}"),
    headline=gettext_noop("You changed an image of pod {pod}"),
    icon="yaml",
    form=Form((TARGET, THE_CONTAINER, is_needed(IMAGE))),
    offers=Offers(container=_offer),
    verbs=(
        Verb(
            "set-image",
            "changes the image of a container or init container, or of a pod template",
            _read,
            needs=("name", "container", "image"),
            may=("kind Pod, Deployment, StatefulSet, DaemonSet or ReplicaSet",),
        ),
    ),
)
