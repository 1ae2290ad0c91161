"""Defaults of workloads (pkg/apis/{apps,batch}/v1/defaults.go)."""

from simulator.engine.apiserver.defaulting.kinds_registry import fills, maps_in, part, part_or_empty, set_unset
from simulator.engine.kernel.json_text import Json

_ROLLING = "RollingUpdate"
_QUARTER = "25%"
_PROGRESS_DEADLINE_S = 600
_REVISIONS = 10
_BACKOFF_LIMIT = 6
_INT32_MAX = 2**31 - 1
_JOBS_KEPT, _FAILED_JOBS_KEPT = 3, 1
_CPU_SHARE, _SCALE_PERIOD_S = 80, 15


@fills("Deployment", "ReplicaSet", "StatefulSet")
def replicas(document: Json) -> None:
    """One pod unless more are asked for."""
    set_unset(part(document, "spec"), replicas=1)


@fills("Deployment", "StatefulSet", "DaemonSet")
def revisions(document: Json) -> None:
    """Ten old revisions are kept."""
    set_unset(part(document, "spec"), revisionHistoryLimit=_REVISIONS)


@fills("Deployment")
def deployment(document: Json) -> None:
    """A rollout replaces a quarter at a time and has ten minutes to make progress."""
    spec = part(document, "spec")
    strategy = part(spec, "strategy")
    set_unset(strategy, type=_ROLLING)
    if strategy["type"] == _ROLLING:
        set_unset(part(strategy, "rollingUpdate"), maxUnavailable=_QUARTER, maxSurge=_QUARTER)
    set_unset(spec, progressDeadlineSeconds=_PROGRESS_DEADLINE_S)


@fills("DaemonSet")
def daemon_set(document: Json) -> None:
    """A rolling update replaces the pod of one node after the other."""
    strategy = part(document, "spec", "updateStrategy")
    set_unset(strategy, type=_ROLLING)
    if strategy["type"] == _ROLLING:
        set_unset(part(strategy, "rollingUpdate"), maxUnavailable=1)


@fills("DaemonSet", since=22)
def daemon_set_surge(document: Json) -> None:
    """A rolling update of a DaemonSet has no surge: a node has at most one of its pods."""
    strategy = part(document, "spec", "updateStrategy")
    if strategy["type"] == _ROLLING:
        set_unset(part(strategy, "rollingUpdate"), maxSurge=0)


@fills("StatefulSet")
def stateful_set(document: Json) -> None:
    """Pods are created and updated one after the other, and all of them are."""
    spec = part(document, "spec")
    set_unset(spec, podManagementPolicy="OrderedReady")
    strategy = part(spec, "updateStrategy")
    # rollingUpdate is filled in only along with the type: a type without it stays without a
    # partition.
    if not strategy.get("type"):
        strategy["type"] = _ROLLING
        part(strategy, "rollingUpdate")
    if strategy["type"] == _ROLLING and isinstance(strategy.get("rollingUpdate"), dict):
        set_unset(strategy["rollingUpdate"], partition=0)


@fills("StatefulSet", since=27)
def claim_retention(document: Json) -> None:
    """The claims of a StatefulSet are retained when it is deleted or scaled down."""
    policy = part(document, "spec", "persistentVolumeClaimRetentionPolicy")
    set_unset(policy, whenDeleted="Retain", whenScaled="Retain")


@fills("StatefulSet", since=35)
def stateful_set_unavailable(document: Json) -> None:
    """One pod at a time is replaced."""
    strategy = part(document, "spec", "updateStrategy")
    if strategy.get("type") == _ROLLING and isinstance(strategy.get("rollingUpdate"), dict):
        set_unset(strategy["rollingUpdate"], maxUnavailable=1)


@fills("StatefulSet")
def claim_templates(document: Json) -> None:
    """Claim templates are objects of their own kind, with that kind's defaults."""
    for claim in maps_in(part(document, "spec"), "volumeClaimTemplates"):
        set_unset(claim, apiVersion="v1", kind="PersistentVolumeClaim")
        set_unset(part(claim, "spec"), volumeMode="Filesystem")
        set_unset(part(claim, "status"), phase="Pending")


