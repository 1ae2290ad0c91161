"""Forms: the shape and limits of everything a page can send. What a manifest says is checked by ``simulator.manifests``."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import ProhibitNullCharactersValidator
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from simulator.engine.acts.offer import HANDLES
from simulator.engine.runtime.docker import CONTAINERD, DOCKER
from simulator.engine.versions import MINORS, PHASE_GATE, BadGate, resolve, settings_of
from simulator.engine.versions.patches import patch_of
from simulator.engine.world.cluster import ClusterSpec
from simulator.kubectl.kubectl import LINE_MAX
from simulator.manifests.script.cluster import INT32_MAX, NODES_MAX, NODES_USUAL, default_cluster, equal_nodes, runtime_problem
from simulator.manifests.script.node_size import BadSize, read_size
from simulator.web.fields import NumberField
from simulator.web.predictions import KINDS_ASKED

SEED_MAX = 2**31 - 1
PHASE_RULES_1_3 = "1.3"
VERSIONS = tuple((minor, f"{minor} ({patch_of(minor)})") for minor in reversed(MINORS))


class ManifestField(forms.CharField):
    """A text area for YAML; line ends become plain newlines so that line numbers hold, and nothing is stripped.

    Its size and characters are judged with everything else about it by ``check_text``, which names the line.
    """

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"rows": 24, "spellcheck": "false", "autocomplete": "off", "class": "textarea", "data-editor": ""}
        kwargs.setdefault("widget", forms.Textarea(attrs=attrs))
        kwargs.setdefault("error_messages", {"required": _("Paste at least one manifest.")})
        super().__init__(strip=False, **kwargs)
        self.validators = [known for known in self.validators if not isinstance(known, ProhibitNullCharactersValidator)]

    def to_python(self, value: Any) -> str:
        """The text with newlines only."""
        return (super().to_python(value) or "").replace("\r\n", "\n")


class UploadField(forms.FileField):
    """A file of one of these kinds, in the words of the page: what a browser writes on such a field is in the browser's language."""

    def __init__(self, *, label: Any, accept: str) -> None:
        words = {"data-choose": _("Choose a file"), "data-none": _("No file chosen")}
        super().__init__(label=label, required=False, widget=forms.FileInput(attrs={"accept": accept, **words}))


class SeedField(NumberField):
    """The seed of a run; empty: one is drawn."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.NumberInput(attrs={"class": "input"}))
        super().__init__(
            label=_("Seed"), min_value=0, max_value=SEED_MAX, required=False, help_text=_("The same seed gives the same run."), **kwargs
        )


class VersionField(forms.ChoiceField):
    """A Kubernetes version, the newest first."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("choices", VERSIONS)
        kwargs.setdefault("widget", forms.Select(attrs={"class": "select"}))
        super().__init__(
            label=_("Kubernetes version"), help_text=_("Each minor version behaves like the patch release in brackets."), **kwargs
        )


