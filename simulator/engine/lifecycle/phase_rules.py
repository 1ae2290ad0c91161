"""What each row of the phase decision says to a learner. Kept beside ``phase`` so that the decision stays one page."""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop

_SOURCE = "pkg/kubelet/kubelet_pods.go getPhase"

RULES = (
    RuleText(
        "PHASE-INIT-FAILED",
        gettext_noop("An init container has failed and will not be started again, so the pod has Failed."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-INIT-PENDING",
        gettext_noop("An init container has not finished yet, so the pod is Pending."),
        _SOURCE,
        "1.4",
    ),
    RuleText(
        "PHASE-SIDECAR-PENDING",
        gettext_noop("A sidecar has not started yet and no regular container has run, so the pod is Pending."),
        _SOURCE,
        "1.28",
    ),
    RuleText(
        "PHASE-PENDING",
        gettext_noop("A container waits for its very first start, so the pod is Pending even if others run."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-RUNNING",
        gettext_noop("At least one container runs and every other has run before, so the pod is Running."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-TERMINAL-SUCCEEDED",
        gettext_noop("The pod is over and every container ended with 0, so it has Succeeded whatever its restart policy."),
        _SOURCE,
        "1.27",
    ),
    RuleText(
        "PHASE-TERMINAL-FAILED",
        gettext_noop("The pod is over and a container did not end with 0, so it has Failed whatever its restart policy."),
        _SOURCE,
        "1.27",
    ),
    RuleText(
        "PHASE-RESTARTING",
        gettext_noop("Every container has ended but one will be started again, so the pod still counts as Running."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-SUCCEEDED",
        gettext_noop("Every container ended with 0 and none will be started again, so the pod has Succeeded."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-FAILED",
        gettext_noop("Every container has ended, one of them in failure, and none will be started again, so the pod has Failed."),
        _SOURCE,
    ),
    RuleText(
        "PHASE-UNKNOWN-STATUS",
        gettext_noop("The kubelet does not know the state of every container yet, so the pod is Pending."),
        _SOURCE,
    ),
)
