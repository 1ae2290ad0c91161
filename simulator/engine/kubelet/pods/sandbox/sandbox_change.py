"""The pod sandbox (network and shared namespaces) and when a new one is needed.

Source: kubelet kuberuntime util PodSandboxChanged.
"""

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.pod import PodSpec


class SandboxStatus(Struct, frozen=True, kw_only=True, gc=False):
    """A sandbox as the runtime reports it. ``state`` is READY or NOTREADY, ``network`` POD or NODE."""

    id: str = ""
    state: str = "READY"
    attempt: int = 0
    ip: str = ""
    network: str = "POD"


class SandboxVerdict(Struct, frozen=True, gc=False):
    """Whether a new sandbox is needed, its attempt number, the id of the current one and the rule that decided."""

    changed: bool
    attempt: int
    id: str
    rule_id: str


_NONE = SandboxVerdict(True, 0, "", "SANDBOX-NONE")


def sandbox_changed(spec: PodSpec, sandboxes: tuple[SandboxStatus, ...]) -> SandboxVerdict:
    """Decide whether the pod needs a new sandbox. ``sandboxes`` are ordered newest first."""
    if not sandboxes:
        return _NONE
    latest = sandboxes[0]
    fresh = latest.attempt + 1
    if len(sandboxes) > 1 and sum(sandbox.state == "READY" for sandbox in sandboxes) > 1:
        return SandboxVerdict(True, fresh, latest.id, "SANDBOX-SEVERAL-READY")
    if latest.state != "READY":
        return SandboxVerdict(True, fresh, latest.id, "SANDBOX-NOT-READY")
    if latest.network != ("NODE" if spec.host_network else "POD"):
        return SandboxVerdict(True, fresh, "", "SANDBOX-NETWORK-CHANGED")
    if not spec.host_network and not latest.ip:
        return SandboxVerdict(True, fresh, latest.id, "SANDBOX-NO-IP")
    return SandboxVerdict(False, latest.attempt, latest.id, "SANDBOX-KEPT")


_SOURCE = "pkg/kubelet/kuberuntime/util PodSandboxChanged"
RULES = (
    RuleText("SANDBOX-NONE", gettext_noop("The pod has no sandbox yet, so the kubelet creates the first one."), _SOURCE),
    RuleText(
        "SANDBOX-SEVERAL-READY",
        gettext_noop("The pod has more than one ready sandbox, so the kubelet stops them and creates a new one."),
        _SOURCE,
    ),
    RuleText("SANDBOX-NOT-READY", gettext_noop("The newest sandbox has died, so the kubelet creates a new one."), _SOURCE),
    RuleText(
        "SANDBOX-NETWORK-CHANGED",
        gettext_noop("The sandbox has a different network mode from the one the pod asks for, so the kubelet creates a new one."),
        _SOURCE,
    ),
    RuleText("SANDBOX-NO-IP", gettext_noop("The sandbox has no IP address, so the kubelet creates a new one."), _SOURCE),
    RuleText("SANDBOX-KEPT", gettext_noop("The sandbox is ready and is kept."), _SOURCE),
)
