"""A change of a running pod's resources, from the request to the containers that have taken it up."""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State, StateField
from simulator.engine.world.resize_rows import Resize

RESIZE: Machine[str | None] = Machine(
    "resize",
    about="Where the resize of a pod stands; live and restart say of one container how it takes the change up.",
    initial="",
    fields=(
        StateField(Resize, "state", lambda pod, _: f"pod/{pod}", lambda fx, pod, row: fx.save_resize(pod, row), told="", sourceless=True),
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
