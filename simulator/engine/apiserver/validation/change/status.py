"""The rules for a change of a pod's status.

Source: pkg/apis/core/validation ValidatePodStatusUpdate (1.20.2 and 1.33).
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from simulator.engine.apiserver.validation.change.metadata import IMMUTABLE
from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid
from simulator.engine.apiserver.validation.names import qualified_name_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod.dns import is_ip
from simulator.engine.apiserver.validation.pod_rules import Context, Fields, fields, items, number, text
from simulator.engine.apiserver.validation.printed import structure, structures
from simulator.engine.versions.facts import facts_of
from simulator.engine.versions.release import Release
from simulator.engine.versions.span import Span

OWN_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
NOT_NEGATIVE = "must be a non-negative integer"
STAYS_TERMINATED = "may not be transitioned to non-terminated state"
ONE_OF_EACH_FAMILY = "may specify no more than one IP for each IP family"


class Statuses(Struct, frozen=True):
    """The pod before and after, and the minor version."""

    old: Fields
    new: Fields
    minor: int


Check = Callable[[Statuses], Iterator[FieldError]]


class StatusRule(Span, frozen=True):
    """A rule of some versions."""

    check: Check


def status_errors(old: Fields, new: Fields, *, minor: int) -> Iterator[FieldError]:
    """The errors of the new status. Cost: O(statuses)."""
    for rule in RULES:
        if rule.holds_for(minor):
            yield from rule.check(Statuses(old, new, minor))


def condition_types(pods: Statuses) -> Iterator[FieldError]:
    """The type of a condition that is not Kubernetes' own is a qualified name."""
    for index, condition in items(fields(pods.new, "status"), "conditions"):
        name = text(condition, "type")
        if name not in OWN_CONDITIONS:
            field = f"{facts_of(pods.minor).bad_condition_path}[{index}].Type"
            yield from (invalid(field, name, problem) for problem in qualified_name_problems(name))


def observed_generations(pods: Statuses) -> Iterator[FieldError]:
    """Observed generations are not negative."""
    status = fields(pods.new, "status")
    places = [("status", status), *((f"status.conditions[{index}]", item) for index, item in items(status, "conditions"))]
    for path, place in places:
        value = number(place, "observedGeneration")
        if value is not None and value < 0:
            yield invalid(f"{path}.observedGeneration", value, NOT_NEGATIVE)


def node_name(pods: Statuses) -> Iterator[FieldError]:
    """The status may not change the node's name."""
    if text(fields(pods.old, "spec"), "nodeName") != text(fields(pods.new, "spec"), "nodeName"):
        yield forbidden("status.nodeName", "may not be changed directly")


def nominated_node(pods: Statuses) -> Iterator[FieldError]:
    """A nominated node's name is a valid node name."""
    name = text(fields(pods.new, "status"), "nominatedNodeName")
    if name and name != text(fields(pods.old, "status"), "nominatedNodeName"):
        yield from (invalid("status.nominatedNodeName", name, problem) for problem in subdomain_problems(name))


def qos_class(pods: Statuses) -> Iterator[FieldError]:
    """A pod keeps the QoS class it was created with."""
    before, after = (text(fields(pod, "status"), "qosClass") for pod in (pods.old, pods.new))
    if before != after:
        yield invalid("status.qosClass", after, IMMUTABLE)


def containers_stay_terminated(pods: Statuses) -> Iterator[FieldError]:
    """A terminated container that its policy does not restart does not run again."""
    policy = text(fields(pods.old, "spec"), "restartPolicy") or "Always"
    sidecars = frozenset(
        text(item, "name") for _, item in items(fields(pods.old, "spec"), "initContainers") if item.get("restartPolicy") == "Always"
    )
    yield from _revived(pods, "containerStatuses", policy)
    yield from _revived(pods, "initContainerStatuses", policy, apart=sidecars)
    yield from _revived(pods, "ephemeralContainerStatuses", "Never")


def _revived(pods: Statuses, group: str, policy: str, *, apart: frozenset[str] = frozenset()) -> Iterator[FieldError]:
    after = {text(item, "name"): fields(item, "state") for _, item in items(fields(pods.new, "status"), group)}
    for index, item in items(fields(pods.old, "status"), group):
        ended, name = fields(item, "state").get("terminated"), text(item, "name")
        if policy == "Always" or not isinstance(ended, dict) or name in apart or name not in after:
            continue
        if (number(ended, "exitCode") or 0) != 0 and policy == "OnFailure":
            continue
        if after[name].get("terminated") is None:
            yield forbidden(f"status.{group}[{index}].state", STAYS_TERMINATED)


def pod_ips(pods: Statuses) -> Iterator[FieldError]:
    """A pod has one address, or one of each family; a status that was wrong before is accepted."""
    found = list(_addresses(pods.new, "podIPs", pods.minor))
    # Ratcheting: a status that was invalid before this rule can still be updated.
    if found and not list(_addresses(pods.old, "podIPs", pods.minor)):
        yield from found


def host_ips(pods: Statuses) -> Iterator[FieldError]:
    """The first of hostIPs is hostIP."""
    status = fields(pods.new, "status")
    listed = [text(item, "ip") for _, item in items(status, "hostIPs")]
    if listed and listed[0] != text(status, "hostIP"):
        yield invalid("status.hostIPs[0].ip", listed[0], "must be equal to `hostIP`")
    yield from _addresses(pods.new, "hostIPs", pods.minor)


def _addresses(pod: Fields, key: str, minor: int) -> Iterator[FieldError]:
    context, kind = Context(pod=pod, release=Release(minor), facts=facts_of(minor)), f"{key[:1].upper()}{key[1:-1]}"
    values = [item for _, item in items(fields(pod, "status"), key)]
    listed = [text(item, "ip") for item in values]
    for index, address in enumerate(listed):
        if not is_ip(address):
            yield invalid(f"status.{key}[{index}]", address, context.facts.no_address_text)
    families = [":" in address for address in listed]
    if len(listed) > 2 or len(set(families)) != len(families):
        yield invalid(f"status.{key}", structures(kind, values, context), ONE_OF_EACH_FAMILY)
    for index, address in enumerate(listed):
        if address in listed[:index]:
            yield duplicate(f"status.{key}[{index}]", structure(kind, values[index], context))


RULES = (
    StatusRule(condition_types),
    StatusRule(observed_generations, since=33),
    StatusRule(node_name),
    StatusRule(nominated_node),
    StatusRule(qos_class, since=27),
    StatusRule(containers_stay_terminated),
    StatusRule(pod_ips),
    StatusRule(host_ips, since=28),
)
"""In the order in which the API server lists the errors; the versions are those whose profile knows the field."""
