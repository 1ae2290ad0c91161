"""What the kubelet passes to the runtime of a Windows node in addition: the user, and HostProcess containers.

Sources: pkg/kubelet/kuberuntime/kuberuntime_sandbox.go generatePodSandboxWindowsConfig, security_context_windows.go verifyRunAsNonRoot;
the documentation's "Create a Windows HostProcess Pod". A kubelet on Linux reads none of these fields.
"""

from simulator.engine.containers import image_facts
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.start.run_as import must_not_be_root
from simulator.engine.model.container import Container, WindowsOptions
from simulator.engine.world.rows import PodRow

ADMINISTRATOR = "ContainerAdministrator"
"""Windows' nearest equivalents of root, and what most images run as (except those based on nanoserver)."""
SANDBOX_MOUNT = "CONTAINER_SANDBOX_MOUNT_POINT"
_SANDBOX_PATH = "C:\\hpc\\"

RULES = (
    RuleText(
        "WINDOWS-SHUTDOWN-EVENT",
        gettext_noop(
            "Windows has no signals: the runtime sends CTRL_SHUTDOWN_EVENT for TERM and ends the process for KILL. A process without a"
            " handler ends with 0xC000013A, which the API shows as -1073741510."
        ),
        "hcsshim internal/signals/signal.go, cmd/containerd-shim-runhcs-v1/exec_hcs.go; that KILL gives the same code is assumed",
        sure="belief",
    ),
)


def _options(row: PodRow, container: Container) -> tuple[WindowsOptions, ...]:
    """The options of the container and of the pod, the more specific first."""
    contexts = (container.security_context, row.pod.spec.security_context)
    return tuple(item.windows_options for item in contexts if item is not None and item.windows_options is not None)


def is_host_process(row: PodRow, container: Container) -> bool:
    """Whether the container is a process of its node, on a Windows node."""
    return bool(next((item.host_process for item in _options(row, container) if item.host_process is not None), False))


def _asked_user(row: PodRow, container: Container) -> str:
    return next((item.run_as_user_name for item in _options(row, container) if item.run_as_user_name is not None), "")


def variables(row: PodRow, container: Container) -> tuple[tuple[str, str], ...]:
    """Variables that Windows and the runtime set for the container."""
    user = _asked_user(row, container) or ("ContainerUser" if image_facts(container.image).base == "nanoserver" else ADMINISTRATOR)
    found = (("USERNAME", user),)
    return (*found, (SANDBOX_MOUNT, _SANDBOX_PATH)) if is_host_process(row, container) else found


def non_root_problem(row: PodRow, container: Container) -> str:
    """Why the container may not start as the user it requests, or empty. Windows images have no user that counts as root."""
    user = _asked_user(row, container)
    if user != ADMINISTRATOR or not must_not_be_root(row, container):
        return ""
    where = f'(pod: "{row.name}_{row.namespace}({row.uid})", container: {container.name})'
    return f"container's runAsUser ({user}) which will be regarded as root identity and will break non-root policy {where}"
