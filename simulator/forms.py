"""Forms: the shape and limits of everything a page can send. What a manifest says is checked by ``simulator.manifests``."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from simulator.engine import commands
from simulator.engine.profile import MINORS

SEED_MAX = 2**31 - 1
GRACE_S_MAX = 3600
TERM = 15
PROBES = [("liveness", "liveness"), ("readiness", "readiness"), ("startup", "startup")]
OUTCOMES = [("success", _("Succeed")), ("failure", _("Fail")), ("timeout", _("Time out")), ("error", _("Break")), ("", _("Heal"))]
SIGNALS = [(15, "TERM (15)"), (9, "KILL (9)"), (2, "INT (2)"), (3, "QUIT (3)"), (1, "HUP (1)"), (6, "ABRT (6)"), (11, "SEGV (11)")]


class ManifestField(forms.CharField):
    """A text area for YAML; line ends become plain newlines so that line numbers hold, and nothing is stripped.

    Its size is judged with everything else about it by ``check_text``, which names the line.
    """

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"rows": 24, "spellcheck": "false", "autocomplete": "off", "class": "textarea", "data-editor": ""}
        kwargs.setdefault("widget", forms.Textarea(attrs=attrs))
        kwargs.setdefault("error_messages", {"required": _("Paste at least one manifest.")})
        super().__init__(strip=False, **kwargs)

    def to_python(self, value: Any) -> str:
        """The text with newlines only."""
        return (super().to_python(value) or "").replace("\r\n", "\n")


class NewRunForm(forms.Form):
    """Manifests and the few choices a run starts from."""

    manifest = ManifestField(label=_("Manifests"))
    kubernetes = forms.ChoiceField(
        label=_("Kubernetes version"),
        choices=[(minor, minor) for minor in reversed(MINORS)],
        help_text=_("Every minor behaves as it did."),
        widget=forms.Select(attrs={"class": "select"}),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=SEED_MAX,
        required=False,
        help_text=_("The same seed gives the same run."),
        widget=forms.NumberInput(attrs={"class": "input"}),
    )
    jitter = forms.BooleanField(
        label=_("Random delays"),
        required=False,
        help_text=_("Off: every delay takes its mean."),
    )

    def options(self) -> list[forms.BoundField]:
        """The fields beside the text area."""
        return [self[name] for name in ("kubernetes", "seed", "jitter")]


class ControlForm(forms.Form):
    """The transport of a run: what to do, with its number where it needs one."""

    do = forms.ChoiceField(choices=[(name, name) for name in ("play", "pause", "rate", "step", "run_to")])
    rate = forms.IntegerField(required=False, min_value=settings.SIM_RATE_PERMILLE_MIN, max_value=settings.SIM_RATE_PERMILLE_MAX)
    to_ms = forms.IntegerField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)

    def clean(self) -> dict[str, Any]:
        """Refuse a ``rate`` or ``run_to`` without its number."""
        fields = super().clean() or {}
        for do, number in (("rate", "rate"), ("run_to", "to_ms")):
            if fields.get("do") == do and fields.get(number) is None and number not in self.errors:
                self.add_error(number, _("This number is needed."))
        return fields


class MomentForm(forms.Form):
    """A moment of a run, as the pages send it."""

    t = forms.IntegerField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = forms.IntegerField(required=False, min_value=0)
    sel = forms.CharField(required=False, max_length=700)
    rec = forms.IntegerField(required=False, min_value=0)
    tab = forms.RegexField(r"^[a-z]{1,12}$", required=False)


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
        for name in NEEDS.get(fields.get("do", ""), ()):
            if fields.get(name) in (None, "") and name not in self.errors:
                self.add_error(name, _("This field is needed."))
        return fields

    def command(self) -> commands.AnyCommand:
        """The command of a valid form."""
        return BUILDERS[self.cleaned_data["do"]](self.cleaned_data)


class ApplyForm(forms.Form):
    """Another object from YAML in a running simulation."""

    manifest = ManifestField(label=_("Manifests"))
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}$")
    at_seq = forms.IntegerField(required=False, min_value=0)
    at_ms = forms.IntegerField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)


Fields = dict[str, Any]


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


BUILDERS: dict[str, Callable[[Fields], commands.AnyCommand]] = {
    "delete_pod": _delete,
    "exit_container": _exit,
    "signal_container": _signal,
    "oom_container": _oom,
    "hang_container": _hang,
    "set_probe": _probe,
    "set_image": _image,
}
NEEDS: dict[str, tuple[str, ...]] = {
    "delete_pod": ("target",),
    "exit_container": ("target", "container", "exit_code"),
    "signal_container": ("target", "container"),
    "oom_container": ("target", "container"),
    "hang_container": ("target", "container"),
    "set_probe": ("target", "container", "probe"),
    "set_image": ("image",),
}
