"""Whether a container that has ended is restarted: pod policy, its own policy, its rules.

Three sources, the most specific first: a restart rule of the container that matches the exit code,
the container's own restartPolicy, the pod's. The first two count only behind the gate
ContainerRestartRules; for a sidecar (an init container with restartPolicy Always) the meaning of
the field is older than the gate.

A rule with the action RestartAllContainers restarts the whole pod in place.

Source: Kubernetes api/v1/pod ContainerShouldRestart.
"""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.container import Container, RestartRule

RESTART_ALL = "RestartAllContainers"
RESTARTING_ALL = "RestartingAllContainers"
"""The reason a container shows while all containers of its pod are restarted in place."""
OOM_KILLED = "OOMKilled"
"""The reason of a container in which the kernel killed a process for its memory, whatever its exit code."""


def is_sidecar(container: Container) -> bool:
    """Whether it is an init container with restartPolicy Always. Only call it for init containers."""
    return container.restart_policy == "Always"


def matching_rule(container: Container, exit_code: int) -> RestartRule | None:
    """The first restart rule of ``container`` that covers ``exit_code``, or None."""
    for rule in container.restart_policy_rules:
        codes = rule.exit_codes
        if codes is None:
            continue
        if (exit_code in codes.values) == (codes.operator == "In"):
            return rule
    return None


def policy_restarts(policy: str, exit_code: int) -> bool:
    """Whether a restartPolicy alone restarts a container that ended with ``exit_code``."""
    return policy == "Always" or (policy == "OnFailure" and exit_code != 0)


def restarts_after(container: Container, pod_policy: str, exit_code: int, *, restart_rules: bool = True) -> bool:
    """Whether the container is to be restarted after ``exit_code``.

    ``restart_rules`` is the gate ContainerRestartRules: without it only the pod's policy counts.
    """
    if not restart_rules or container.restart_policy is None:
        return policy_restarts(pod_policy, exit_code)
    if container.restart_policy_rules and matching_rule(container, exit_code) is not None:
        return True
    return policy_restarts(container.restart_policy, exit_code)


def deciding_rule(container: Container, exit_code: int, *, restart_rules: bool = True) -> str:
    """The id of the rule by which ``restarts_after`` decides about a container that ended with ``exit_code``."""
    if not restart_rules or container.restart_policy is None:
        return "RESTART-POD-POLICY"
    return "RESTART-CONTAINER-POLICY" if matching_rule(container, exit_code) is None else "RESTART-CONTAINER-RULE"


def triggers_restart_of_all(container: Container, exit_code: int) -> bool:
    """Whether this exit triggers a restart of every container of the pod."""
    rule = matching_rule(container, exit_code)
    return rule is not None and rule.action == RESTART_ALL


def may_restart_all(containers: tuple[Container, ...]) -> bool:
    """Whether any container has a rule with the action RestartAllContainers."""
    return any(rule.action == RESTART_ALL for container in containers for rule in container.restart_policy_rules)


_SOURCE = "pkg/api/v1/pod ContainerShouldRestart"
RULES = (
    RuleText("RESTART-POD-POLICY", gettext_noop("The pod’s restart policy decides whether a terminated container restarts."), _SOURCE),
    RuleText(
        "RESTART-CONTAINER-RULE",
        gettext_noop("A restart rule of the container matches this exit code, so the container restarts."),
        _SOURCE,
        "1.34",
    ),
    RuleText(
        "RESTART-CONTAINER-POLICY",
        gettext_noop("The container has its own restart policy, which takes precedence over the pod’s."),
        _SOURCE,
        "1.34",
    ),
)