class NewRunForm(forms.Form):
    """Manifests and the few choices a run starts from."""

    manifest = ManifestField(label=_("Manifests"))
    kubernetes = VersionField()
    seed = SeedField()
    jitter = forms.BooleanField(
        label=_("Random delays"),
        required=False,
        help_text=_("Off: every delay is fixed at its mean."),
    )
    nodes = NumberField(
        label=_("Nodes"),
        required=False,
        min_value=1,
        max_value=NODES_MAX,
        help_text=_("1 to 1000, all the same size."),
        widget=forms.NumberInput(attrs={"class": "input", "placeholder": str(NODES_USUAL)}),
    )

    node_size = forms.CharField(
        label=_("Node size"),
        required=False,
        max_length=300,
        help_text=_("Resources you leave out keep their defaults."),
        widget=forms.TextInput(
            attrs={"class": "input", "spellcheck": "false", "autocomplete": "off", "placeholder": "cpu=4, memory=16Gi, pods=110"}
        ),
    )

    phase_rules = forms.ChoiceField(
        label=_("Phase rules"),
        required=False,
        choices=[("", _("those of the version")), (PHASE_RULES_1_3, _("Kubernetes 1.3"))],
        help_text=_("How phase and conditions are derived; older texts teach the 1.3 rules."),
        widget=forms.Select(attrs={"class": "select"}),
    )

    runtime = forms.ChoiceField(
        label=_("Container runtime"),
        required=False,
        choices=[("", "containerd"), (DOCKER, "Docker")],
        help_text=_("Docker, through the kubelet’s dockershim, is available up to 1.23; ids and error messages differ."),
        widget=forms.Select(attrs={"class": "select"}),
    )

    finished_pods = NumberField(
        label=_("Finished pods kept"),
        required=False,
        min_value=0,
        max_value=INT32_MAX,
        help_text=_("Once there are more, the oldest are deleted (terminated-pod-gc-threshold); 0 keeps all."),
        widget=forms.NumberInput(attrs={"class": "input", "placeholder": str(resolve(MINORS[-1]).pod_gc_threshold)}),
    )

    feature_gates = forms.CharField(
        label=_("Feature gates"),
        required=False,
        max_length=1000,
        help_text=_("Name=true or Name=false, separated by commas."),
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false", "autocomplete": "off"}),
    )

    def options(self) -> list[forms.BoundField]:
        """The fields beside the text area."""
        return [
            self[name]
            for name in ("kubernetes", "nodes", "node_size", "seed", "jitter", "phase_rules", "runtime", "finished_pods", "feature_gates")
        ]

    def clean_runtime(self) -> str:
        """The runtime by name, if the chosen version can have it."""
        runtime: str = self.cleaned_data["runtime"] or CONTAINERD
        problem = runtime_problem(runtime, self.cleaned_data.get("kubernetes") or "")
        if problem:
            raise forms.ValidationError(problem)
        return runtime

    def clean_node_size(self) -> dict[str, str]:
        """Quantities by resource."""
        try:
            return read_size(self.cleaned_data["node_size"])
        except BadSize as error:
            raise forms.ValidationError(str(error)) from None

    def clean_feature_gates(self) -> dict[str, bool]:
        """The gates by name, as the chosen version knows them."""
        try:
            settings = settings_of(self.cleaned_data["feature_gates"])
            resolve(self.cleaned_data.get("kubernetes") or MINORS[-1], settings)
        except BadGate as error:
            raise forms.ValidationError(
                _("Feature gate %(gate)s %(problem)s."), params={"gate": error.gate, "problem": error.problem}
            ) from None
        return settings

    def cluster(self) -> ClusterSpec:
        """The default cluster with what a valid form says of it."""
        chosen = self.cleaned_data
        nodes = equal_nodes(chosen["nodes"] or NODES_USUAL, chosen["node_size"])
        return replace(default_cluster(), nodes=nodes, runtime=chosen["runtime"], terminated_pod_gc_threshold=chosen["finished_pods"])

    def gates(self) -> dict[str, bool]:
        """The gates of a valid form, with the one that the choice of phase rules means."""
        chosen: dict[str, bool] = self.cleaned_data["feature_gates"]
        return {**chosen, PHASE_GATE: True} if self.cleaned_data["phase_rules"] else chosen


class CheckForm(forms.Form):
    """A text to check for a version, or for a run at a moment (``seq`` or ``t``), whose version and objects then count."""

    manifest = ManifestField(required=False)
    kubernetes = forms.ChoiceField(choices=[(minor, minor) for minor in MINORS], required=False)
    namespace = forms.RegexField(r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z", required=False)
    run = forms.UUIDField(required=False)
    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = NumberField(required=False, min_value=0)

    feature_gates = forms.CharField(required=False, max_length=1000)

    def clean_kubernetes(self) -> str:
        """The newest version where none is named."""
        return self.cleaned_data["kubernetes"] or MINORS[-1]

    def clean_feature_gates(self) -> dict[str, bool]:
        """The gates by name; none where they cannot be read or the version does not have them, for they may be half typed."""
        try:
            settings = settings_of(self.cleaned_data["feature_gates"])
            resolve(self.cleaned_data.get("kubernetes") or MINORS[-1], settings)
        except BadGate:
            return {}
        return settings


class PreviewForm(forms.Form):
    """A text to try on a run at a moment: after a record, or at ``t`` milliseconds; without either at the run's head."""

    manifest = ManifestField()
    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = NumberField(required=False, min_value=0)


class OutlookForm(forms.Form):
    """A gesture on the timeline: what of which subject is held, the value chosen, the moment of the act, and how far one looks.

    With ``at_seq`` commands of that instant after this record are left out: the act takes their place.
    """

    handle = forms.ChoiceField(choices=[(name, name) for name in HANDLES])
    sel = forms.CharField(max_length=700)
    value = forms.CharField(required=False, max_length=40)
    at_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    at_seq = NumberField(required=False, min_value=0)
    until_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)


