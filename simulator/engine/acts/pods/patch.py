"""A pod is changed by a patch: labels, annotations, finalizers, a condition, the deadline.

One command serves five forms of the page and the script verb ``patch``. Each form is a small
function from the values of its fields to a patch; the kind of patch is not a matter of
taste. A merge patch with null removes a key, and replaces a list as a whole, which is what a form
for all finalizers must do. Conditions need a strategic patch, which merges the list by type, since the
other conditions belong to the kubelet. And status is a subresource: a change of it through the pod
itself would be dropped silently.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from simulator.engine.acts.act import Act, the_pod
from simulator.engine.acts.form import CHOICE, NAME, SECONDS, TARGET, VALUE, Form, FormField, Values
from simulator.engine.acts.offer import Input, Offer, Offers, button, gone, in_namespace, plain_choices
from simulator.engine.acts.script import StepReader
from simulator.engine.acts.step_names import first_of
from simulator.engine.apiserver.managed.writes import Writer, with_managed, writer_of
from simulator.engine.apiserver.refusal import Doing, live_pod
from simulator.engine.apiserver.store.edits import Edit, by_patch, minor_of_run
from simulator.engine.apiserver.store.pods import change_pod
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

STATUSES = ("True", "False", "Unknown")


class PatchPod(Command, frozen=True, kw_only=True, tag="patch_pod"):
    """Change a pod by a patch (JSON text). ``kind``: merge, strategic or json; ``subresource``: empty or status.

    ``manager``: the client's field manager.
    """

    target: Key
    patch: str
    kind: str = "strategic"
    subresource: str = ""
    manager: str = ""


def _patch(fx: Effects, command: PatchPod) -> Doing:
    row = live_pod(fx, command.target)
    return change_pod(fx, row, with_managed(fx, _edit(fx, command), command.patch), subresource=command.subresource)


def _edit(fx: Effects, command: PatchPod) -> Edit:
    return by_patch(command.patch, command.kind, minor=minor_of_run(fx))


def _writer(fx: Effects, command: PatchPod) -> Writer | None:
    row = fx.tables.pods.get(command.target)
    if row is None:
        return None
    names = ("Pod", row.namespace, row.name)
    return writer_of(command.manager, names, subresource=command.subresource, edit=_edit(fx, command), text=command.patch)


def _make(values: Values) -> PatchPod:
    kind, subresource, body = _CHANGES[values["change"]](values)
    return PatchPod(target=values["target"], patch=json.dumps(body), kind=kind, subresource=subresource)


_Patch = tuple[str, str, Any]


def _label_patch(values: Values) -> _Patch:
    return "merge", "", {"metadata": {"labels": {values["name"]: values["value"] or None}}}


def _annotation_patch(values: Values) -> _Patch:
    return "merge", "", {"metadata": {"annotations": {values["name"]: values["value"] or None}}}


def _finalizers_patch(values: Values) -> _Patch:
    # A merge patch replaces the list; a strategic one could only add to it.
    return "merge", "", {"metadata": {"finalizers": values["value"].replace(",", " ").split() or None}}


def _condition_patch(values: Values) -> _Patch:
    # Strategic, since the conditions of others must stay: the list is merged by type.
    return "strategic", "status", {"status": {"conditions": [{"type": values["name"], "status": values["status"]}]}}


def _deadline_patch(values: Values) -> _Patch:
    return "merge", "", {"spec": {"activeDeadlineSeconds": values["seconds"]}}


_CHANGES: dict[str, Callable[[Values], _Patch]] = {
    "label": _label_patch,
    "annotation": _annotation_patch,
    "finalizers": _finalizers_patch,
    "condition": _condition_patch,
    "deadline": _deadline_patch,
}
_NEEDS = {
    "label": ("name",),
    "annotation": ("name",),
    "condition": ("name", "status"),
    "deadline": ("seconds",),
}
_FORM = Form(
    (
        TARGET,
        FormField("change", CHOICE, choices=tuple(_CHANGES), is_needed=True),
        NAME,
        VALUE,
        FormField("status", CHOICE, choices=STATUSES),
        SECONDS,
    ),
    _make,
    needs=("change", _NEEDS),
)


def _offers(world: World, pod: PodView) -> Iterator[Offer]:
    """Changes of a pod's metadata, deadline and status."""
    where = in_namespace(pod.namespace)
    patch = f"kubectl patch pod {pod.name}{where}"
    value = Text(gettext_noop("Value"))

    def offer(change: str, label: str, kubectl: str, effect: str, *inputs: Input) -> Offer:
        return Offer(
            key=f"{pod.key}-{change}",
            place="change",
            given={"target": pod.key, "change": change},
            buttons=button(label),
            kubectl=kubectl,
            help=Text(effect),
            inputs=inputs,
            why_not=gone(pod),
        )

    yield offer(
        "label",
        gettext_noop("Set label"),
        f"kubectl label pod {pod.name}{where} --overwrite {{name}}={{value}}",
        gettext_noop("An empty value removes the label. Selectors of Services and controllers react at once."),
        Input("name", Text(gettext_noop("Label")), "tier"),
        Input("value", value, "debug"),
    )
    yield offer(
        "annotation",
        gettext_noop("Set annotation"),
        f"kubectl annotate pod {pod.name}{where} --overwrite {{name}}={{value}}",
        gettext_noop("An empty value removes the annotation."),
        Input("name", Text(gettext_noop("Annotation")), "example.com/note"),
        Input("value", value, "seen"),
    )
    yield offer(
        "condition",
        gettext_noop("Set condition"),
        _status_line(world, pod, '{"status":{"conditions":[{"type":"{name}","status":"{status}"}]}}'),
        gettext_noop("What the controller behind a readiness gate does."),
        Input("name", Text(gettext_noop("Condition type")), pod.readiness_gates[0] if pod.readiness_gates else "example.com/ready"),
        Input("status", Text(gettext_noop("Status")), "True", choices=plain_choices(STATUSES)),
    )
    yield offer(
        "finalizers",
        gettext_noop("Set finalizers"),
        f'{patch} --type=merge -p \'{{"metadata":{{"finalizers":["{{value}}"]}}}}\'',
        gettext_noop("While any is left, a deleted pod stays. Leave empty to remove them all."),
        Input("value", Text(gettext_noop("Finalizers")), "example.com/hold"),
    )
    yield offer(
        "deadline",
        gettext_noop("Set deadline"),
        f'{patch} --type=merge -p \'{{"spec":{{"activeDeadlineSeconds":{{seconds}}}}}}\'',
        gettext_noop("activeDeadlineSeconds counts from the pod’s start time."),
        Input("seconds", Text(gettext_noop("Seconds")), 60, unit="s", minimum=SECONDS.minimum, maximum=SECONDS.maximum),
    )


