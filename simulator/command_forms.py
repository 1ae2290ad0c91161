"""One act of a user as a form: its fields, what each act needs of them, and the engine's command it stands for."""

import json
import shlex
from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from simulator.engine import commands
from simulator.engine.api.thresholds import SIGNALS as PRESSURE_SIGNALS

GRACE_S_MAX = 3600
DEADLINE_S_MAX = 10_000_000
TERM = 15
PROBES = [("liveness", "liveness"), ("readiness", "readiness"), ("startup", "startup")]
OUTCOMES = [("success", _("Succeed")), ("failure", _("Fail")), ("timeout", _("Time out")), ("error", _("Break")), ("", _("Heal"))]
SIGNALS = [(15, "TERM (15)"), (9, "KILL (9)"), (2, "INT (2)"), (3, "QUIT (3)"), (1, "HUP (1)"), (6, "ABRT (6)"), (11, "SEGV (11)")]
CHANGES = [(name, name) for name in ("image", "label", "finalizers", "condition", "deadline")]
STATUSES = [(name, name) for name in ("True", "False", "Unknown")]
SWITCHES = [(name, name) for name in ("stop", "kill", "start")]
PLACES = ("request", "limit")
NETWORK = [(name, name) for name in ("missing", "present")]

Fields = dict[str, Any]


class CommandForm(forms.Form):
    """One act of a user. ``command()`` builds the engine's command from the fields that its ``do`` needs."""

    do = forms.ChoiceField(choices=[])
    target = forms.CharField(required=False, max_length=600)
    container = forms.CharField(required=False, max_length=63)
    probe = forms.ChoiceField(required=False, choices=PROBES)
    outcome = forms.ChoiceField(required=False, choices=OUTCOMES)
    attempts = forms.IntegerField(required=False, min_value=0, max_value=1000)
    grace_s = forms.IntegerField(required=False, min_value=0, max_value=GRACE_S_MAX, label=_("Grace period"))
    force = forms.BooleanField(required=False)
    exit_code = forms.IntegerField(required=False, min_value=0, max_value=255, label=_("Exit code"))
    signal = forms.TypedChoiceField(required=False, choices=SIGNALS, coerce=int, empty_value=None, label=_("Signal"))
    hang = forms.BooleanField(required=False)
    image = forms.CharField(required=False, max_length=500)
    words = forms.CharField(required=False, max_length=2000, label=_("Command"))
    change = forms.ChoiceField(required=False, choices=CHANGES)
    group = forms.ChoiceField(required=False, choices=[(name, name) for name in ("init", "app", "ephemeral")])
    name = forms.CharField(required=False, max_length=316, label=_("Name"))
    value = forms.CharField(required=False, max_length=500, label=_("Value"))
    status = forms.ChoiceField(required=False, choices=STATUSES)
    seconds = forms.IntegerField(required=False, min_value=1, max_value=DEADLINE_S_MAX, label=_("Seconds"))
    target_container = forms.CharField(required=False, max_length=63)
    namespace = forms.CharField(required=False, max_length=63)
    node = forms.CharField(required=False, max_length=253)
    kubelet = forms.ChoiceField(required=False, choices=SWITCHES)
    runtime = forms.ChoiceField(required=False, choices=SWITCHES)
    network_plugin = forms.ChoiceField(required=False, choices=NETWORK)
    unschedulable = forms.BooleanField(required=False)
    cpu_request = forms.CharField(required=False, max_length=40)
    memory_request = forms.CharField(required=False, max_length=40)
    cpu_limit = forms.CharField(required=False, max_length=40)
    memory_limit = forms.CharField(required=False, max_length=40)
    cancel = forms.BooleanField(required=False)
    pressure = forms.ChoiceField(required=False, choices=[(name, name) for name in PRESSURE_SIGNALS], label=_("Resource"))
    available = forms.BooleanField(required=False)
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}$")
    at_seq = forms.IntegerField(required=False, min_value=0)
    at_ms = forms.IntegerField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = self.fields["do"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = [(name, name) for name in BUILDERS]

    def clean(self) -> dict[str, Any]:
        """Refuse an act that lacks a field it needs."""
        fields = super().clean() or {}
        needed = NEEDS.get(fields.get("do", ""), ())
        if fields.get("do") == "patch_pod":
            needed += CHANGE_NEEDS.get(fields.get("change", ""), ())
        for name in needed:
            if fields.get(name) in (None, "", ()) and name not in self.errors:
                self.add_error(name, _("This field is needed."))
        return fields

    def command(self) -> commands.AnyCommand:
        """The command of a valid form."""
        return BUILDERS[self.cleaned_data["do"]](self.cleaned_data)

    def clean_words(self) -> tuple[str, ...]:
        """The words of a command line, quoted as a shell would."""
        try:
            return tuple(shlex.split(self.cleaned_data["words"]))
        except ValueError:
            raise forms.ValidationError(_("A quotation mark has no partner.")) from None


def _delete(fields: Fields) -> commands.AnyCommand:
    return commands.DeletePod(target=fields["target"], grace_s=fields["grace_s"], force=fields["force"])


def _exit(fields: Fields) -> commands.AnyCommand:
    return commands.ExitContainer(target=fields["target"], container=fields["container"], exit_code=fields["exit_code"])


def _signal(fields: Fields) -> commands.AnyCommand:
    return commands.SignalContainer(target=fields["target"], container=fields["container"], signal=fields["signal"] or TERM)


def _oom(fields: Fields) -> commands.AnyCommand:
    return commands.OomContainer(target=fields["target"], container=fields["container"])


def _hang(fields: Fields) -> commands.AnyCommand:
    return commands.HangContainer(target=fields["target"], container=fields["container"], hang=fields["hang"])


def _probe(fields: Fields) -> commands.AnyCommand:
    outcome = fields["outcome"] or None
    where = {"target": fields["target"], "container": fields["container"], "probe": fields["probe"]}
    return commands.SetProbe(**where, outcome=outcome, attempts=fields["attempts"] or 0)


def _image(fields: Fields) -> commands.AnyCommand:
    return commands.SetImage(image=fields["image"], available=fields["available"])


def _patch(fields: Fields) -> commands.AnyCommand:
    kind, subresource, body = _PATCHES[fields["change"]](fields)
    return commands.PatchPod(target=fields["target"], patch=json.dumps(body), kind=kind, subresource=subresource)


def _image_patch(fields: Fields) -> tuple[str, str, Any]:
    place = "initContainers" if fields["group"] == "init" else "containers"
    return "strategic", "", {"spec": {place: [{"name": fields["container"], "image": fields["image"]}]}}


def _label_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"metadata": {"labels": {fields["name"]: fields["value"] or None}}}


