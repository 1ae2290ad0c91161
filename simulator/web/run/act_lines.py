"""The kubectl line for a command of a run: that of the offer whose form gives exactly this command."""

import shlex
from collections.abc import Iterator
from typing import Any

from simulator.engine.acts import all_acts
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.targets import named_in
from simulator.engine.kernel.units import Key
from simulator.engine.projection import project
from simulator.engine.world.world import World
from simulator.web.run.command_forms import CommandForm

_KEY = "line-of-it"


def act_line(world: World, command: AnyCommand) -> str:
    """``kubectl delete pod web`` for a DeletePod; empty if there is no kubectl line. ``world`` is the one before the command."""
    do = all_acts.ACTS.of(command).do
    command = named_in(world.tables, command)
    lines = (_line(world, offer, command) for offer in _offers(world, command) if offer.do == do and offer.kubectl)
    return next((line for line in lines if line), "")


def _offers(world: World, command: Any) -> Iterator[Offer]:
    """The offers on the page for whatever the command names."""
    target, node = getattr(command, "target", ""), getattr(command, "node", "")
    yield from offers_of_pod(world, target)
    about = project.node_view(world, node) if node else None
    if about is not None:
        yield from all_acts.ACTS.on_node(world, about)
    kind, name = getattr(command, "kind", ""), getattr(command, "name", "")
    if kind and name:
        yield from all_acts.ACTS.on_object(world, kind, getattr(command, "namespace", ""), name)


def offers_of_pod(world: World, key: Key) -> Iterator[Offer]:
    """The offers on the page for a pod, its containers and their probes; none if there is no such pod."""
    pod = project.pod_view(world, key) if key else None
    if pod is None:
        return
    offers = all_acts.ACTS.about(world, pod)
    yield from offers.on_pod()
    for container in pod.containers:
        yield from offers.on_container(container)
        for probe in container.probes:
            yield from offers.on_probe(container, probe)


def _line(world: World, offer: Offer, command: AnyCommand) -> str:
    """The offer's line with the command's values if the offer stands for this command, otherwise empty."""
    values = {item.name: _value(getattr(command, item.name, item.value)) for item in offer.inputs}
    pressed = [{each.name: each.value} for each in offer.buttons if each.name] or [{}]
    for button in pressed:
        form = CommandForm({"client_key": _KEY, **offer.fields, **values, **button})
        # The form decides: an offer stands for the command if it would send exactly this one.
        if form.is_valid() and named_in(world.tables, form.command()) == command:
            line = offer.kubectl
            for name, value in {**values, **button}.items():
                line = line.replace(f"{{{name}}}", value)
            return line
    return ""


def _value(value: Any) -> str:
    """A command's field as a form would send it."""
    return "" if value is None else shlex.join(value) if isinstance(value, tuple) else str(value)
