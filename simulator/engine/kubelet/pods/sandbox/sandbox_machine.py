"""The pod sandbox: the pause container that holds the pod's network and shared namespaces.

Containers come and go inside a sandbox; the pod's address belongs to it. A stopped sandbox is never
restarted: the kubelet creates another with the next attempt number and another address, and the
pod starts over from its first init container. That is why ``needed`` applies to stopped as well as
absent.

* creating: the runtime sets up namespaces and network. If the kubelet or the runtime goes down meanwhile,
  it is never finished (abandoned); what exists counts as stopped, and no record mentions it.
* ready: containers may start.
* stopped: by the kubelet, once all containers have ended, or from outside (died). The runtime keeps
  its record until the pod is removed; in 1.20 that may have to wait for garbage collection.

The kubelet learns of either at a relist, not immediately. Source: pkg/kubelet/kuberuntime/
kuberuntime_manager.go SyncPod, killPodWithSyncResult, kuberuntime_sandbox.go.
"""

from simulator.engine.kernel.machine import Machine, Row, State, StateField, imported
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.rows import Sandbox

_SOURCE = "pkg/kubelet/kuberuntime/kuberuntime_manager.go SyncPod"

SANDBOX: Machine[None] = Machine(
    "sandbox",
    about=gettext_noop("The pause container that holds a pod’s network and shared namespaces."),
    initial="absent",
    fields=(StateField(Sandbox, "state", lambda pod, _: f"pod/{pod}", "save_sandbox"),),
    states=(
        State("absent", gettext_noop("No sandbox"), "absent"),
        State("creating", gettext_noop("Creating sandbox"), "starting"),
        State("ready", gettext_noop("Sandbox ready"), "ready"),
        State("stopped", gettext_noop("Sandbox stopped"), "absent"),
    ),
    rows=(
        Row("absent", "needed", "creating", "SANDBOX-CREATE"),
        Row("stopped", "needed", "creating", "SANDBOX-RECREATE"),
        Row("creating", "created", "ready", "SANDBOX-READY"),
        Row("creating", "abandoned", "stopped", "SANDBOX-ABANDONED", quiet=True),
        Row("ready", "stop", "stopped", "SANDBOX-STOP"),
        Row("ready", "died", "stopped", "SANDBOX-DIED"),
        imported(),
    ),
)

RULES = (
    RuleText("SANDBOX-CREATE", gettext_noop("The kubelet creates the pod’s sandbox with its network."), _SOURCE),
    RuleText("SANDBOX-RECREATE", gettext_noop("The old sandbox is gone, so the kubelet creates a new one."), _SOURCE),
    RuleText(
        "SANDBOX-NAME-TOO-LONG",
        gettext_noop("With setHostnameAsFQDN, the full name must fit into the kernel’s 64 characters for a host name."),
        "pkg/kubelet/util/util_linux.go GetNodenameForKernel",
    ),
    RuleText("SANDBOX-READY", gettext_noop("The sandbox is up and the pod has its IP address {ip}."), _SOURCE),
    RuleText("SANDBOX-STOP", gettext_noop("All containers have ended, so the kubelet stops the sandbox."), _SOURCE),
    RuleText(
        "SANDBOX-ABANDONED",
        gettext_noop("The component that was creating the sandbox is gone; what exists of it counts as stopped."),
        "observed on a 1.20.2 node",
    ),
    RuleText("SANDBOX-DIED", gettext_noop("The sandbox was killed from outside."), _SOURCE),
)