def _finalizers_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"metadata": {"finalizers": fields["value"].replace(",", " ").split() or None}}


def _condition_patch(fields: Fields) -> tuple[str, str, Any]:
    return "strategic", "status", {"status": {"conditions": [{"type": fields["name"], "status": fields["status"]}]}}


def _deadline_patch(fields: Fields) -> tuple[str, str, Any]:
    return "merge", "", {"spec": {"activeDeadlineSeconds": fields["seconds"]}}


_PATCHES: dict[str, Callable[[Fields], tuple[str, str, Any]]] = {
    "image": _image_patch,
    "label": _label_patch,
    "finalizers": _finalizers_patch,
    "condition": _condition_patch,
    "deadline": _deadline_patch,
}
CHANGE_NEEDS = {
    "image": ("container", "image"),
    "label": ("name",),
    "finalizers": (),
    "condition": ("name", "status"),
    "deadline": ("seconds",),
}
"""Fields that each change of a pod needs beside ``target``."""


def _exec(fields: Fields) -> commands.AnyCommand:
    return commands.ExecInContainer(target=fields["target"], container=fields["container"], command=fields["words"])


def _debug(fields: Fields) -> commands.AnyCommand:
    where = {"target": fields["target"], "container": fields["container"], "target_container": fields["target_container"]}
    return commands.DebugPod(**where, image=fields["image"], command=fields["words"])


def _sandbox(fields: Fields) -> commands.AnyCommand:
    return commands.KillSandbox(target=fields["target"])


def _gates(fields: Fields) -> commands.AnyCommand:
    return commands.RemoveSchedulingGates(target=fields["target"], gate=fields["value"])


