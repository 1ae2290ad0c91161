"""How long a pod and its containers are given to stop.

Two questions are answered here. The API server decides how long an object stays after DELETE: not
at all if the pod has no node or has ended, otherwise the request's grace period, else the pod's.
The kubelet decides how long a container gets: the deletion's grace period, else that of the probe that
failed, else the pod's, and never less than two seconds.

preStop hooks run within this time, not before it.

Source: pkg/registry/core/pod/strategy.go CheckGracefulDelete;
pkg/kubelet/kuberuntime/kuberuntime_container.go setTerminationGracePeriod.
"""

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import TERMINAL_PHASES

MINIMUM_S = 2
"""The minimum the kubelet gives a container."""


class GraceVerdict(Struct, frozen=True, gc=False):
    """Seconds of grace; ``immediate``: the object goes at once. ``rule_id`` says where the number comes from."""

    grace_s: int
    immediate: bool
    rule_id: str


def check_graceful_delete(spec: PodSpec, phase: str, *, asked_s: int | None = None, negative_is_one: bool = True) -> GraceVerdict:
    """The API server's decision on DELETE. ``asked_s``: gracePeriodSeconds of the request.

    ``negative_is_one``: a negative number means one second (1.22); before, it removed the object at once.
    """
    if not spec.node_name:
        return GraceVerdict(0, True, "GRACE-UNSCHEDULED")
    if phase in TERMINAL_PHASES:
        return GraceVerdict(0, True, "GRACE-POD-OVER")
    if asked_s is not None:
        grace, rule_id = asked_s, "GRACE-REQUEST"
    else:
        grace, rule_id = spec.termination_grace_period_seconds or 0, "GRACE-SPEC"
    if grace < 0 and negative_is_one:
        grace, rule_id = 1, "GRACE-NEGATIVE"
    return GraceVerdict(grace, grace <= 0, rule_id)


def container_grace(
    spec: PodSpec, container: Container, reason: str = "", *, deletion_grace_s: int | None = None, probe_level: bool = True
) -> GraceVerdict:
    """Seconds of grace before the kubelet's minimum applies: with 0 a preStop hook is not run.

    ``reason``: LivenessProbe, StartupProbe or anything else. ``probe_level``: probes have their own grace period (1.25).
    """
    if deletion_grace_s is not None:
        return GraceVerdict(deletion_grace_s, False, "GRACE-DELETION")
    if spec.termination_grace_period_seconds is None:
        return GraceVerdict(MINIMUM_S, False, "GRACE-MINIMUM")
    of_probe = _probe_grace(container, reason) if probe_level else None
    if of_probe is not None:
        return GraceVerdict(of_probe, False, "GRACE-PROBE")
    return GraceVerdict(spec.termination_grace_period_seconds, False, "GRACE-SPEC")


def worker_grace_s(spec: PodSpec, given_s: int | None, *, least_s: int, zero_is_unset: bool) -> int:
    """The grace period of a pod's end in a pod worker, hooks included. ``given_s``: from the deletion or the component that ends the pod.

    ``zero_is_unset``: a given 0 counts as not given, so that the pod's own grace period applies (1.22 to 1.30).
    """
    if given_s is None or (given_s <= 0 and zero_is_unset):
        given_s = spec.termination_grace_period_seconds or 0
    return max(given_s, least_s)


def signal_grace_ms(left_ms: Ms, *, least_ms: Ms) -> Ms:
    """Milliseconds between the stop signal and SIGKILL, out of the remaining grace period: never less than the kubelet's minimum."""
    return max(left_ms, least_ms)


def _probe_grace(container: Container, reason: str) -> int | None:
    probe = {"LivenessProbe": container.liveness_probe, "StartupProbe": container.startup_probe}.get(reason)
    return None if probe is None else probe.termination_grace_period_seconds


_DELETE = "pkg/registry/core/pod/strategy.go CheckGracefulDelete"
_KILL = "pkg/kubelet/kuberuntime/kuberuntime_container.go setTerminationGracePeriod"
RULES = (
    RuleText("GRACE-UNSCHEDULED", gettext_noop("The pod is not on a node yet, so it is removed at once."), _DELETE),
    RuleText("GRACE-POD-OVER", gettext_noop("The pod has already Succeeded or Failed, so it is removed at once."), _DELETE),
    RuleText("GRACE-REQUEST", gettext_noop("The delete request specifies how long the pod may take to stop."), _DELETE),
    RuleText("GRACE-SPEC", gettext_noop("The pod’s terminationGracePeriodSeconds specifies how long it may take to stop."), _DELETE),
    RuleText("GRACE-NEGATIVE", gettext_noop("A negative grace period counts as one second."), _DELETE, "1.22"),
    RuleText(
        "GRACE-DELETION", gettext_noop("The pod is being deleted with its own grace period, which takes precedence over a probe’s."), _KILL
    ),
    RuleText("GRACE-PROBE", gettext_noop("The failed probe specifies how long the container may take to stop."), _KILL, "1.25"),
    RuleText("GRACE-MINIMUM", gettext_noop("The kubelet gives a container at least two seconds to stop."), _KILL),
)
