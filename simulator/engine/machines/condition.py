"""A condition of a pod. The functions that compute one decide by a rule; what the condition says under that rule is defined here.

Most rules leave no choice: READY-POD is True, READY-POD-GATES False. So the table is two lists of
rules. Rules that copy what another client wrote (a patch, a status that is written again) may say
anything, hence ``ANY`` as target.

A condition also disappears when a new status no longer names it (left_out): until 1.21 a pod that
the kubelet ends loses all of its conditions, and those of a resize go when it is done.
lastTransitionTime changes with the state, never with reason or message; publishing takes care of
that (``apiserver/publish.py``).

Source: pkg/kubelet/status/generate.go, pkg/kubelet/status/status_manager.go
updateLastTransitionTime.
"""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State, of_rule

_TRUE = (
    "READY-CONTAINERS",
    "READY-POD",
    "INITIALIZED-DONE",
    "INITIALIZED-COMPLETED",
    "INITIALIZED-APP-STARTED",
    "INITIALIZED-KEPT",
    "SANDBOX-CONDITION-TRUE",
    "RESTART-ALL-STARTED",
    "SCHEDULE-BIND",
    "SCHEDULED-KUBELET",
    "BIND-REQUEST",
    "DISRUPTION-TARGET",
    "PREEMPTED",
    "TAINT-EVICT",
    "POD-GC",
    "EVICT-NO-BUDGET",
    "EVICT-BYPASS",
    "EVICT-SPARED",
    "EVICT-COUNTED",
    "RESIZE-DEFERRED",
    "RESIZE-INFEASIBLE",
    "RESIZE-ALLOCATED",
    "RESIZE-ERROR",
)
_FALSE = (
    "READY-CONTAINERS-NOT",
    "READY-COMPLETED",
    "READY-FAILED",
    "READY-NO-STATUSES",
    "READY-POD-CONTAINERS",
    "READY-POD-GATES",
    "INITIALIZED-NOT",
    "INITIALIZED-NO-STATUSES",
    "SANDBOX-CONDITION-FALSE",
    "RESTART-ALL-NONE",
    "RESTART-ALL-OVER",
    "SCHEDULE-GATED",
    "SCHEDULE-UNSCHEDULABLE",
    "PODS-NOT-READY",
    "DISRUPTION-STALE",
)
_DROPPED = ("STATUS-REPLACED", "RESIZE-ALLOCATED", "RESIZE-DONE")

CONDITION: Machine[str] = Machine(
    "condition",
    about="A condition of a pod. Decided: its writer says so by a rule; left_out: a new status no longer names it.",
    initial="",
    omitted=("left_out",),
    states=(
        State("", "Not there", "absent"),
        State("True", "True", "ready"),
        State("False", "False", "notready"),
        State("Unknown", "Unknown", "unknown"),
    ),
    rows=(
        *(Row(ANY, DECIDED, "True", rule) for rule in _TRUE),
        *(Row(ANY, DECIDED, "False", rule) for rule in _FALSE),
        Row(ANY, DECIDED, ANY, "STATUS-PATCHED"),
        Row(ANY, DECIDED, ANY, "STATUS-RECONCILED"),
        Row(ANY, DECIDED, ANY, "STATUS-CAUGHT-UP"),
        *(Row(ANY, "left_out", "", rule, when=of_rule(rule)) for rule in _DROPPED),
        Row(ANY, "left_out", "", "CONDITION-TRANSITION"),
        Row(ANY, DECIDED, ANY, "IMPORT-STATE"),
    ),
)
