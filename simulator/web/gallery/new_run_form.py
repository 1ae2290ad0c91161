"""The form for a new run: manifests and options."""

from django import forms
from django.utils.translation import gettext_lazy as _
from msgspec.structs import replace

from simulator.engine.containers.docker import CONTAINERD, DOCKER
from simulator.engine.versions import MINORS, PHASE_GATE, BadGate, resolve, settings_of
from simulator.engine.world.cluster import ClusterSpec
from simulator.manifests.script.cluster import INT32_MAX, NODES_MAX, NODES_USUAL, default_cluster, equal_nodes, runtime_problem
from simulator.manifests.script.node_size import BadSize, read_size
from simulator.web.base.fields import ManifestField, NumberField, SeedField, VersionField

PHASE_RULES_1_3 = "1.3"


class NewRunForm(forms.Form):
    """The manifests and options that a run starts from."""

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
        """The fields next to the text area."""
        return [
            self[name]
            for name in ("kubernetes", "nodes", "node_size", "seed", "jitter", "phase_rules", "runtime", "finished_pods", "feature_gates")
        ]

    def clean_runtime(self) -> str:
        """The runtime's name, if the chosen version supports it."""
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
        """The default cluster, with the changes from a valid form."""
        chosen = self.cleaned_data
        nodes = equal_nodes(chosen["nodes"] or NODES_USUAL, chosen["node_size"])
        return replace(default_cluster(), nodes=nodes, runtime=chosen["runtime"], terminated_pod_gc_threshold=chosen["finished_pods"])

    def gates(self) -> dict[str, bool]:
        """The gates of a valid form, including the one for the choice of phase rules."""
        chosen: dict[str, bool] = self.cleaned_data["feature_gates"]
        return {**chosen, PHASE_GATE: True} if self.cleaned_data["phase_rules"] else chosen
