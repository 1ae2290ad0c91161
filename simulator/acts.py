"""What a user can do to a thing on the page: every act with its label, its fields and the kubectl command of the same effect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

ICONS = {
    "delete_pods": "trash",
    "delete_namespace": "trash",
    "delete_node": "trash",
    "exec": "play",
    "debug_pod": "search",
    "patch_pod": "yaml",
    "label_node": "yaml",
    "kill_sandbox": "skull",
    "node_pressure": "memory",
    "shutdown_node": "exit",
    "delete_pod": "trash",
    "delete": "trash",
    "evict": "exit",
    "exit_container": "exit",
    "signal_container": "signal",
    "oom_container": "memory",
    "hang_container": "hang",
    "set_probe": "heart",
    "set_image": "image",
}
SIGNALS = ((15, "TERM"), (9, "KILL"), (2, "INT"), (3, "QUIT"), (1, "HUP"), (6, "ABRT"), (11, "SEGV"))


@dataclass(frozen=True)
class Input:
    """A visible field of an act: a number with bounds, a text where ``value`` is one, or a choice of (value, label)."""

    name: str
    label: str
    value: int | str
    unit: str = ""
    minimum: int = 0
    maximum: int = 0
    choices: Sequence[tuple[int | str, str]] = ()

    @property
    def is_text(self) -> bool:
        """Whether people type words, not a number."""
        return isinstance(self.value, str) and not self.choices


@dataclass(frozen=True)
class Button:
    """A button of an act; ``name`` and ``value`` say which of several was pressed."""

    label: str
    name: str = ""
    value: str = ""


@dataclass(frozen=True)
class Act:
    """A form that sends one command. ``key`` is unique on the page.

    ``kubectl`` is the command line of the same effect, with ``{name}`` where the value of an input stands; empty where there is none.
    """

    key: str
    fields: dict[str, str | int]
    buttons: tuple[Button, ...]
    kubectl: str = ""
    help: str = ""
    is_destructive: bool = False
    inputs: tuple[Input, ...] = field(default=())

    @property
    def command_line(self) -> str:
        """``kubectl`` with the values that the inputs begin with."""
        return fill(self.kubectl, {item.name: str(item.value) for item in self.inputs})

    @property
    def names_inputs(self) -> bool:
        """Whether the inputs need their labels to be told apart, or the buttons do not say what the only one is."""
        return len(self.inputs) > 1 or len(self.buttons) > 1

    @property
    def icon(self) -> str:
        """The icon of its command."""
        return ICONS.get(str(self.fields["do"]), "bolt")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values where ``{name}`` stands; other braces, as in JSON, stay."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def pod_acts(*, key: str, namespace: str, name: str, grace_s: int) -> list[Act]:
    """Delete a pod in its four ways; ``grace_s`` is the pod's own grace period."""
    kubectl = f"kubectl delete pod {name}" + in_namespace(namespace)
    base: dict[str, str | int] = {"do": "delete_pod", "target": key}
    own = _("The pod’s own grace period: %(seconds)d s. TERM first, KILL when it is over.") % {"seconds": grace_s}
    now = _("TERM, and KILL one or two seconds later.")
    force = _("The object goes at once; the process on the node may outlive it.")
    return [
        Act(f"{key}-delete", base, (Button(_("Delete pod")),), kubectl, own, is_destructive=True),
        Act(
            f"{key}-now",
            {**base, "grace_s": 1},
            (Button(_("Delete pod with 1 s of grace")),),
            f"{kubectl} --now",
            now,
            is_destructive=True,
        ),
        Act(
            f"{key}-grace",
            base,
            (Button(_("Delete pod with grace")),),
            f"{kubectl} --grace-period={{grace_s}}",
            inputs=(Input("grace_s", _("Grace period in seconds"), 10, unit="s", maximum=3600),),
            is_destructive=True,
        ),
        Act(
            f"{key}-force",
            {**base, "grace_s": 0, "force": "on"},
            (Button(_("Force delete pod")),),
            f"{kubectl} --grace-period=0 --force",
            force,
            is_destructive=True,
        ),
    ]


def container_acts(*, key: str, container: str, is_hung: bool) -> list[Act]:
    """What can be done to a container's main process while it runs."""
    base: dict[str, str | int] = {"target": key, "container": container}
    prefix = f"{key}-{container}"
    exit_input = Input("exit_code", _("Exit code"), 1, maximum=255)
    signal_input = Input("signal", _("Signal"), 9, choices=[(number, f"{name} ({number})") for number, name in SIGNALS])
    return [
        Act(f"{prefix}-exit", {"do": "exit_container", **base}, (Button(_("Exit container with code")),), inputs=(exit_input,)),
        Act(
            f"{prefix}-signal",
            {"do": "signal_container", **base},
            (Button(_("Kill container with signal")),),
            help=_("Sent from the node. A process that is PID 1 and has no handler ignores everything but KILL."),
            inputs=(signal_input,),
        ),
        Act(
            f"{prefix}-oom",
            {"do": "oom_container", **base},
            (Button(_("Run out of memory")),),
            help=_("The kernel kills the main process."),
        ),
        _hang_act(prefix, base, is_hung),
    ]


def _hang_act(prefix: str, base: dict[str, str | int], is_hung: bool) -> Act:
    if is_hung:
        return Act(f"{prefix}-hang", {"do": "hang_container", **base}, (Button(_("Wake process")),), help=_("The process goes on."))
    fields: dict[str, str | int] = {"do": "hang_container", **base, "hang": "on"}
    return Act(f"{prefix}-hang", fields, (Button(_("Hang process")),), help=_("No progress, no answers to probes, deaf to TERM."))


def probe_act(*, key: str, container: str, probe: str, is_decided: bool) -> Act:
    """Decide what a probe sees; one form with a button for each outcome, and one to heal where something is decided already."""
    labels = {
        "failure": _("Fail %(probe)s"),
        "timeout": _("Time out %(probe)s"),
        "error": _("Break %(probe)s"),
        "success": _("Pass %(probe)s"),
    }
    if is_decided:
        labels[""] = _("Heal %(probe)s")
    return Act(
        f"{key}-{container}-{probe}",
        {"do": "set_probe", "target": key, "container": container, "probe": probe},
        tuple(Button(label % {"probe": probe}, "outcome", outcome) for outcome, label in labels.items()),
        help=_("Heal hands the probe back to the container. 0 attempts: until healed."),
        inputs=(Input("attempts", _("Attempts"), 0, maximum=1000),),
    )


def image_act(*, image: str, available: bool) -> Act:
    """Take an image out of the registry or put it back."""
    fields: dict[str, str | int] = {"do": "set_image", "image": image}
    if available:
        label, effect = _("Make image unavailable"), _("The next pull fails; nodes keep what they have.")
    else:
        label, effect = _("Make image available"), _("The next pull succeeds.")
        fields["available"] = "on"
    return Act(f"image-{image}", fields, (Button(label),), help=effect)


def in_namespace(namespace: str) -> str:
    """The option that names a namespace other than the default one."""
    return "" if namespace == "default" else f" --namespace={namespace}"