def _resize(fields: Fields) -> commands.AnyCommand:
    given = {place: {name: fields[f"{name}_{place}"] for name in ("cpu", "memory") if fields[f"{name}_{place}"]} for place in PLACES}
    return commands.ResizePod(target=fields["target"], container=fields["container"], requests=given["request"], limits=given["limit"])


def _namespace(fields: Fields) -> commands.AnyCommand:
    return commands.DeleteNamespace(name=fields["namespace"])


def _pods(fields: Fields) -> commands.AnyCommand:
    return commands.DeletePods(namespace=fields["namespace"])


def _node(fields: Fields) -> commands.AnyCommand:
    states = {"kubelet": fields["kubelet"], "runtime": fields["runtime"], "network_plugin": fields["network_plugin"]}
    return commands.NodeControl(node=fields["node"], **states)


def _taint(fields: Fields) -> commands.AnyCommand:
    text = fields["value"]
    if text.endswith("-"):
        return commands.TaintNode(node=fields["node"], remove=(text[:-1],))
    return commands.TaintNode(node=fields["node"], add=(text,))


def _cordon(fields: Fields) -> commands.AnyCommand:
    return commands.CordonNode(node=fields["node"], unschedulable=fields["unschedulable"])


def _drain(fields: Fields) -> commands.AnyCommand:
    options = {"force": True, "delete_emptydir_data": True, "ignore_daemonsets": True}
    return commands.DrainNode(node=fields["node"], grace_s=fields["grace_s"], **options)


def _delete_node(fields: Fields) -> commands.AnyCommand:
    return commands.DeleteNode(node=fields["node"])


def _label_node(fields: Fields) -> commands.AnyCommand:
    return commands.LabelNode(node=fields["node"], labels={fields["name"]: fields["value"] or None})


def _pressure(fields: Fields) -> commands.AnyCommand:
    return commands.SetNodePressure(node=fields["node"], signal=fields["pressure"], available=fields["value"] or None)


def _shutdown(fields: Fields) -> commands.AnyCommand:
    if fields["cancel"]:
        return commands.ShutdownNode(node=fields["node"], cancel=True)
    grace_s = fields["seconds"] or 30
    return commands.ShutdownNode(node=fields["node"], grace_s=grace_s, critical_s=grace_s // 3)


def _static_pod(fields: Fields) -> commands.AnyCommand:
    return commands.PlaceStaticPod(node=fields["node"], remove=fields["name"])


BUILDERS: dict[str, Callable[[Fields], commands.AnyCommand]] = {
    "delete_pod": _delete,
    "delete_pods": _pods,
    "delete_namespace": _namespace,
    "patch_pod": _patch,
    "exec": _exec,
    "debug_pod": _debug,
    "exit_container": _exit,
    "signal_container": _signal,
    "oom_container": _oom,
    "hang_container": _hang,
    "set_probe": _probe,
    "set_image": _image,
    "kill_sandbox": _sandbox,
    "remove_scheduling_gates": _gates,
    "resize_pod": _resize,
    "node": _node,
    "taint": _taint,
    "cordon": _cordon,
    "drain": _drain,
    "delete_node": _delete_node,
    "label_node": _label_node,
    "node_pressure": _pressure,
    "shutdown_node": _shutdown,
    "static_pod": _static_pod,
}
NEEDS: dict[str, tuple[str, ...]] = {
    "delete_pod": ("target",),
    "delete_pods": ("namespace",),
    "delete_namespace": ("namespace",),
    "patch_pod": ("target", "change"),
    "exec": ("target", "words"),
    "debug_pod": ("target", "container", "image"),
    "exit_container": ("target", "container", "exit_code"),
    "signal_container": ("target", "container"),
    "oom_container": ("target", "container"),
    "hang_container": ("target", "container"),
    "set_probe": ("target", "container", "probe"),
    "set_image": ("image",),
    "kill_sandbox": ("target",),
    "remove_scheduling_gates": ("target",),
    "resize_pod": ("target", "container"),
    "node": ("node",),
    "taint": ("node", "value"),
    "cordon": ("node",),
    "drain": ("node",),
    "delete_node": ("node",),
    "label_node": ("node", "name"),
    "node_pressure": ("node", "pressure"),
    "shutdown_node": ("node",),
    "static_pod": ("node", "name"),
}
