"""A manifest in the static pod folder of a node.

The file is what counts: while it is there the kubelet runs its containers, with or without an API
server. The pod object in the API is a mirror. Deleting the mirror stops nothing; the kubelet creates
another (mirror_lost), with another uid in the store, and what runs continues under the new key. Removing
the file stops the containers with the pod's grace period, and only then is the mirror
deleted (mirror_left); until 1.21 it was deleted at once. A file with changed content is another pod: the
old one is stopped first, then the new one begins.

Source: observed on a 1.20.2 node; pkg/kubelet/config/file.go, pkg/kubelet/pod/mirror_client.go.
"""

from simulator.engine.kernel.machine import Machine, Row, State, StateField
from simulator.engine.world.rows import StaticPod

STATIC_POD: Machine[None] = Machine(
    "static_pod",
    about="A manifest in a kubelet's folder of static pods; the mirror in the API comes and goes by it.",
    initial="absent",
    fields=(StateField(StaticPod, "state", lambda node, _: f"node/{node}", lambda fx, _, row: fx.save_static_pod(row), seq_field=""),),
    omitted=("placed", "taken_away", "mirror_lost", "mirror_left"),
    states=(State("absent", "Not there", "absent"), State("present", "There", "ready")),
    rows=(
        Row("absent", "placed", "present", "STATIC-PLACED"),
        Row("present", "taken_away", "absent", "STATIC-REMOVED"),
        Row("present", "mirror_lost", "present", "STATIC-MIRROR-BACK"),
        Row("absent", "mirror_left", "absent", "STATIC-MIRROR-GONE"),
    ),
)
