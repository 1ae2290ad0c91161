"""The range of user ids that a pod with hostUsers false has on its node.

The state is the range itself, as text. It is allocated with the sandbox and released when the kubelet
forgets the pod, so it survives a replaced sandbox. The lowest free range is taken, so the same
pods get the same ids in every run. Source: pkg/kubelet/userns/userns_manager.go.
"""

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
