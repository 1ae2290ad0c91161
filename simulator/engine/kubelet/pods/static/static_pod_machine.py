"""A manifest in the static pod folder of a node."""

from simulator.engine.kernel.machine import Machine, Row, State, StateField
from simulator.engine.world.node_rows import StaticPod

STATIC_POD: Machine[None] = Machine(
    "static_pod",
    about="A manifest in a kubelet's folder of static pods; the mirror in the API comes and goes by it.",
    initial="absent",
    fields=(StateField(StaticPod, "state", lambda node, _: f"node/{node}", lambda fx, _, row: fx.save_static_pod(row), told=""),),
    omitted=("placed", "taken_away", "mirror_lost", "mirror_left"),
    states=(State("absent", "Not there", "absent"), State("present", "There", "ready")),
    rows=(
        Row("absent", "placed", "present", "STATIC-PLACED"),
        Row("present", "taken_away", "absent", "STATIC-REMOVED"),
        Row("present", "mirror_lost", "present", "STATIC-MIRROR-BACK"),
        Row("absent", "mirror_left", "absent", "STATIC-MIRROR-GONE"),
    ),
)
