"""Rules for the rest of a pod's spec: times, names of other objects, overhead."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required, warned
from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod.resource import amount, resource_amount_errors, resource_name_errors
from simulator.engine.apiserver.validation.pod_rules import SPEC, SPEC_START, WHOLE, Context, Place, fields, items, number, rule, text

INT32_MAX = 2_147_483_647
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")


@rule("GRACE-REQUIRED", SPEC_START, since=32, defaulted=True)
def grace_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The grace period has been filled in."""
    if number(context.spec, "terminationGracePeriodSeconds") is None:
        yield required("spec.terminationGracePeriodSeconds")


@rule("GRACE-NEGATIVE", SPEC, since=21, warning=True)
def negative_grace(place: Place, context: Context) -> Iterator[FieldError]:
    """A negative grace period is accepted with a warning and acts as one second; 1.20 does not warn."""
    value = number(context.spec, "terminationGracePeriodSeconds")
    if value is not None and value < 0:
        detail = "must be >= 0; negative values are invalid and will be treated as 1"
        yield invalid("spec.terminationGracePeriodSeconds", value, detail)


@rule("PULL-SECRETS", SPEC, of="imagePullSecrets")
def pull_secrets(place: Place, context: Context) -> Iterator[FieldError]:
    """A reference to a pull secret has a name."""
    for index, secret in items(context.spec, "imagePullSecrets"):
        if any(key != "name" for key in secret):
            yield invalid(f"spec.imagePullSecrets[{index}]", secret, "only name may be set")


def _subdomain(context: Context, key: str) -> Iterator[FieldError]:
    if value := text(context.spec, key):
        yield from (invalid(f"spec.{key}", value, problem) for problem in subdomain_problems(value))


@rule("SERVICE-ACCOUNT-NAME", SPEC)
def service_account_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A service account's name is a DNS subdomain; if it is empty, the old field ``serviceAccount`` is used."""
    # Conversion copies the old field into the new one before validation.
    value = text(context.spec, "serviceAccountName") or text(context.spec, "serviceAccount")
    for problem in subdomain_problems(value) if value else ():
        yield invalid("spec.serviceAccountName", value, problem)


@rule("NODE-NAME", SPEC, of="nodeName")
def node_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A node's name is a DNS subdomain."""
    return _subdomain(context, "nodeName")


@rule("PRIORITY-CLASS-NAME", SPEC, of="priorityClassName")
def priority_class_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A priority class's name is a DNS subdomain."""
    return _subdomain(context, "priorityClassName")


@rule("RUNTIME-CLASS-NAME", SPEC)
def runtime_class_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A runtime class's name is a DNS subdomain."""
    value = context.spec.get("runtimeClassName")
    if isinstance(value, str):
        yield from (invalid("spec.runtimeClassName", value, problem) for problem in subdomain_problems(value))


@rule("ACTIVE-DEADLINE", SPEC)
def active_deadline(place: Place, context: Context) -> Iterator[FieldError]:
    """A deadline is a positive number of 31 bits."""
    value = number(context.spec, "activeDeadlineSeconds")
    if value is not None and not 1 <= value <= INT32_MAX:
        yield invalid("spec.activeDeadlineSeconds", value, f"must be between 1 and {INT32_MAX}, inclusive")


@rule("HOSTNAME", SPEC)
def hostname(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod's host name and subdomain are DNS labels."""
    for key in ("hostname", "subdomain"):
        if value := text(context.spec, key):
            yield from (invalid(f"spec.{key}", value, problem) for problem in label_problems(value))


@rule("NAME-IS-HOSTNAME", WHOLE, since=27, warning=True, pods_only=True)
def name_is_hostname(place: Place, context: Context) -> Iterator[FieldError]:
    """The pod's name becomes its host name, cut at 63 characters. Source: pkg/registry/core/pod/strategy.go WarningsOnCreate."""
    # A name that is not a subdomain either is a separate error.
    if context.name and (problems := label_problems(context.name)) and not subdomain_problems(context.name):
        why = "this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended"
        yield warned("metadata.name", f"{why}: [{' '.join(problems)}]")


@rule("PREEMPTION-POLICY", SPEC)
def preemption_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The preemption policy is PreemptLowerPriority or Never."""
    policy = context.spec.get("preemptionPolicy")
    if policy == "":
        yield required("spec.preemptionPolicy")
    elif policy is not None and policy not in PREEMPTION_POLICIES:
        yield not_supported("spec.preemptionPolicy", policy, PREEMPTION_POLICIES)


@rule("OVERHEAD", SPEC, of="overhead")
def overhead(place: Place, context: Context) -> Iterator[FieldError]:
    """Overhead is of resources that containers have, and not negative."""
    written = fields(context.spec, "overhead")
    for name, value in written.items():
        field = f"spec.overhead.limits[{name}]"
        yield from resource_name_errors(name, field)
        yield from resource_amount_errors(Place(field, {"amount": value}, name), context)
    named = {name for name in written if amount(written[name]) is not None}
    if any(name.startswith("hugepages-") for name in named) and not named & {"cpu", "memory"}:
        yield forbidden("spec.overhead", "HugePages require cpu or memory")
