"""One round of the Job controller: what it has found and decided so far.

A ``JobRound`` is created at the beginning of a round and passed through its parts (``job.py``,
``pods.py``, ``tracking.py``), which add to it. ``status`` is a working copy; ``is_dirty`` says that
it differs from what is stored and must be written.

Whether a pod counts as failed depends on the Job. Without a podFailurePolicy a pod that is being
deleted counts at once, unless it has succeeded. With one, or with podReplacementPolicy Failed, it
counts only when its phase says so: the policy needs exit codes, which a running pod does not
have.

Source: pkg/controller/job/job_controller.go syncJobCtx.
"""

from msgspec import Struct

from simulator.engine.controllers.job.failure_policy import PolicyMatch, match
from simulator.engine.controllers.job.indexes import Intervals
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Ms
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.workloads.objects import condition_in, spec_of
from simulator.engine.world.events import JobSync
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

COMPONENT = "job-controller"
KIND = "Job"
FINALIZER = "batch.kubernetes.io/job-tracking"
OWN_NAME = "kubernetes.io/job-controller"
COMPLETE, FAILED, SUSPENDED = "Complete", "Failed", "Suspended"
FAILURE_TARGET, SUCCESS_MET = "FailureTarget", "SuccessCriteriaMet"


class Finish(Struct, frozen=True, kw_only=True):
    """How the Job is about to end: the type of its condition with reason and message, and the rule that decided, with its numbers."""

    type: str
    reason: str = ""
    message: str = ""
    rule: str = ""
    data: Data = ()

    @property
    def is_success(self) -> bool:
        """Whether the Job succeeds."""
        return self.type in (COMPLETE, SUCCESS_MET)


class JobRound(Struct, kw_only=True):
    """What one round of a Job knows. ``status`` is a copy that the round changes and writes; pods are as they were found.

    ``succeeded`` and ``failed`` count the pods in the status and those ended since; ``failures``: those in a row, and the last one's end.
    ``policy_holds``: a podFailurePolicy lets terminating pods be replaced only when they have failed.
    ``done`` and ``bad`` are indexes that succeeded and failed, ``done_before`` those in the status; ``kept``: by index the last
    failed pod, which stays until its replacement has taken over its count.
    """

    row: ApiObject
    key: JobSync
    status: Json
    pods: list[PodRow]
    active_pods: list[PodRow]
    active: int
    ready: int
    terminating: int
    succeeded: int = 0
    failed: int = 0
    failures: tuple[int, Ms] = (0, 0)
    policy_holds: bool = True
    done: Intervals = ()
    done_before: Intervals = ()
    bad: Intervals | None = None
    kept: dict[int, PodRow] = {}
    finish: Finish | None = None
    is_dirty: bool = False

    @property
    def spec(self) -> Json:
        """The Job's spec, read-only."""
        return spec_of(self.row)

    @property
    def completions(self) -> int | None:
        """How many pods must succeed; None: any one, and the others end by themselves."""
        found: int | None = self.spec.get("completions")
        return found

    @property
    def parallelism(self) -> int:
        """How many pods may be active."""
        found = self.spec.get("parallelism")
        return 1 if found is None else int(found)

    @property
    def is_indexed(self) -> bool:
        """Whether each pod has its own index."""
        return self.spec.get("completionMode") == "Indexed"

    @property
    def limit_by_index(self) -> int | None:
        """backoffLimitPerIndex, if the Job has one."""
        found: int | None = self.spec.get("backoffLimitPerIndex") if self.is_indexed else None
        return found

    @property
    def is_suspended(self) -> bool:
        """Whether the Job is to have no pods for now."""
        return bool(self.spec.get("suspend"))

    @property
    def policy(self) -> Json | None:
        """podFailurePolicy, if the Job has one."""
        found: Json | None = self.spec.get("podFailurePolicy")
        return found

    @property
    def replaces_failed_only(self) -> bool:
        """Whether a terminating pod is replaced only once it has failed."""
        return (self.policy is not None and self.policy_holds) or self._awaits_failure

    @property
    def _awaits_failure(self) -> bool:
        return self.spec.get("podReplacementPolicy") == "Failed"

    def is_failed(self, pod: PodRow) -> bool:
        """Whether a pod counts as failed: one being deleted does too, unless a policy depends on how pods ended."""
        if pod.status.phase == "Failed":
            return True
        waits = self.policy is not None or self._awaits_failure
        return not waits and pod.deletion_ms is not None and pod.status.phase != "Succeeded"

    def match(self, pod: PodRow) -> PolicyMatch:
        """The verdict of podFailurePolicy on a failed pod."""
        by_index = self.limit_by_index is not None
        return match(self.policy, pod.status, namespace=pod.namespace, name=pod.name, by_index=by_index)


def has_finalizer(pod: PodRow) -> bool:
    """Whether the pod waits to be counted."""
    return FINALIZER in pod.pod.metadata.finalizers


def is_terminating(pod: PodRow) -> bool:
    """Whether a pod is being deleted and has not ended (controller.IsPodTerminating)."""
    return pod.deletion_ms is not None and pod.gone_ms is None and pod.status.phase not in TERMINAL_PHASES


def is_finished(status: Json) -> bool:
    """Whether a Job's status says that it has finished."""
    return finished_as(status) != ""


def finished_as(status: Json) -> str:
    """Complete or Failed, or empty for a Job that has not finished."""
    return next((kind for kind in (COMPLETE, FAILED) if (condition_in(status, kind) or {}).get("status") == "True"), "")
