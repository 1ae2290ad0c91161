"""``kubectl patch`` and ``kubectl label`` of any object."""

import json
from collections.abc import Iterator

from simulator.engine.acts.act import Act
from simulator.engine.acts.changing import changing
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.pods.patch import patch_of_pod
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.acts.step_names import NODE_KINDS, kind_named
from simulator.engine.apiserver.managed.writes import Writer, with_managed, writer_of
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.edits import Edit, by_patch, minor_of_run
from simulator.engine.apiserver.store.pods import nothing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import object_subject

_TYPES = ("merge", "strategic", "json")
_SUBRESOURCES = ("", "status", "resize", "ephemeralcontainers")


class PatchObject(Command, frozen=True, kw_only=True, tag="patch"):
    """PATCH an object: ``patch`` is JSON text, ``patch_kind`` strategic, merge or json; ``namespace`` is empty for cluster-scoped objects.

    ``subresource``: empty, status, ephemeralcontainers or resize (the last two for pods). ``manager``: the client's field manager.
    """

    kind: str
    namespace: str = ""
    name: str
    patch: str
    patch_kind: str = "strategic"
    subresource: str = ""
    dry_run: bool = False
    manager: str = ""


def _patch(fx: Effects, command: PatchObject) -> Doing:
    names = (command.kind, command.namespace, command.name)
    edit = with_managed(fx, _edit(fx, command), command.patch)
    act = changing(fx, names, edit, subresource=command.subresource, is_patch=True)
    return nothing if command.dry_run else act


def _edit(fx: Effects, command: PatchObject) -> Edit:
    return by_patch(command.patch, command.patch_kind, minor=minor_of_run(fx))


def _writer(fx: Effects, command: PatchObject) -> Writer | None:
    names = (command.kind, command.namespace, command.name)
    return writer_of(command.manager, names, subresource=command.subresource, edit=_edit(fx, command), text=command.patch)


def _subject(command: PatchObject) -> Subject:
    return object_subject(command.kind, command.namespace, command.name)


def _read(step: StepReader) -> Iterator[Command]:
    info = kind_named(step, step.field("kind", str, "Pod"))
    how = step.field("type", str, "strategic")
    if how not in _TYPES:
        raise BadStep(gettext_noop("type must be one of {known}"), "patch.type", known=", ".join(_TYPES))
    subresource = step.field("subresource", str, "")
    # Other kinds have no subresource except status.
    if subresource not in (_SUBRESOURCES if info.kind == "Pod" else _SUBRESOURCES[:2]):
        raise BadStep(gettext_noop('the subresource "{subresource}" is not supported'), "patch.subresource", subresource=subresource)
    body = step.needed("body", (dict, list))
    if info.kind == "Pod":
        # A pod's patch is a command of its own, so that its target can be a role.
        yield patch_of_pod(step, body, kind=how, subresource=subresource)
        return
    yield PatchObject(
        kind=info.kind,
        namespace=step.namespace if info.namespaced else "",
        name=step.needed("name", str),
        patch=json.dumps(body),
        patch_kind=how,
        subresource=subresource,
    )


def _read_label(step: StepReader) -> Iterator[Command]:
    if step.field("kind", str, "Pod").lower() in NODE_KINDS:
        yield LabelNode(node=step.needed("name", str), labels=_labels(step))
        return
    info = kind_named(step, step.field("kind", str, "Pod"))
    body = {"metadata": {"labels": step.needed("labels", dict)}}
    if info.kind == "Pod":
        yield patch_of_pod(step, body, kind="merge")
        return
    space, name = step.namespace if info.namespaced else "", step.needed("name", str)
    yield PatchObject(kind=info.kind, namespace=space, name=name, patch=json.dumps(body), patch_kind="merge")


def _labels(step: StepReader) -> dict[str, str | None]:
    """Labels by key; null removes one."""
    labels = step.needed("labels", dict)
    if not all(isinstance(key, str) and (text is None or isinstance(text, str)) for key, text in labels.items()):
        raise BadStep(gettext_noop("labels must be a map of strings"), "label.labels")
    return dict(labels)


PATCH_OBJECT = Act(
    command=PatchObject,
    handler=_patch,
    subject=_subject,
    writer=_writer,
    sentence=gettext_noop("Patch {kind} {name}"),
    headline=gettext_noop("You changed {kind} {name}"),
    omitted_if_empty=("subresource", "dry_run"),
    verbs=(
        Verb(
            "patch",
            "changes an object of any kind as `kubectl patch` does",
            _read,
            needs=("name", "body"),
            may=("kind", "type strategic, merge or json", "subresource status, resize or ephemeralcontainers"),
        ),
        Verb("label", "sets labels; null removes one", _read_label, needs=(("name", "first"), "labels"), may=("kind",)),
    ),
    no_form="the editor, which applies what was changed",
)
