"""``kubectl set image`` for a workload: its template gets another image."""

from collections.abc import Iterator

from simulator.engine.acts.act import Act
from simulator.engine.acts.changing import changing
from simulator.engine.acts.form import IMAGE, THE_CONTAINER, Form, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.workloads.named import OBJECT_FIELDS, line_of, refused, shown_workload, the_workload, workload
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.text import Text
from simulator.engine.workloads.objects import parsed
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

ROLLED = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
"""Kinds whose pod template may be changed."""
_LISTS = ("initContainers", "containers")


class SetWorkloadImage(Command, frozen=True, kw_only=True, tag="set_workload_image"):
    """Change the image of a container in the pod template; ``*`` means all of them."""

    kind: str
    namespace: str
    name: str
    container: str
    image: str


def _set_image(fx: Effects, command: SetWorkloadImage) -> Doing:
    row = workload(fx, command, ROLLED)
    if command.container != "*" and command.container not in (name for name, _ in _images(parsed(row))):
        raise refused(f'unable to find container named "{command.container}"')

    def edit(whole: Json) -> Json:
        spec = whole["spec"]["template"]["spec"]
        lists = {key: [_with_image(item, command) for item in spec[key]] for key in _LISTS if key in spec}
        return {**whole, "spec": {**whole["spec"], "template": {**whole["spec"]["template"], "spec": {**spec, **lists}}}}

    return changing(fx, (command.kind, command.namespace, command.name), edit, subresource="", is_patch=True)


def _with_image(container: Json, command: SetWorkloadImage) -> Json:
    return {**container, "image": command.image} if command.container in ("*", container["name"]) else container


def _images(document: Json) -> list[tuple[str, str]]:
    """Name and image of each container of the template."""
    spec = ((document.get("spec") or {}).get("template") or {}).get("spec") or {}
    return [(str(item.get("name")), str(item.get("image"))) for key in _LISTS for item in spec.get(key) or ()]


def _offer(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    document = shown_workload(world, kind, namespace, name) if kind in ROLLED else None
    for container, image in _images(document or {}):
        yield Offer(
            key=f"image-{kind}-{namespace}-{name}-{container}",
            place="object",
            given={"kind": kind, "namespace": namespace, "name": name, "container": container},
            buttons=button(gettext_noop("Change image of {container}"), container=container),
            kubectl=line_of("set image", kind, namespace, name, f" {container}={{image}}"),
            inputs=(Input("image", Text(gettext_noop("Image")), image),),
        )


SET_WORKLOAD_IMAGE = Act(
    command=SetWorkloadImage,
    handler=_set_image,
    subject=the_workload,
    sentence=gettext_noop("Change the image of {container} in {kind} {name} to {image}"),
    headline=gettext_noop("You changed an image of {kind} {name}"),
    omitted=("namespace",),
    icon="yaml",
    form=Form((*OBJECT_FIELDS, THE_CONTAINER, is_needed(IMAGE))),
    offers=Offers(object=_offer),
    no_verb="set-image with a kind",
)
