"""The taints of a node, and the evictions that NoExecute taints trigger.

A pod that does not tolerate a NoExecute taint is deleted at once; one that tolerates it for some
seconds (tolerationSeconds) waits. Of several such tolerations the shortest counts, from the moment
the taint was added. If the taint is removed in time the pod may stay (cancelled); a taint without a
matching toleration that is added meanwhile ends the wait early (not_tolerated). The rows that delete
are quiet, since the deletion itself is recorded.

Source: pkg/controller/tainteviction/taint_eviction.go.
"""

from simulator.engine.kernel.machine import DECIDED, Machine, Row, State, StateField
from simulator.engine.world.rows import Eviction

TAINT: Machine[str] = Machine(
    "taint",
    about="One taint of a Node object; the rule says who sets it or takes it away.",
    initial="absent",
    states=(State("absent", "Not there", "absent"), State("present", "There", "failed")),
    rows=(
        *(Row("absent", DECIDED, "present", rule) for rule in ("NODE-TAINT", "NODE-TAINT-EXECUTE", "TAINT-SET")),
        *(Row("present", DECIDED, "absent", rule) for rule in ("NODE-TAINT", "NODE-TAINT-EXECUTE", "TAINT-SET")),
    ),
)

TAINT_EVICTION: Machine[None] = Machine(
    "taint_eviction",
    about="A pod that tolerates its node's NoExecute taint only for a time.",
    initial="",
    fields=(StateField(Eviction, "state", lambda pod, _: f"pod/{pod}", lambda fx, pod, row: fx.save_eviction(pod, row)),),
    omitted=("tolerated_for_a_time", "taint_gone", "pod_gone"),
    states=(
        State("", "Not waiting", "absent"),
        State("waiting", "Will be deleted", "terminating"),
        State("cancelled", "May stay", "ready", terminal=True),
        State("over", "Deleted", "terminating"),
        State("gone", "Gone before its time", "absent", terminal=True),
    ),
    rows=(
        Row("", "tolerated_for_a_time", "waiting", "TAINT-EVICT-LATER"),
        Row("", "not_tolerated", "over", "TAINT-EVICT", quiet=True),
        Row("waiting", "taint_gone", "cancelled", "TAINT-CANCEL"),
        Row("waiting", "time_up", "over", "TAINT-EVICT", quiet=True),
        Row("waiting", "not_tolerated", "over", "TAINT-EVICT-NOW", quiet=True),
        Row("waiting", "pod_gone", "gone", "TAINT-CANCEL-GONE"),
    ),
)
