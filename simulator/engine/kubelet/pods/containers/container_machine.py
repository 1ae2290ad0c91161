"""A container on its node: waiting, pulled, created, running, stopping, exited, or backing off.

This is the reality on the node. What the API shows of it (``container_status``) follows later, when the
kubelet has looked again.

A start is attempted by a sync, and the checks come in the order in which the kubelet makes them:
crash-loop back-off, image name, pull policy, image back-off, pull, configuration, create, start. The
first that fails ends the attempt, so a container in crash-loop back-off never reports that its image is
missing as well. The same rows appear under waiting, backoff and exited, since an attempt starts the
same way from all three.

The state is held in two places in turn. While a start is in progress the worker holds it (``Worker.start``):
the runtime has no instance yet. Once its process has been started, or failed to start, the instance holds it.
An attempt that fails before that leaves its state in the worker's reason, where the next attempt picks it up.

* backoff to backoff is quiet: a container that keeps backing off is recorded once.
* A process that ends while it is being stopped is STOP-EXITED, whatever ended it.
* stopping returns to running if the kubelet or the runtime was lost in the middle of a stop.
* oom_killed is the end of the main process by the kernel; oom_outlived its own end after another
  process of the container was killed, which until 1.27 also shows as OOMKilled.
* reset (1.35) removes an ended container so that it starts as if it had never run.

Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer, killContainer;
pkg/kubelet/images/image_manager.go EnsureImageExists.
"""

from msgspec import Struct

from simulator.engine.kernel.machine import Machine, Row, State, StateField, imported
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.rows import Instance, Worker

SOURCE = "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer"


class StartFacts(Struct, frozen=True, gc=False):
    """What decides how far a start gets."""

    crash_backoff: bool = False
    valid_name: bool = True
    pull: str = "use"  # the verdict of ``image_pull``: use, pull, wait or fail
    runtime_silent: bool = False


def in_crash_backoff(facts: StartFacts) -> bool:
    """The back-off after the last end has not expired."""
    return facts.crash_backoff


def image_name_is_invalid(facts: StartFacts) -> bool:
    """The image reference cannot be parsed."""
    return not facts.valid_name


def runtime_is_silent(facts: StartFacts) -> bool:
    """The container runtime does not answer, so it is unknown whether the image is present."""
    return facts.runtime_silent


def image_is_missing_and_never_pulled(facts: StartFacts) -> bool:
    """Policy Never and the image is not on the node."""
    return facts.pull == "fail"


def image_is_usable_as_is(facts: StartFacts) -> bool:
    """The image is on the node and the policy does not require a pull."""
    return facts.pull == "use"


def in_image_backoff(facts: StartFacts) -> bool:
    """The back-off after the last failed pull has not expired."""
    return facts.pull == "wait"


_START = (
    ("backoff", "BACKOFF-WAIT", in_crash_backoff, "hold_back"),
    ("waiting", "IMAGE-INVALID-NAME", image_name_is_invalid, "refuse_name"),
    ("waiting", "IMAGE-INSPECT-FAILED", runtime_is_silent, "fail_inspect"),
    ("waiting", "PULL-NEVER", image_is_missing_and_never_pulled, "refuse_missing"),
    ("creating", "PULL-PRESENT", image_is_usable_as_is, "create"),
    ("waiting", "PULL-BACKOFF", in_image_backoff, "hold_pull_back"),
    ("pulling", "PULL-NOW", None, "begin_pull"),
)

