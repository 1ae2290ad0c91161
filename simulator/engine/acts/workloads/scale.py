"""``kubectl scale``: change the number of pods."""

import json
from collections.abc import Iterator

from simulator.engine.acts.act import Act
from simulator.engine.acts.changing import changing
from simulator.engine.acts.form import NUMBER, Form, FormField
from simulator.engine.acts.offer import Input, Offer, Offers, button
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.acts.workloads.named import OBJECT_FIELDS, line_of, read_names, refused, shown_workload, the_workload, workload
from simulator.engine.apiserver.managed.writes import Writer, writer_of
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.edits import by_patch, minor_of_run
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

SCALABLE = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
"""Kinds with a scale subresource."""
REPLICAS_MAX = 100_000


class ScaleWorkload(Command, frozen=True, kw_only=True, tag="scale"):
    """Request another number of pods. ``manager``: the client's field manager."""

    kind: str
    namespace: str
    name: str
    replicas: int
    manager: str = ""


def _scale(fx: Effects, command: ScaleWorkload) -> Doing:
    workload(fx, command, SCALABLE)
    if command.replicas < 0:
        raise refused("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
    edit = by_patch(json.dumps({"spec": {"replicas": command.replicas}}), "merge", minor=minor_of_run(fx))
    return changing(fx, (command.kind, command.namespace, command.name), edit, subresource="", is_patch=True)


def _writer(fx: Effects, command: ScaleWorkload) -> Writer | None:
    return writer_of(command.manager, (command.kind, command.namespace, command.name), subresource="scale")


def _offer(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    document = shown_workload(world, kind, namespace, name) if kind in SCALABLE else None
    if document is None:
        return
    held = (document.get("spec") or {}).get("replicas")
    yield Offer(
        key=f"scale-{kind}-{namespace}-{name}",
        place="object",
        given={"kind": kind, "namespace": namespace, "name": name},
        buttons=button(gettext_noop("Scale")),
        kubectl=line_of("scale", kind, namespace, name, " --replicas={replicas}"),
        inputs=(Input("replicas", Text(gettext_noop("Pods")), 1 if held is None else int(held), maximum=REPLICAS_MAX),),
    )


def _read(step: StepReader) -> Iterator[ScaleWorkload]:
    for names in read_names(step, SCALABLE):
        yield ScaleWorkload(**names, replicas=step.needed("replicas", int))


SCALE_WORKLOAD = Act(
    command=ScaleWorkload,
    handler=_scale,
    subject=the_workload,
    writer=_writer,
    sentence=gettext_noop("Scale {kind} {name} to {replicas} {replicas:pod|pods}"),
    headline=gettext_noop("You scaled {kind} {name}"),
    icon="bolt",
    form=Form((*OBJECT_FIELDS, FormField("replicas", NUMBER, maximum=REPLICAS_MAX, is_needed=True))),
    offers=Offers(object=_offer),
    verbs=(
        Verb(
            "scale",
            "sets the number of pods, as `kubectl scale`",
            _read,
            needs=("name", "replicas"),
            may=("kind Deployment, ReplicaSet or StatefulSet",),
        ),
    ),
)
