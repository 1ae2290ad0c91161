"""How much of what it requests a workload has, read from its status: for the machine that records it, for maps and inspectors.

Source: the columns of ``kubectl get`` (pkg/printers/internalversion/printers.go) and the conditions
that the controllers set.
"""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.machines.workload import WorkloadFacts

RULES = (
    RuleText(
        "WORKLOAD-COMPLETE",
        gettext_noop("The status says that {there} {there:pod exists|pods exist}, as many as requested."),
        "pkg/printers/internalversion/printers.go",
    ),
    RuleText(
        "WORKLOAD-PARTIAL",
        gettext_noop("The status says that {there} of {wanted} {wanted:pod|pods} {there:exists|exist}."),
        "pkg/printers/internalversion/printers.go",
    ),
    RuleText(
        "WORKLOAD-EMPTY",
        gettext_noop("The status says that none of the {wanted} {wanted:pod|pods} exists yet."),
        "pkg/printers/internalversion/printers.go",
    ),
    RuleText(
        "WORKLOAD-FAILING",
        gettext_noop("A condition in the status reports a problem: {condition}."),
        "pkg/apis/apps/types.go, pkg/apis/batch/types.go: conditions",
    ),
    RuleText("WORKLOAD-DONE", gettext_noop("The status says that the work is done."), "pkg/apis/batch/types.go JobComplete"),
)

COUNTS: dict[str, tuple[tuple[str, str], ...]] = {
    "Deployment": (("up-to-date", "updatedReplicas"), ("ready", "readyReplicas"), ("available", "availableReplicas")),
    "ReplicaSet": (("current", "replicas"), ("ready", "readyReplicas"), ("available", "availableReplicas")),
    "StatefulSet": (("current", "replicas"), ("ready", "readyReplicas"), ("up-to-date", "updatedReplicas")),
    "DaemonSet": (("current", "currentNumberScheduled"), ("ready", "numberReady"), ("available", "numberAvailable")),
    "Job": (("active", "active"), ("succeeded", "succeeded"), ("failed", "failed")),
    "CronJob": (),
}
"""The workload kinds and what their status counts, under the names of ``kubectl get``; kinds at the top of an ownership chain come
first."""
_BAD = frozenset({("ReplicaFailure", "True"), ("Failed", "True"), ("FailureTarget", "True"), ("Progressing", "False")})
"""Conditions that report trouble. A Deployment that is not available yet is merely in progress."""


def progress(kind: str, spec: Json, status: Json) -> tuple[int | None, int]:
    """How many pods a workload requests (None: it does not say) and how many are ready, or have succeeded for a Job."""
    if kind == "DaemonSet":
        return int(status.get("desiredNumberScheduled") or 0), int(status.get("numberReady") or 0)
    if kind == "Job":
        wanted = spec.get("completions")
        return None if wanted is None else int(wanted), int(status.get("succeeded") or 0)
    # A CronJob requests no pods itself.
    if not COUNTS.get(kind):
        return None, 0
    wanted = spec.get("replicas")
    return 1 if wanted is None else int(wanted), int(status.get("readyReplicas") or 0)


def workload_facts(kind: str, spec: Json, status: Json) -> WorkloadFacts:
    """The facts that the workload machine reads from a status."""
    held = {(str(item.get("type")), str(item.get("status"))) for item in status.get("conditions") or ()}
    wanted, there = progress(kind, spec, status)
    return WorkloadFacts(wanted=wanted, there=there, failing=bool(held & _BAD), done=("Complete", "True") in held)


def trouble(status: Json) -> str:
    """The condition that reports trouble, with its reason; empty if there is none."""
    for item in status.get("conditions") or ():
        if (str(item.get("type")), str(item.get("status"))) in _BAD:
            return f"{item.get('type')}={item.get('status')} {item.get('reason') or ''}".strip()
    return ""
