"""A change of a running pod's resources, from the request until the containers have taken it up.

Three figures may differ meanwhile: what the spec requests (stored by the API server), what the kubelet has
accepted (``allocated``), and what the running containers have. The machine follows the second:

* proposed: the spec has changed and the kubelet has not looked yet. What counts on the node is still
  what was accepted before.
* deferred: it would fit the node if it were not for the other pods. Retried when one of them ends.
* infeasible: it asks for more than the whole node has, so other pods ending does not help.
* in_progress: accepted. From here on the new figures count on the node, while containers still have the
  old ones. Each takes them up while running (live) or by a restart, as its resizePolicy says.
* error: a limit below the container's usage was rejected. Retried by later syncs.
* done: every running container has what was accepted.

``live`` and ``restart`` are not states of a resize: the records of those rows are about one container.
Versions: in place from 1.27 on, behind a gate until 1.32; status.resize until 1.32, conditions
PodResizePending and PodResizeInProgress from 1.33 on.

Source: pkg/kubelet/allocation, kuberuntime_manager.go doPodResizeAction.
"""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State, StateField
from simulator.engine.world.rows import Resize

RESIZE: Machine[str | None] = Machine(
    "resize",
    about="Where the resize of a pod stands; live and restart say of one container how it takes the change up.",
    initial="",
    fields=(
        StateField(
            Resize, "state", lambda pod, _: f"pod/{pod}", lambda fx, pod, row: fx.save_resize(pod, row), seq_field="", sourceless=True
        ),
    ),
    omitted=("asked", "never_fits", "no_room", "agreed", "taken_back", "refused", "taken_up"),
    states=(
        State("", "Never asked", "absent"),
        State("proposed", "Proposed", "waiting"),
        State("deferred", "Deferred", "waiting"),
        State("infeasible", "Infeasible", "failed"),
        State("in_progress", "In progress", "starting"),
        State("error", "Error", "failed"),
        State("done", "Done", "ready"),
        State("live", "Changed while it runs", "ready"),
        State("restart", "Restarts for it", "starting"),
    ),
    rows=(
        Row(ANY, "asked", "proposed", "RESIZE-ASKED"),
        Row(ANY, "never_fits", "infeasible", "RESIZE-INFEASIBLE"),
        Row(ANY, "no_room", "deferred", "RESIZE-DEFERRED"),
        Row(ANY, "agreed", "in_progress", "RESIZE-ALLOCATED"),
        Row("proposed", "taken_back", "done", "RESIZE-DONE"),
        Row("in_progress", "refused", "error", "RESIZE-ERROR"),
        Row("error", "refused", "error", "RESIZE-ERROR"),
        Row("in_progress", "taken_up", "done", "RESIZE-DONE"),
        Row("error", "taken_up", "done", "RESIZE-DONE"),
        Row("", DECIDED, "live", "RESIZE-LIVE"),
        Row("", DECIDED, "restart", "KILL-RESIZE"),
    ),
)
