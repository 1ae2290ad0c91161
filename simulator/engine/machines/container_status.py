"""What the API shows of a container: the kubelet's last look at the runtime, some time after the node's reality.

There are three causes of delay, one after the other: the relist (up to a second), the sync that it
asks for, and the write to the API. A container may therefore be shown as running after it has
ended, and a short life may never be shown at all.

A trigger is what was seen and its row what is shown then; they are the same word, but the rule says
who saw it. Particular rules stand above the general CONTAINER-STATUS. left_out is a status that
names the container no more (1.20, pods that the kubelet ends).

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