@fills("Job")
def job_completions(document: Json) -> None:
    """Parallelism and completions are both 1, unless one of them is set."""
    spec = part(document, "spec")
    # Parallelism alone means a work queue, whose number of completions is left open.
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    set_unset(spec, parallelism=1)


@fills("Job")
def job_labels(document: Json) -> None:
    """A job without labels gets those of its pods."""
    labels = part_or_empty(document, "spec", "template", "metadata").get("labels")
    metadata = part(document, "metadata")
    if labels and not metadata.get("labels"):
        metadata["labels"] = dict(labels)


@fills("Job", until=28)
def job_backoff_before(document: Json) -> None:
    """The backoff limit is six failed pods."""
    set_unset(part(document, "spec"), backoffLimit=_BACKOFF_LIMIT)


@fills("Job", since=29)
def job_backoff(document: Json) -> None:
    """The backoff limit is six failed pods, unless each index has its own."""
    spec = part(document, "spec")
    by_index = spec.get("backoffLimitPerIndex") is not None
    set_unset(spec, backoffLimit=_INT32_MAX if by_index else _BACKOFF_LIMIT)


@fills("Job", since=22)
def job_mode(document: Json) -> None:
    """The completion mode is NonIndexed, and the job starts at once."""
    set_unset(part(document, "spec"), completionMode="NonIndexed", suspend=False)


@fills("Job", since=29)
def job_replacement(document: Json) -> None:
    """Terminating pods are replaced at once; with a failure policy only once they failed."""
    spec = part(document, "spec")
    has_policy = isinstance(spec.get("podFailurePolicy"), dict)
    set_unset(spec, podReplacementPolicy="Failed" if has_policy else "TerminatingOrFailed", manualSelector=False)


@fills("Job", since=26)
def job_conditions(document: Json) -> None:
    """A condition in a failure policy has the status True."""
    _fill_conditions(part_or_empty(document, "spec"))


@fills("CronJob", since=26)
def cron_job_conditions(document: Json) -> None:
    """The same for the jobs of a CronJob."""
    _fill_conditions(part_or_empty(document, "spec", "jobTemplate", "spec"))


def _fill_conditions(spec: Json) -> None:
    for rule in maps_in(part_or_empty(spec, "podFailurePolicy"), "rules"):
        for pattern in maps_in(rule, "onPodConditions"):
            set_unset(pattern, status="True")


@fills("CronJob")
def cron_job(document: Json) -> None:
    """Jobs may overlap; three successful and one failed are kept."""
    set_unset(
        part(document, "spec"),
        concurrencyPolicy="Allow",
        suspend=False,
        successfulJobsHistoryLimit=_JOBS_KEPT,
        failedJobsHistoryLimit=_FAILED_JOBS_KEPT,
    )


@fills("HorizontalPodAutoscaler")
def autoscaler(document: Json) -> None:
    """At least one replica and, if no metric is given, a target of 80 % of the requested CPU."""
    spec = part(document, "spec")
    set_unset(spec, minReplicas=1)
    if not str(document.get("apiVersion")).startswith("autoscaling/v2"):
        set_unset(spec, targetCPUUtilizationPercentage=_CPU_SHARE)
    elif not spec.get("metrics"):
        target = {"type": "Utilization", "averageUtilization": _CPU_SHARE}
        spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]


@fills("HorizontalPodAutoscaler")
def autoscaler_behavior(document: Json) -> None:
    """A behavior that sets one direction gets the defaults of both: up at once, doubled or by four; down by up to 100 %."""
    behavior = (document.get("spec") or {}).get("behavior")
    if not isinstance(behavior, dict):
        return
    doubled = {"type": "Percent", "value": 100, "periodSeconds": _SCALE_PERIOD_S}
    by_four = {"type": "Pods", "value": 4, "periodSeconds": _SCALE_PERIOD_S}
    set_unset(part(behavior, "scaleUp"), stabilizationWindowSeconds=0, selectPolicy="Max", policies=[by_four, doubled])
    set_unset(part(behavior, "scaleDown"), selectPolicy="Max", policies=[dict(doubled)])