CONTAINER: Machine[StartFacts] = Machine(
    "container",
    about=gettext_noop("A container on its node, as the runtime sees it. What the API shows follows later (container_status)."),
    initial="waiting",
    fields=(
        StateField(Worker, "state", lambda _, worker: f"container/{worker.pod}/{worker.start.container}", inner="start"),
        StateField(
            Instance,
            "state",
            lambda pod, instance: f"container/{pod}/{instance.container}",
            lambda fx, pod, instance: fx.save_instance(pod, instance),
        ),
    ),
    states=(
        State("waiting", gettext_noop("Waiting"), "waiting"),
        State("backoff", gettext_noop("Held back"), "backoff"),
        State("pulling", gettext_noop("Pulling image"), "starting"),
        State("creating", gettext_noop("Creating"), "starting"),
        State("running", gettext_noop("Running"), "ready"),
        State("stopping", gettext_noop("Stopping"), "terminating"),
        State("exited", gettext_noop("Exited"), "failed"),
    ),
    rows=(
        *(
            Row(source, "start_due", target, rule, when=guard, do=effect, quiet=source == target == "backoff")
            for source in ("waiting", "backoff", "exited")
            for target, rule, guard, effect in _START
        ),
        Row("pulling", "pulled", "creating", "IMAGE-PULLED", do="create_from_pulled"),
        Row("pulling", "pull_failed", "waiting", "PULL-FAILED", do="back_off_pull"),
        Row("creating", "config_failed", "waiting", "CONTAINER-CONFIG", do="refuse_config"),
        Row("creating", "create_failed", "waiting", "CONTAINER-CREATE-FAILED", do="refuse_create"),
        Row("creating", "start_failed", "exited", "START-ERROR", do="fail_start"),
        Row("creating", "started", "running", "CONTAINER-STARTED", do="enter"),
        Row("running", "process_exited", "exited", "PROCESS-EXITED"),
        Row("running", "oom_killed", "exited", "PROCESS-OOM"),
        Row("running", "oom_outlived", "exited", "PROCESS-OOM-OUTLIVED"),
        Row("running", "stop_requested", "stopping", "STOP-REQUESTED"),
        Row("stopping", "stop_forgotten", "running", "STOP-FORGOTTEN"),
        Row("stopping", "process_exited", "exited", "STOP-EXITED"),
        Row("stopping", "oom_killed", "exited", "PROCESS-OOM"),
        Row("stopping", "oom_outlived", "exited", "PROCESS-OOM-OUTLIVED"),
        Row("exited", "reset", "waiting", "RESET-CONTAINER"),
        imported(),
    ),
)

RULES = (
    RuleText(
        "IMAGE-INVALID-NAME",
        gettext_noop("The image name cannot be parsed as a reference, so nothing is pulled (InvalidImageName)."),
        "pkg/kubelet/images/image_manager.go",
    ),
    RuleText(
        "IMAGE-INSPECT-FAILED",
        gettext_noop("The kubelet could not ask the container runtime for the image (ImageInspectError)."),
        "observed on a 1.20.2 node; pkg/kubelet/images/image_manager.go",
        sure="recording",
    ),
    RuleText("IMAGE-PULLED", gettext_noop("The pull succeeded."), "pkg/kubelet/images/image_manager.go"),
    RuleText(
        "CONTAINER-CONFIG",
        gettext_noop("The container’s configuration cannot be completed: {message}"),
        "" + SOURCE,
    ),
    RuleText(
        "CONTAINER-CREATE-FAILED",
        gettext_noop(
            "The pod’s sandbox disappeared while the container was being started, so the runtime cannot create it (CreateContainerError)."
        ),
        "" + SOURCE + "; containerd pkg/cri/server/container_create.go",
    ),
    RuleText(
        "START-ERROR",
        gettext_noop("The runtime could not start the program, so the instance counts as terminated with exit code {exit_code}."),
        "observed on a 1.20.2 node",
        sure="recording",
    ),
    RuleText("CONTAINER-STARTED", gettext_noop("The runtime started the container’s process."), "" + SOURCE),
    RuleText(
        "PROCESS-EXITED",
        gettext_noop("The container’s main process exited on its own with code {exit_code}."),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go toKubeContainerStatus",
    ),
    RuleText(
        "PROCESS-OOM",
        gettext_noop("The kernel killed the main process because the container exceeded its memory limit."),
        "the kernel's cgroup OOM killer, as the runtime reports it",
    ),
    RuleText(
        "PROCESS-OOM-OUTLIVED",
        gettext_noop(
            "The main process exited on its own with code {exit_code}, but the kernel had killed another process "
            "at the memory limit: OOMKilled."
        ),
        "kubernetes issue 104454; the runtime reports OOMKilled for any process of the container's cgroup",
        until="1.27",
    ),
    RuleText(
        "STOP-REQUESTED",
        gettext_noop("The kubelet began to stop the container: {message}"),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer",
    ),
    RuleText(
        "STOP-EXITED",
        gettext_noop("The process exited with code {exit_code} while it was being stopped."),
        "the runtime's StopContainer",
    ),
)