class QuestionForm(forms.Form):
    """What a reader would like to be asked about: a pod, and which of the questions that there are at the moment (they take turns)."""

    sel = forms.CharField(required=False, max_length=700)
    turn = NumberField(required=False, min_value=0, max_value=1_000_000)


class AnswerForm(forms.Form):
    """The answer to a question of ``kind`` about the pod ``sel``, asked at ``at_ms`` when the run had been ``given`` so many acts."""

    kind = forms.ChoiceField(choices=[(kind, kind) for kind in KINDS_ASKED])
    sel = forms.CharField(max_length=700)
    at_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    given = NumberField(min_value=0)
    choice = forms.CharField(max_length=80)


class ControlForm(forms.Form):
    """The transport of a run: what to do, with its number where it needs one."""

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


class MomentForm(forms.Form):
    """A moment of a run, as the pages send it."""

    t = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    seq = NumberField(required=False, min_value=0)
    sel = forms.CharField(required=False, max_length=700)
    rec = NumberField(required=False, min_value=0)
    tab = forms.RegexField(r"^[a-z]{1,12}\Z", required=False)
    v = forms.RegexField(r"^-?[0-9]{1,12}_[0-9]{1,12}\Z", required=False)
    fold = forms.CharField(required=False, max_length=700)
    open = forms.CharField(required=False, max_length=700)
    q = forms.CharField(required=False, max_length=200)
    sort = forms.ChoiceField(required=False, choices=[("trouble", "trouble")])
    range = forms.RegexField(r"^[0-9]{1,12}_[0-9]{1,12}\Z", required=False)
    notes = forms.CharField(required=False, max_length=1200)
    clock = forms.ChoiceField(required=False, choices=[("wall", "wall"), ("selection", "selection")])
    old = forms.ChoiceField(required=False, choices=[("0", "0")])
    pins = forms.CharField(required=False, max_length=600)
    k = forms.CharField(required=False, max_length=LINE_MAX)
    did = NumberField(required=False, min_value=0)
    part = forms.RegexField(r"^[a-z_0-9.-]{1,80}\Z", required=False)
    pin = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    noise = forms.BooleanField(required=False)


class TrackForm(forms.Form):
    """A stretch of a run, what is selected, and what else its panel is asked."""

    from_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    to_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    sel = forms.CharField(required=False, max_length=700)
    rec = NumberField(required=False, min_value=0)
    k = forms.CharField(required=False, max_length=LINE_MAX)
    did = NumberField(required=False, min_value=0)
    part = forms.RegexField(r"^[a-z_0-9.-]{1,80}\Z", required=False)


class PrintedForm(forms.Form):
    """A stretch of a run, and the pod (namespace/name) whose log lines are asked for."""

    from_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    to_ms = NumberField(min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    pod = forms.CharField(max_length=400)


class CausesForm(forms.Form):
    """Records whose causes are asked for, at most forty."""

    recs = forms.RegexField(r"^[1-9][0-9]{0,8}(,[1-9][0-9]{0,8}){0,39}\Z")


class KeyForm(forms.Form):
    """A wish without anything else to it; the same key is the same wish once more."""

    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}\Z")


class LineForm(forms.Form):
    """A line of kubectl that is to be carried out, at a moment or at the head of the run."""

    k = forms.CharField(max_length=LINE_MAX)
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,56}\Z")
    at_seq = NumberField(required=False, min_value=0)
    at_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
    sel = forms.CharField(required=False, max_length=700)


class ApplyForm(forms.Form):
    """Another object from YAML in a running simulation; with ``node`` a static pod's file on that node."""

    manifest = ManifestField(label=_("Manifests"))
    node = forms.CharField(required=False, max_length=253)
    client_key = forms.RegexField(r"^[A-Za-z0-9-]{8,64}\Z")
    at_seq = NumberField(required=False, min_value=0)
    at_ms = NumberField(required=False, min_value=0, max_value=settings.SIM_RUN_MS_MAX)
