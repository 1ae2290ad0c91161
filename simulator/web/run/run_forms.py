"""The forms of a run's page other than those of acts: types and limits. Manifests themselves are checked by ``simulator.manifests``."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from simulator.engine.acts.offer import HANDLES
from simulator.engine.versions import MINORS, BadGate, resolve, settings_of
from simulator.kubectl.kubectl import LINE_MAX
from simulator.web.base.fields import ManifestField, NamespaceField, NumberField
from simulator.web.run.predictions import KINDS_ASKED


class CheckForm(forms.Form):
    """A text to check for a version, or for a run at a moment (``seq`` or ``t``), in which case the run's version and objects count."""

    manifest = ManifestField(required=False)
    kubernetes = forms.ChoiceField(choices=[(minor, minor) for minor in MINORS], required=False)
    namespace = forms.RegexField(r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z", required=False)
    run = forms.UUIDField(required=False)
    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = NumberField(required=False, min_value=0)

    feature_gates = forms.CharField(required=False, max_length=1000)

    def clean_kubernetes(self) -> str:
        """The newest version by default."""
        return self.cleaned_data["kubernetes"] or MINORS[-1]

    def clean_feature_gates(self) -> dict[str, bool]:
        """The gates by name; none if they are invalid or unknown to the version, since they may be half-typed."""
        try:
            settings = settings_of(self.cleaned_data["feature_gates"])
            resolve(self.cleaned_data.get("kubernetes") or MINORS[-1], settings)
        except BadGate:
            return {}
        return settings


class PreviewForm(forms.Form):
    """A text to try on a run at a moment: after a record, or at ``t`` milliseconds; by default at the run's head.

    ``ns`` is the namespace of objects that name none; empty: the run's own.
    """

    manifest = ManifestField()
    ns = NamespaceField(required=False)
    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = NumberField(required=False, min_value=0)


class OutlookForm(forms.Form):
    """A gesture on the timeline: which handle of which subject, the chosen value, the moment of the act, and how far to look ahead.

    With ``at_seq``, commands of that instant after this record are left out: the act replaces them.
    """

    handle = forms.ChoiceField(choices=[(name, name) for name in HANDLES])
    sel = forms.CharField(max_length=700)
    value = forms.CharField(required=False, max_length=40)
    at_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    at_seq = NumberField(required=False, min_value=0)
    until_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)


class QuestionForm(forms.Form):
    """What a reader wants to be asked about: a pod, and which of the questions available at the moment (they take turns)."""

    sel = forms.CharField(required=False, max_length=700)
    turn = NumberField(required=False, min_value=0, max_value=1_000_000)


class AnswerForm(forms.Form):
    """The answer to a question of ``kind`` about the pod ``sel``, asked at ``at_ms`` when the run had ``given`` acts."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS_ASKED])
    sel = forms.CharField(max_length=700)
    at_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    given = NumberField(min_value=0)
    choice = forms.CharField(max_length=80)


class ControlForm(forms.Form):
    """The playback controls of a run: what to do, with a number if needed."""

    do = forms.ChoiceField(choices=[(name, name) for name in ("play", "pause", "rate", "step", "run_to")])
    rate = NumberField(required=False, min_value=settings.SIM_RATE_PERMILLE_MIN, max_value=settings.SIM_RATE_PERMILLE_MAX)
    to_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)

    def clean(self) -> dict[str, Any]:
        """Refuse a ``rate`` or ``run_to`` without its number."""
        fields = super().clean() or {}
        for do, number in (("rate", "rate"), ("run_to", "to_ms")):
            if fields.get("do") == do and fields.get(number) is None and number not in self.errors:
                self.add_error(number, _("A number is required."))
        return fields


class TrackForm(forms.Form):
    """An interval of a run, the selection, and the panel's other parameters."""

    from_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    to_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    sel = forms.CharField(required=False, max_length=700)
    rec = NumberField(required=False, min_value=0)
    k = forms.CharField(required=False, max_length=LINE_MAX)
    did = NumberField(required=False, min_value=0)
    ns = NamespaceField(required=False)
    part = forms.RegexField(r"^[a-z_0-9.-]{1,80}\Z", required=False)


class PrintedForm(forms.Form):
    """An interval of a run, and the pod (namespace/name) whose log lines are requested."""

    from_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    to_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    pod = forms.CharField(max_length=400)


class CausesForm(forms.Form):
    """Records whose causes are requested, at most forty."""

    recs = forms.RegexField(r"^[1-9][0-9]{0,8}(,[1-9][0-9]{0,8}){0,39}\Z")


class KeyForm(forms.Form):
    """A request without parameters; repeating the key repeats the same request."""

    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}\Z")


class LineForm(forms.Form):
    """A kubectl line to be carried out, at a moment or at the head of the run; ``ns`` is the namespace of its context."""

    k = forms.CharField(max_length=LINE_MAX)
    ns = NamespaceField(required=False)
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,56}\Z")
    at_seq = NumberField(required=False, min_value=0)
    at_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    sel = forms.CharField(required=False, max_length=700)


class ApplyForm(forms.Form):
    """Another object from YAML in a running simulation; with ``node`` a static pod's file on that node.

    ``ns`` is the namespace of objects that name none; empty: the run's own.
    """

    manifest = ManifestField(label=_("Manifests"))
    ns = NamespaceField(required=False)
    node = forms.CharField(required=False, max_length=253)
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}\Z")
    at_seq = NumberField(required=False, min_value=0)
    at_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
