"""``kubectl apply`` and ``kubectl create``."""

import json
from collections.abc import Iterator
from typing import Any

from simulator.engine.acts.act import Act, the_run
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.managed.writes import Writer
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.apply import applying
from simulator.engine.apiserver.store.creation import place_of_text
from simulator.engine.apiserver.store.pods import nothing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.world.effects import Effects

_NAMED_MAX = 3


class ApplyManifest(Command, frozen=True, kw_only=True, tag="apply"):
    """``kubectl apply``: create or change the objects of these documents, each the JSON text of one object.

    ``create``: as ``kubectl create``, which fails if the object already exists. ``manager``: the client's field manager.
    """

    documents: tuple[str, ...]
    namespace: str = "default"
    dry_run: bool = False
    create: bool = False
    manager: str = ""


def _apply(fx: Effects, command: ApplyManifest) -> Doing:
    act = applying(fx, command.documents, command.namespace, create=command.create, dry_run=command.dry_run)
    # The checks have run and reported any refusal; only the write is left out.
    return nothing if command.dry_run else act


def _writer(fx: Effects, command: ApplyManifest) -> Writer | None:
    if not command.manager or command.dry_run:
        return None
    places = (place_of_text(text, command.namespace) for text in command.documents)
    # A name to be generated is not known yet: such an object is left out.
    return Writer(manager=command.manager, places=tuple(place for place in places if place[2]))


def _named(command: ApplyManifest) -> Data:
    """Kinds and names of the objects; an ellipsis for those that are too many to list."""
    found: list[dict[str, Any]] = [json.loads(text) for text in command.documents[:_NAMED_MAX]]
    names = [f"{item['kind']} {item['metadata'].get('name') or item['metadata'].get('generateName', '')}".strip() for item in found]
    return (("objects", ", ".join([*names, *(["…"] if len(command.documents) > _NAMED_MAX else [])])),)


def _read(step: StepReader) -> Iterator[ApplyManifest]:
    if documents := step.documents(step.body):
        yield ApplyManifest(documents=documents, namespace=step.namespace, create=step.verb == "create")


APPLY_MANIFEST = Act(
    command=ApplyManifest,
    handler=_apply,
    subject=the_run,
    writer=_writer,
    sentence=gettext_noop("Apply {objects}"),
    values=_named,
    headline=gettext_noop("You applied YAML"),
    omitted_if_empty=("dry_run", "create"),
    verbs=(
        Verb("apply", "creates the objects, or changes them as `kubectl apply` does", _read),
        Verb("create", "creates the objects; refused for those that exist", _read),
    ),
    no_form="the editor, which checks the manifests before it sends them",
)
