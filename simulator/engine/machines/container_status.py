"""What the API shows of a container: the kubelet's last view of the runtime, some time after the fact on the node.

There are three delays, one after the other: the relist (up to a second), the sync that it
requests, and the write to the API. A container may therefore be shown as running after it has
ended, and a short life may never be shown at all.

The trigger is what was seen and the row's target what is shown then; both are the same word, but the
rule says who saw it. Specific rules come before the general CONTAINER-STATUS. left_out is a status
that no longer names the container (1.20, pods that the kubelet ends).

Source: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses.
"""

from simulator.engine.kernel.machine import ANY, Machine, Row, State, of_rule

_SEEN = (
    ("seen_running", "running", ("READINESS-AT-ONCE", "STARTED-AT-ONCE")),
    ("seen_terminated", "terminated", ("STATUS-LOST", "SETTLED-1.20")),
    ("seen_waiting", "waiting", ("STATUS-FIRST", "STATUS-WAITING-REASON", "STATUS-RESET", "STATUS-LOST")),
)

CONTAINER_STATUS: Machine[str] = Machine(
    "container_status",
    about="The state of a container as the pod's status shows it. What is seen becomes what is shown, by the rule of who saw it.",
    initial="",
    omitted=("seen_running", "seen_terminated", "seen_waiting", "left_out"),
    states=(
        State("", "Not there", "absent"),
        State("waiting", "Waiting", "waiting"),
        State("running", "Running", "ready"),
        State("terminated", "Terminated", "failed"),
        State("absent", "Named no more", "absent"),
    ),
    rows=(
        *(Row(ANY, seen, shown, rule, when=of_rule(rule)) for seen, shown, rules in _SEEN for rule in rules),
        *(Row(ANY, seen, shown, "CONTAINER-STATUS") for seen, shown, _ in _SEEN),
        Row(ANY, "left_out", "absent", "STATUS-REPLACED"),
    ),
)
