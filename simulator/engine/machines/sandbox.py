"""The pod sandbox: the pause container that holds the pod's network and shared namespaces."""

from simulator.engine.machine import Machine, Row, State
from simulator.engine.rules.text import RuleText, gettext_noop

_SOURCE = "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod"

SANDBOX: Machine[None] = Machine(
    "sandbox",
    initial="absent",
    states=(
        State("absent", "No sandbox", "absent"),
        State("creating", "Creating sandbox", "starting"),
        State("ready", "Sandbox ready", "ready"),
        State("stopped", "Sandbox stopped", "absent"),
    ),
    rows=(
        Row("absent", "needed", "creating", "SANDBOX-CREATE"),
        Row("stopped", "needed", "creating", "SANDBOX-RECREATE"),
        Row("creating", "created", "ready", "SANDBOX-READY"),
        Row("ready", "stop", "stopped", "SANDBOX-STOP"),
        Row("ready", "died", "stopped", "SANDBOX-DIED"),
    ),
)

RULES = (
    RuleText("SANDBOX-CREATE", gettext_noop("The kubelet creates the pod's sandbox with its network."), _SOURCE),
    RuleText("SANDBOX-RECREATE", gettext_noop("The old sandbox is gone, so the kubelet creates a new one."), _SOURCE),
    RuleText("SANDBOX-READY", gettext_noop("The sandbox is up and the pod has its IP address {ip}."), _SOURCE),
    RuleText("SANDBOX-STOP", gettext_noop("All containers have ended, so the kubelet stops the sandbox."), _SOURCE),
    RuleText("SANDBOX-DIED", gettext_noop("The sandbox was killed from outside."), _SOURCE),
)
