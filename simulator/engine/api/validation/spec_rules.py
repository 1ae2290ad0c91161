"""Rules for the pod's spec as a whole."""

from collections.abc import Iterator

from simulator.engine.api.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from simulator.engine.api.validation.names import label_problems, label_value_problems, qualified_name_problems, subdomain_problems
from simulator.engine.api.validation.registry import SPEC, Context, Place, containers, fields, items, number, rule, text

RESTART_POLICIES = ("Always", "OnFailure", "Never")
DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
INT32_MAX = 2_147_483_647
_SUBDOMAINS = ("serviceAccountName", "nodeName", "priorityClassName", "runtimeClassName")
_LABELS = ("hostname", "subdomain")


@rule("CONTAINERS-REQUIRED", SPEC)
def containers_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod has at least one container."""
    if not context.spec.get("containers"):
        yield required("spec.containers")


@rule("EPHEMERAL-ON-CREATE", SPEC)
def ephemeral_on_create(place: Place, context: Context) -> Iterator[FieldError]:
    """Ephemeral containers come later, by their own subresource."""
    if context.spec.get("ephemeralContainers"):
        yield forbidden("spec.ephemeralContainers", "cannot be set on create")


@rule("HOST-PORTS", SPEC)
def host_ports(place: Place, context: Context) -> Iterator[FieldError]:
    """No two containers take the same port of the node; init containers run alone and only compete with themselves."""
    taken: set[str] = set()
    for container in containers(context.spec):
        seen = taken if container.group == "containers" else set()
        for index, port in items(container.value, "ports"):
            host_port = number(port, "hostPort")
            if host_port:
                key = f"{text(port, 'protocol') or 'TCP'}/{text(port, 'hostIP')}/{host_port}"
                if key in seen:
                    yield duplicate(f"{container.path}.ports[{index}].hostPort", key)
                seen.add(key)


def _unequal_ports(context: Context) -> Iterator[tuple[str, int, int]]:
    if context.spec.get("hostNetwork") is not True:
        return
    for container in containers(context.spec):
        for index, port in items(container.value, "ports"):
            own, host = number(port, "containerPort") or 0, number(port, "hostPort") or 0
            if host and own != host:
                yield f"{container.path}.ports[{index}]", own, host


@rule("HOST-NETWORK-PORTS", SPEC, since=21)
def host_network_ports(place: Place, context: Context) -> Iterator[FieldError]:
    """On the node's network a port is the node's port."""
    for path, _, host in _unequal_ports(context):
        yield invalid(f"{path}.hostPort", host, "must match `containerPort` when `hostNetwork` is true")


@rule("HOST-NETWORK-PORTS-1.20", SPEC, until=20)
def host_network_ports_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, said of the other field."""
    for path, own, _ in _unequal_ports(context):
        yield invalid(f"{path}.containerPort", own, "must match `hostPort` when `hostNetwork` is true")


@rule("RESTART-POLICY", SPEC)
def restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """restartPolicy is Always, OnFailure or Never."""
    policy = text(context.spec, "restartPolicy")
    if policy and policy not in RESTART_POLICIES:
        yield not_supported("spec.restartPolicy", policy, RESTART_POLICIES)


@rule("DNS-POLICY", SPEC)
def dns_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """dnsPolicy is one of four; None needs a dnsConfig with a server."""
    policy = text(context.spec, "dnsPolicy")
    if policy and policy not in DNS_POLICIES:
        yield not_supported("spec.dnsPolicy", policy, DNS_POLICIES)
    if policy != "None":
        return
    if not context.spec.get("dnsConfig"):
        yield required("spec.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")
    elif not fields(context.spec, "dnsConfig").get("nameservers"):
        yield required("spec.dnsConfig.nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None")


@rule("NODE-SELECTOR", SPEC)
def node_selector(place: Place, context: Context) -> Iterator[FieldError]:
    """A node selector is made of labels."""
    for key, value in fields(context.spec, "nodeSelector").items():
        yield from (invalid("spec.nodeSelector", key, problem) for problem in qualified_name_problems(key))
        if isinstance(value, str):
            yield from (invalid("spec.nodeSelector", value, problem) for problem in label_value_problems(value))


