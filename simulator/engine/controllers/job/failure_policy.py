"""Which rule of a Job's podFailurePolicy a failed pod matches, and what follows. Pure functions.

Rules are tried in order and the first match counts; a rule checks either exit codes or
pod conditions. The policy applies only to pods whose phase is Failed: a pod that is being deleted
may still succeed, so with a policy a Job waits for its end (``JobRound.is_failed``).

FailJob ends the whole Job, FailIndex the pod's index (and matches nothing without
backoffLimitPerIndex), Ignore replaces the pod without counting it, Count is what would happen
anyway. Exit code 0 never matches, not even with NotIn.

Source: pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.status import ContainerStatus, PodCondition, PodStatus, Terminated

_SOURCE = "pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy"
FAIL_JOB, IGNORE, COUNT, FAIL_INDEX = "FailJob", "Ignore", "Count", "FailIndex"

RULES = (
    RuleText("JOB-POLICY-FAILJOB", gettext_noop("Rule {index} of podFailurePolicy matches ({why}): the whole Job fails."), _SOURCE, "1.26"),
    RuleText(
        "JOB-POLICY-IGNORE", gettext_noop("Rule {index} of podFailurePolicy matches ({why}): the failure does not count."), _SOURCE, "1.26"
    ),
    RuleText(
        "JOB-POLICY-COUNT",
        gettext_noop("Rule {index} of podFailurePolicy matches ({why}): the failure counts like any other."),
        _SOURCE,
        "1.26",
    ),
    RuleText(
        "JOB-POLICY-FAILINDEX", gettext_noop("Rule {index} of podFailurePolicy matches ({why}): the pod’s index fails."), _SOURCE, "1.29"
    ),
    RuleText("JOB-POLICY-NONE", gettext_noop("No rule of podFailurePolicy matches (it has {rules}): the failure counts."), _SOURCE, "1.26"),
)
_RULE_OF = {FAIL_JOB: "JOB-POLICY-FAILJOB", IGNORE: "JOB-POLICY-IGNORE", COUNT: "JOB-POLICY-COUNT", FAIL_INDEX: "JOB-POLICY-FAILINDEX"}


class PolicyMatch(Struct, frozen=True, kw_only=True):
    """The policy's verdict on a failed pod. ``index`` of the rule that matched, -1 for none; ``message``: why the Job fails, else empty."""

    action: str = ""
    index: int = -1
    why: str = ""
    message: str = ""

    @property
    def counts(self) -> bool:
        """Whether the failure counts towards backoffLimit."""
        return self.action != IGNORE

    def explanation(self, rules: int) -> tuple[str, Data]:
        """The id of the rule text for this match, and its data; ``rules``: how many rules the policy has."""
        if not self.action:
            return "JOB-POLICY-NONE", (("rules", rules),)
        return _RULE_OF[self.action], (("index", self.index), ("why", self.why), ("action", self.action))


def match(policy: Json | None, status: PodStatus, *, namespace: str, name: str, by_index: bool) -> PolicyMatch:
    """The first rule that a failed pod matches. ``by_index``: the Job has a backoffLimitPerIndex, else FailIndex matches nothing.

    O(rules × (containers + conditions)).
    """
    for index, rule in enumerate((policy or {}).get("rules") or ()):
        action = str(rule.get("action"))
        if action not in _RULE_OF or (action == FAIL_INDEX and not by_index):
            continue
        found = _exit_code(rule["onExitCodes"], status) if rule.get("onExitCodes") else None
        if found is not None:
            container, code = found
            text = f"Container {container} for pod {namespace}/{name} failed with exit code {code} matching {action} rule at index {index}"
            return _matched(action, index, f"container {container} exited with code {code}", text)
        condition = None if rule.get("onExitCodes") else _condition(rule.get("onPodConditions") or (), status.conditions)
        if condition is not None:
            text = f"Pod {namespace}/{name} has condition {condition.type} matching {action} rule at index {index}"
            return _matched(action, index, f"condition {condition.type} is {condition.status}", text)
    return PolicyMatch()


def _matched(action: str, index: int, why: str, text: str) -> PolicyMatch:
    return PolicyMatch(action=action, index=index, why=why, message=text if action == FAIL_JOB else "")


def _exit_code(wanted: Json, status: PodStatus) -> tuple[str, int] | None:
    """Name and exit code of the first container that ended that way; app containers come before init containers, and 0 never matches."""
    return _ended_so(wanted, status.containers) or _ended_so(wanted, status.init_containers)


def _ended_so(wanted: Json, statuses: tuple[ContainerStatus, ...]) -> tuple[str, int] | None:
    only = wanted.get("containerName")
    for item in statuses:
        if isinstance(item.state, Terminated) and item.state.exit_code and (only is None or only == item.name):
            is_listed = item.state.exit_code in (wanted.get("values") or ())
            if (wanted.get("operator") == "In" and is_listed) or (wanted.get("operator") == "NotIn" and not is_listed):
                return item.name, item.state.exit_code
    return None


def _condition(patterns: Iterable[Mapping[str, str]], conditions: tuple[PodCondition, ...]) -> PodCondition | None:
    wanted = [(item.get("type"), item.get("status")) for item in patterns]
    return next((item for item in conditions if (item.type, item.status) in wanted), None)
