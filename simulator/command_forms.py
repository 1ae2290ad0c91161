"""One act of a user as a form: its fields, checked, and turned into the engine's command by ``command_builders``."""

import shlex
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from simulator.command_builders import BUILDERS, CHANGE_NEEDS, CHANGES, NEEDS
from simulator.engine import commands
from simulator.engine.api.thresholds import SIGNALS as PRESSURE_SIGNALS
from simulator.object_acts import PROPAGATION

GRACE_S_MAX = 3600
DEADLINE_S_MAX = 10_000_000
PROBES = [("liveness", "liveness"), ("readiness", "readiness"), ("startup", "startup")]
OUTCOMES = [("success", _("Succeed")), ("failure", _("Fail")), ("timeout", _("Time out")), ("error", _("Break")), ("", _("Heal"))]
SIGNALS = [(15, "TERM (15)"), (9, "KILL (9)"), (2, "INT (2)"), (3, "QUIT (3)"), (1, "HUP (1)"), (6, "ABRT (6)"), (11, "SEGV (11)")]
STATUSES = [(name, name) for name in ("True", "False", "Unknown")]
SWITCHES = [(name, name) for name in ("stop", "kill", "start")]
NETWORK = [(name, name) for name in ("missing", "present")]


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
    change = forms.ChoiceField(required=False, choices=[(name, name) for name in CHANGES])
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
    kind = forms.CharField(required=False, max_length=63)
    propagation = forms.ChoiceField(required=False, choices=[(name, name) for name in PROPAGATION])
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
