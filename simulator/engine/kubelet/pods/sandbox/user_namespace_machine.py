"""The range of user ids that a pod with hostUsers false has on its node."""

from simulator.engine.kernel.machine import ANY, DECIDED, Machine, Row, State

USER_NAMESPACE: Machine[str] = Machine(
    "user_namespace",
    about="The user ids of the node that a pod has, first-last; the empty state: none.",
    initial="",
    states=(State("", "None", "absent"),),
    rows=(
        Row("", DECIDED, ANY, "USER-NAMESPACE"),
        Row(ANY, DECIDED, "", "USER-NAMESPACE-FREE"),
    ),
)