def _status_line(world: World, pod: PodView, body: str) -> str:
    """The command line that patches a pod's status; if kubectl has no flag for it, the request through ``kubectl proxy``."""
    if "status" in world.release.facts.subresources_of_client:
        return f"kubectl patch pod {pod.name}{in_namespace(pod.namespace)} --subresource=status -p '{body}'"
    address = f"http://localhost:8001/api/v1/namespaces/{pod.namespace}/pods/{pod.name}/status"
    return f"curl -X PATCH -H 'Content-Type: application/strategic-merge-patch+json' -d '{body}' {address}"


def patch_of_pod(step: StepReader, body: Any, *, kind: str = "strategic", subresource: str = "") -> PatchPod:
    """The patch of the pod that the step names."""
    first = first_of(step)
    target = f"{step.namespace}/{first[0] if first else step.needed('name', str)}"
    return PatchPod(target=target, patch=json.dumps(body), kind=kind, subresource=subresource)


PATCH_POD = Act(
    command=PatchPod,
    handler=_patch,
    writer=_writer,
    subject=the_pod,
    sentence=gettext_noop("Patch {target}"),
    headline=gettext_noop("You changed pod {pod}"),
    omitted_if_empty=("subresource",),
    icon="yaml",
    form=_FORM,
    offers=Offers(pod=_offers),
    no_verb="the verb patch makes this command of its step",
)