@rule("USER-IDS", SPEC)
def user_ids(place: Place, context: Context) -> Iterator[FieldError]:
    """User and group ids have 31 bits."""
    scopes = [("spec", context.spec), *((item.path, item.value) for item in containers(context.spec))]
    for path, owner in scopes:
        security = fields(owner, "securityContext")
        for key in ("runAsUser", "runAsGroup", "fsGroup"):
            value = number(security, key)
            if value is not None and not 0 <= value <= INT32_MAX:
                yield invalid(f"{path}.securityContext.{key}", value, f"must be between 0 and {INT32_MAX}, inclusive")


@rule("READINESS-GATES", SPEC)
def readiness_gates(place: Place, context: Context) -> Iterator[FieldError]:
    """A readiness gate names a condition."""
    for index, gate in items(context.spec, "readinessGates"):
        name = text(gate, "conditionType")
        yield from (invalid(f"spec.readinessGates[{index}].conditionType", name, problem) for problem in qualified_name_problems(name))


@rule("SCHEDULING-GATES", SPEC, since=26)
def scheduling_gates(place: Place, context: Context) -> Iterator[FieldError]:
    """Scheduling gates are qualified names, each once, and none of them may be left when a node is named."""
    seen: set[str] = set()
    for index, gate in items(context.spec, "schedulingGates"):
        name = text(gate, "name")
        yield from (invalid(f"spec.schedulingGates[{index}]", name, problem) for problem in qualified_name_problems(name))
        if name in seen:
            yield duplicate(f"spec.schedulingGates[{index}]", name)
        seen.add(name)
    if seen and text(context.spec, "nodeName"):
        yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared")


@rule("SPEC-NAMES", SPEC)
def spec_names(place: Place, context: Context) -> Iterator[FieldError]:
    """Names of other objects are DNS subdomains, the pod's own host name a label."""
    for keys, check in ((_SUBDOMAINS, subdomain_problems), (_LABELS, label_problems)):
        for key in keys:
            if value := text(context.spec, key):
                yield from (invalid(f"spec.{key}", value, problem) for problem in check(value))


@rule("ACTIVE-DEADLINE", SPEC)
def active_deadline(place: Place, context: Context) -> Iterator[FieldError]:
    """A deadline is a positive number of 31 bits."""
    value = number(context.spec, "activeDeadlineSeconds")
    if value is not None and not 1 <= value <= INT32_MAX:
        yield invalid("spec.activeDeadlineSeconds", value, f"must be between 1 and {INT32_MAX}, inclusive")


@rule("GRACE-NEGATIVE", SPEC, since=21, warning=True)
def negative_grace(place: Place, context: Context) -> Iterator[FieldError]:
    """A negative grace period is accepted with a warning and acts as one second; 1.20 says nothing."""
    value = number(context.spec, "terminationGracePeriodSeconds")
    if value is not None and value < 0:
        detail = "must be >= 0; negative values are invalid and will be treated as 1"
        yield invalid("spec.terminationGracePeriodSeconds", value, detail)


@rule("TOLERATIONS", SPEC)
def tolerations(place: Place, context: Context) -> Iterator[FieldError]:
    """Operator, key, value and effect of a toleration fit each other."""
    for index, toleration in items(context.spec, "tolerations"):
        path = f"spec.tolerations[{index}]"
        operator, effect = text(toleration, "operator") or "Equal", text(toleration, "effect")
        if not text(toleration, "key") and operator != "Exists":
            detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield invalid(f"{path}.operator", text(toleration, "operator"), detail)
        if number(toleration, "tolerationSeconds") is not None and effect != "NoExecute":
            yield invalid(f"{path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
        if operator == "Exists" and text(toleration, "value"):
            yield invalid(f"{path}.operator", operator, "value must be empty when `operator` is 'Exists'")
        if operator not in ("Equal", "Exists", "Lt", "Gt"):
            yield not_supported(f"{path}.operator", operator, ("Equal", "Exists"))
        if effect and effect not in EFFECTS:
            yield not_supported(f"{path}.effect", effect, EFFECTS)


@rule("OS-NAME", SPEC, since=23)
def os_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod is for linux or windows."""
    if isinstance(context.spec.get("os"), dict):
        name = text(fields(context.spec, "os"), "name")
        if not name:
            yield required("spec.os.name")
        elif name not in ("linux", "windows"):
            yield not_supported("spec.os.name", name, ("linux", "windows"))
