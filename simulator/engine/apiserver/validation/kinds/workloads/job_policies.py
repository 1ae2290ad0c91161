"""Rules for how a Job treats failed and succeeded pods: podFailurePolicy, successPolicy, podReplacementPolicy.

A failure policy is a list of rules; the first that matches a failed pod decides. A rule matches
either exit codes of a container or conditions of the pod. It only works with pods that are not
restarted by their kubelet, hence the requirement of restartPolicy Never. A success policy ends an
Indexed Job early, by the indexes that succeeded or by their number. The limits on the size of the
lists bound the controller's work for each pod.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import OMITTED, FieldError, duplicate, invalid, not_supported, required, too_many
from simulator.engine.apiserver.validation.kinds import shown
from simulator.engine.apiserver.validation.kinds.common import each, inner, list_in, named, not_negative
from simulator.engine.apiserver.validation.kinds.kind_rules import JOB_SPEC, kind_rule
from simulator.engine.apiserver.validation.kinds.workloads.indexes import BadIndexes, count_indexes
from simulator.engine.apiserver.validation.kinds.workloads.job import is_indexed
from simulator.engine.apiserver.validation.names import qualified_name_problems
from simulator.engine.apiserver.validation.pod_rules import Place, fields, items, number, text

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS = ("In", "NotIn")
_STATUSES = ("False", "True", "Unknown")
_REPLACEMENTS = ("Failed", "TerminatingOrFailed")
_RULES_MAX = 20
_VALUES_MAX = 255
_PATTERNS_MAX = 20


def _valid(values: tuple[str, ...]) -> str:
    return "valid values: [" + " ".join(f'"{value}"' for value in values) + "]"


def _choice(field: str, value: str, values: tuple[str, ...]) -> Iterator[FieldError]:
    if not value:
        yield required(field, _valid(values))
    elif value not in values:
        yield not_supported(field, value, values)


@kind_rule("FAILURE-POLICY-SIZE", JOB_SPEC, since=26)
def failure_policy_size(place: Place) -> Iterator[FieldError]:
    """A policy has a limited number of rules."""
    rules = list_in(fields(place.value, "podFailurePolicy"), "rules")
    if len(rules) > _RULES_MAX:
        yield too_many(f"{place.path}.podFailurePolicy.rules", len(rules), _RULES_MAX)


@kind_rule("FAILURE-POLICY-ACTION", JOB_SPEC, since=29)
def failure_policy_action(place: Place) -> Iterator[FieldError]:
    """A rule has an action; FailIndex needs limits per index."""
    for rule in each(inner(place, "podFailurePolicy"), "rules"):
        action = text(rule.value, "action")
        yield from _choice(f"{rule.path}.action", action, _ACTIONS)
        if action == "FailIndex" and number(place.value, "backoffLimitPerIndex") is None:
            yield invalid(f"{rule.path}.action", action, "requires the backoffLimitPerIndex to be set")


@kind_rule("FAILURE-POLICY-ACTION-1.28", JOB_SPEC, since=26, until=28)
def failure_policy_action_before(place: Place) -> Iterator[FieldError]:
    """Before there were limits per index there was no FailIndex."""
    for rule in each(inner(place, "podFailurePolicy"), "rules"):
        yield from _choice(f"{rule.path}.action", text(rule.value, "action"), ("Count", "FailJob", "Ignore"))


@kind_rule("FAILURE-POLICY-MATCH", JOB_SPEC, since=26)
def failure_policy_match(place: Place) -> Iterator[FieldError]:
    """A rule has either exit codes or conditions."""
    for rule in each(inner(place, "podFailurePolicy"), "rules"):
        has_codes = isinstance(rule.value.get("onExitCodes"), dict)
        has_conditions = bool(rule.value.get("onPodConditions"))
        if has_codes and has_conditions:
            # OMITTED: upstream's message leaves the rule out.
            detail = "specifying both OnExitCodes and OnPodConditions is not supported"
            yield invalid(rule.path, OMITTED, detail)
        if not has_codes and not has_conditions:
            detail = "specifying one of OnExitCodes and OnPodConditions is required"
            yield invalid(rule.path, OMITTED, detail)


@kind_rule("FAILURE-POLICY-EXIT-CODES", JOB_SPEC, since=26)
def failure_policy_exit_codes(place: Place) -> Iterator[FieldError]:
    """Exit codes are sorted and unique, and zero is not a failure."""
    spec = fields(fields(place.value, "template"), "spec")
    names = {text(item, "name") for group in ("containers", "initContainers") for _, item in items(spec, group)}
    for rule in each(inner(place, "podFailurePolicy"), "rules"):
        if isinstance(rule.value.get("onExitCodes"), dict):
            yield from _exit_code_errors(inner(rule, "onExitCodes"), names)


def _exit_code_errors(place: Place, names: set[str]) -> Iterator[FieldError]:
    operator, container = text(place.value, "operator"), place.value.get("containerName")
    yield from _choice(f"{place.path}.operator", operator, _OPERATORS)
    if isinstance(container, str) and container not in names:
        detail = "must be one of the container or initContainer names in the pod template"
        yield invalid(f"{place.path}.containerName", container, detail)
    values = [value for value in list_in(place.value, "values") if isinstance(value, int)]
    field = f"{place.path}.values"
    if not values:
        yield invalid(field, shown.numbers(values), "at least one value is required")
    elif len(values) > _VALUES_MAX:
        yield too_many(field, len(values), _VALUES_MAX)
    for index, value in enumerate(values):
        # NotIn [0] would be every failure; In [0] could never match one.
        if operator == "In" and value == 0:
            yield invalid(f"{field}[{index}]", value, "must not be 0 for the In operator")
        # Lists have at most 255 values: quadratic is fine.
        if value in values[:index]:
            yield duplicate(f"{field}[{index}]", value)
    if values != sorted(values):
        yield invalid(field, shown.numbers(values), "must be ordered")


@kind_rule("FAILURE-POLICY-CONDITIONS", JOB_SPEC, since=26)
def failure_policy_conditions(place: Place) -> Iterator[FieldError]:
    """Conditions are qualified names with one of three statuses, True by default."""
    for rule in each(inner(place, "podFailurePolicy"), "rules"):
        patterns = list(each(rule, "onPodConditions"))
        if len(patterns) > _PATTERNS_MAX:
            yield too_many(f"{rule.path}.onPodConditions", len(patterns), _PATTERNS_MAX)
        for pattern in patterns:
            yield from named(f"{pattern.path}.type", text(pattern.value, "type"), qualified_name_problems)
            yield from _choice(f"{pattern.path}.status", text(pattern.value, "status") or "True", _STATUSES)


@kind_rule("FAILURE-POLICY-RESTART", JOB_SPEC, since=26)
def failure_policy_restart(place: Place) -> Iterator[FieldError]:
    """The policy only sees failures of pods that never restart."""
    policy = text(fields(fields(place.value, "template"), "spec"), "restartPolicy")
    if isinstance(place.value.get("podFailurePolicy"), dict) and policy == "OnFailure":
        detail = 'only "Never" is supported when podFailurePolicy is specified'
        yield invalid(f"{place.path}.template.spec.restartPolicy", policy, detail)


@kind_rule("SUCCESS-POLICY", JOB_SPEC, since=31)
def success_policy(place: Place) -> Iterator[FieldError]:
    """A success policy is for jobs with indexes, and has at least one rule."""
    policy = place.value.get("successPolicy")
    if not isinstance(policy, dict):
        return
    path, rules = f"{place.path}.successPolicy", list_in(policy, "rules")
    if not is_indexed(place.value):
        yield invalid(path, policy, "requires indexed completion mode")
        return
    if not rules:
        yield required(f"{path}.rules", "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > _RULES_MAX:
        yield too_many(f"{path}.rules", len(rules), _RULES_MAX)


@kind_rule("SUCCESS-POLICY-RULES", JOB_SPEC, since=31)
def success_policy_rules(place: Place) -> Iterator[FieldError]:
    """A rule names indexes, or how many of them must succeed, within the job's completions."""
    if not is_indexed(place.value):
        return
    completions = number(place.value, "completions") or 0
    for rule in each(inner(place, "successPolicy"), "rules"):
        yield from _success_rule_errors(rule, completions)


