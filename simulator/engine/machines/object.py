"""API objects in the store: pods and nodes under the name object, every other kind under api_object.

Deletion has two steps wherever something must be waited for. delete marks the object
(deletionTimestamp); removed takes it out of the store once its finalizers are gone and, for a pod on a
node, the kubelet has reported that nothing is left. An object with neither goes in one step. A
marked object can still be updated; a second delete of a pod may shorten its grace period, never
lengthen it (DELETE-SHORTENED).

A pod's state is not stored as a word: it follows from deletionTimestamp and from whether the store has
the object (``pod_state``). Only a Node can reappear under its name (registered), when its
kubelet starts; any other object that reappears is a new one.

Source: staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go BeforeDelete.
"""

from msgspec.structs import replace

from simulator.engine.kernel.machine import Machine, Row, State, imported, of_rule
from simulator.engine.kernel.units import Ms
from simulator.engine.world.rows import PodRow

_STATES = (
    State("absent", "Not there", "absent"),
    State("present", "There", "ready"),
    State("terminating", "Marked for deletion", "terminating"),
    State("gone", "Gone", "absent"),
)
_REMOVALS = ("POD-REMOVED", "DELETE-AT-ONCE", "FINALIZERS-GONE", "STATIC-MIRROR-BACK")
"""Rules by which a pod's object leaves the store."""

OBJECT: Machine[str] = Machine(
    "object",
    about="A Pod or Node object in the API. The store tells the state by deletionTimestamp and by whether it has the object.",
    initial="absent",
    states=_STATES,
    rows=(
        Row("absent", "created", "present", "POD-CREATED"),
        *(
            Row(state, "updated", state, rule, when=of_rule(rule))
            for state in ("present", "terminating")
            for rule in ("POD-UPDATED", "EPHEMERAL-ADDED")
        ),
        *(Row("present", "delete", "terminating", rule, when=of_rule(rule)) for rule in ("DELETE-GRACEFUL", "DELETE-AT-ONCE")),
        Row("terminating", "delete", "terminating", "DELETE-SHORTENED"),
        *(Row("terminating", "removed", "gone", rule, when=of_rule(rule)) for rule in _REMOVALS),
        Row("present", "delete", "gone", "NODE-DELETED", when=of_rule("NODE-DELETED")),
        Row("absent", "registered", "present", "NODE-REGISTERED"),
        Row("gone", "registered", "present", "NODE-REGISTERED"),
        imported(),
    ),
)

API_OBJECT: Machine[str] = Machine(
    "api_object",
    about="Any other object in the API.",
    initial="absent",
    states=_STATES,
    rows=(
        Row("absent", "created", "present", "OBJECT-STORED"),
        Row("present", "updated", "present", "OBJECT-CHANGED"),
        Row("terminating", "updated", "terminating", "OBJECT-CHANGED"),
        *(
            Row("present", "delete", "terminating", rule, when=of_rule(rule))
            for rule in ("OBJECT-HELD", "GARBAGE-FOREGROUND", "NAMESPACE-TERMINATING")
        ),
        Row("present", "removed", "gone", "OBJECT-REMOVED"),
        Row("terminating", "removed", "gone", "OBJECT-REMOVED"),
    ),
)


def in_state(row: PodRow, state: str, now_ms: Ms) -> PodRow:
    """The row with its object in that state; a row already in it is returned unchanged."""
    if state == pod_state(row):
        return row
    if state == "terminating":
        return replace(row, deletion_ms=now_ms)
    return replace(row, deletion_ms=None) if state == "present" else replace(row, gone_ms=now_ms)


def pod_state(row: PodRow) -> str:
    """The state of a pod's object."""
    if row.gone_ms is not None:
        return "gone"
    return "present" if row.deletion_ms is None else "terminating"
