"""The requests that clients send to a Service: the annotation ``podscope.dev/load``."""

import json
from collections.abc import Iterator

from simulator.engine.acts.act import Act
from simulator.engine.acts.changing import changing
from simulator.engine.acts.form import NAME, NAMESPACE, Form, FormField, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button, in_namespace
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, bad_value
from simulator.engine.apiserver.store.edits import by_patch, minor_of_run
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.network.load.spec import ANNOTATION, WORDS, BadLoad, read_load
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World, object_subject

_EXAMPLE = "rate=100 duration=50ms"


class SetLoad(Command, frozen=True, kw_only=True, tag="set_load"):
    """Declare the requests that a Service receives, in the form of its annotation; an empty ``load`` ends them."""

    namespace: str = "default"
    name: str
    load: str = ""


def _set(fx: Effects, command: SetLoad) -> Doing:
    try:
        if command.load:
            read_load(command.load)
    except BadLoad as error:
        raise bad_value(f"load: {error.problem}") from None
    # A null in a merge patch removes the annotation.
    patch = json.dumps({"metadata": {"annotations": {ANNOTATION: command.load or None}}})
    edit = by_patch(patch, "merge", minor=minor_of_run(fx))
    return changing(fx, ("Service", command.namespace, command.name), edit, subresource="", is_patch=True)


def _subject(command: SetLoad) -> Subject:
    return object_subject("Service", command.namespace, command.name)


def _offer(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    if kind != "Service":
        return
    yield Offer(
        key=f"load-{namespace}-{name}",
        place="object",
        given={"namespace": namespace, "name": name},
        buttons=button(gettext_noop("Send requests")),
        kubectl=f"kubectl annotate service {name}{in_namespace(namespace)} --overwrite {ANNOTATION}='{{load}}'",
        help=Text(
            gettext_noop("Each request goes through its node’s service proxy to a pod; a lane shows the outcome. rate=0 stops them.")
        ),
        inputs=(Input("load", Text(gettext_noop("Requests")), _EXAMPLE),),
    )


def _read(step: StepReader) -> Iterator[SetLoad]:
    given = [(word, step.field(word, (str, int, float))) for word in WORDS]
    text = " ".join(f"{word}={value}" for word, value in given if value is not None)
    try:
        if text:
            read_load(text)
    except BadLoad as error:
        raise BadStep(gettext_noop("invalid load: {problem}"), step.verb, problem=error.problem) from None
    yield SetLoad(namespace=step.namespace, name=step.needed("service", str), load=text)


SET_LOAD = Act(
    command=SetLoad,
    handler=_set,
    subject=_subject,
    sentence=gettext_noop("Send requests to Service {name}: {load}"),
    headline=gettext_noop("You changed the requests sent to Service {name}"),
    icon="bolt",
    form=Form((NAMESPACE, is_needed(NAME), FormField("load", label=gettext_noop("Requests")))),
    offers=Offers(object=_offer),
    verbs=(
        Verb(
            "load",
            "sends requests to a Service ([services.md](services.md)); without a rate it stops them",
            _read,
            needs=("service",),
            may=WORDS,
        ),
    ),
)
