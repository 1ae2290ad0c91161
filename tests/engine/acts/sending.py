"""What a page's offer submits when its button is pressed, without a browser: fields, inputs and button as the act's form reads them."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.acts import all_acts
from simulator.engine.acts.form import CHOICE, EMPTY, NUMBER, SWITCH, WORDS, FormField
from simulator.engine.acts.offer import Button, Offer
from simulator.engine.kernel.command import Command
from simulator.engine.projection.pod import pod_view
from simulator.engine.projection.project import node_view, other_objects
from simulator.engine.world.world import World


def fields_sent(offer: Offer, button: Button) -> dict[str, str | int]:
    """The submitted fields."""
    sent = {**offer.fields, **{item.name: item.value for item in offer.inputs}}
    return {**sent, button.name: button.value} if button.name else sent


def command_of(offer: Offer, button: Button | None = None) -> Command:
    """The command behind a button, by default the first one, with the initial values of its inputs."""
    act = all_acts.ACTS.named(offer.do)
    assert act is not None and act.form is not None
    sent = fields_sent(offer, button or offer.buttons[0])
    return act.form.command(act.command, {field.name: cleaned(field, sent.get(field.name)) for field in act.form.fields})


def cleaned(field: FormField, value: Any) -> Any:
    """A value as the form would pass it on."""
    if value in (None, ""):
        return EMPTY[field.type]
    if field.type == SWITCH:
        return value == "on"
    if field.type == WORDS:
        return tuple(str(value).split())
    is_number = field.type == NUMBER or (field.type == CHOICE and isinstance(field.choices[0], int))
    return int(value) if is_number else str(value)


def offers_of(world: World) -> Iterator[Offer]:
    """Everything that a page may offer for a world."""
    for key in world.tables.pods:
        pod = pod_view(world, key)
        assert pod is not None
        offers = all_acts.ACTS.about(world, pod)
        yield from offers.on_pod()
        for container in pod.containers:
            yield from offers.on_container(container)
            yield from all_acts.ACTS.on_image(world, container.image)
            for probe in container.probes:
                yield from offers.on_probe(container, probe)
    for name in world.tables.nodes:
        node = node_view(world, name)
        assert node is not None
        yield from all_acts.ACTS.on_node(world, node)
    for kind, namespace, name in other_objects(world):
        yield from all_acts.ACTS.on_object(world, kind, namespace, name)