def _success_rule_errors(rule: Place, completions: int) -> Iterator[FieldError]:
    count, indexes = number(rule.value, "succeededCount"), rule.value.get("succeededIndexes")
    if count is None and indexes is None:
        yield required(rule.path, "at least one of succeededCount or succeededIndexes must be specified")
    total = None
    if isinstance(indexes, str):
        field = f"{rule.path}.succeededIndexes"
        try:
            total = count_indexes(indexes, completions)
        except BadIndexes as error:
            total = 0
            yield invalid(field, indexes, f"error parsing succeededIndexes: {error}")
    yield from not_negative(rule, "succeededCount")
    field = f"{rule.path}.succeededCount"
    if count is not None and count > completions:
        yield invalid(field, count, f"must be less than or equal to {completions} (the number of specified completions)")
    if count is not None and total is not None and count > total:
        what = "the number of indexes in the specified succeededIndexes field"
        yield invalid(field, count, f"must be less than or equal to {total} ({what})")


@kind_rule("POD-REPLACEMENT-POLICY", JOB_SPEC, since=29)
def pod_replacement_policy(place: Place) -> Iterator[FieldError]:
    """Terminating or only failed pods are replaced; with a failure policy only failed ones."""
    policy = text(place.value, "podReplacementPolicy")
    allowed = ("Failed",) if isinstance(place.value.get("podFailurePolicy"), dict) else _REPLACEMENTS
    if policy and policy not in allowed:
        yield not_supported(f"{place.path}.podReplacementPolicy", policy, allowed)
