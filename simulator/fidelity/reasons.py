"""The reason for each remaining difference between a recording or example and its simulation."""

from simulator.engine.kernel.rule_text import gettext_noop

_CORDON_RACE = gettext_noop(
    "When the node is uncordoned, its taint is removed some milliseconds later. Whether the second "
    "attempt of a waiting pod comes after that (as simulated and as in l1-pdb-evict-drain) or before it "
    "(as recorded here, so that it then waits for its back-off) is a race."
)

REASONS: dict[str, str] = {
    "f17-workingdir-subpath": gettext_noop("The recording hides the path in the message of the mount error; all else agrees."),
    "k1-kubelet-restart-while-terminating": gettext_noop(
        "The recording began while the node was still recovering from the previous one: for the first seconds it was tainted not-ready."
    ),
    "k8-cordon-drain-bare": _CORDON_RACE,
    "describe k8-cordon-drain-bare": _CORDON_RACE,
    "n1-ephemeral": gettext_noop(
        "A failed sync is retried after 10 to 15 s; here the retry happens in the very second in which the pod is deleted."
    ),
    "cronjob": gettext_noop(
        "Its API version was removed in 1.25: the version used for the examples rejects it, as this one says; the rest is about older ones."
    ),
    "deployment-sidecar": gettext_noop(
        "The main container ignores TERM: its grace period ends in the same instant as the sidecar’s turn comes, and neither is first."
    ),
    "s1-service-endpoints": gettext_noop("The pod was deleted at 20 s in the recording, but its list of steps does not say so."),
    "describe d23-startup-then-liveness-fails": gettext_noop(
        "The first probe comes at a random moment of its period; none of the draws repeats the recorded counts of both probes."
    ),
    "describe f1-image-missing": gettext_noop(
        "Two Events written at the same instant reach the recorder in either order; the one that arrives first takes the last free write."
    ),
    "describe k6-containerd-down": gettext_noop(
        "After the runtime’s return, the retries fall a few seconds apart; none of the draws matches where the recording ended."
    ),
    "describe s1-service-endpoints": gettext_noop("The pod was deleted at 20 s in the recording, but its list of steps does not say so."),
}
"""By recording or example. One that fails without being listed is a bug in the engine."""
