"""Rules for restart policies: the pod's and those of single containers."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, not_supported, required, too_many
from simulator.engine.apiserver.validation.pod_rules import LIFECYCLE, OWN_RESTART, SPEC, Context, Place, fields, items, rule, text

RESTART_POLICIES = ("Always", "OnFailure", "Never")
_OWN_POLICIES = ("Always", "Never", "OnFailure")
_OPERATORS = ("In", "NotIn")
_RULES_GATE, _ALL_GATE = "ContainerRestartRules", "RestartAllContainersOnContainerExits"
RULES_MAX = 20
EXIT_CODES_MAX = 255


@rule("RESTART-POLICY", SPEC)
def restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """restartPolicy is Always, OnFailure or Never."""
    policy = text(context.spec, "restartPolicy")
    if policy and policy not in RESTART_POLICIES:
        yield not_supported("spec.restartPolicy", policy, RESTART_POLICIES)


@rule("RESTART-POLICY-REQUIRED", SPEC, defaulted=True)
def restart_policy_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The policy has been filled in."""
    if not text(context.spec, "restartPolicy"):
        yield required("spec.restartPolicy")


@rule("INIT-RESTART-POLICY", OWN_RESTART, since_gate="SidecarContainers", until_gate=_RULES_GATE)
def init_restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The only restart policy an init container may have is Always."""
    policy = place.value.get("restartPolicy")
    if place.group == "initContainers" and policy not in (None, "Always"):
        yield not_supported(f"{place.path}.restartPolicy", policy, ("Always",))


@rule("CONTAINER-RESTART-POLICY", OWN_RESTART, since_gate="SidecarContainers", until_gate=_RULES_GATE)
def app_restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """Ordinary containers have no restart policy of their own."""
    if place.group == "containers" and place.value.get("restartPolicy") is not None:
        yield forbidden(f"{place.path}.restartPolicy", "may not be set for non-init containers")


@rule("OWN-RESTART-POLICY", OWN_RESTART, since_gate=_RULES_GATE)
def own_restart_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's own restart policy is a known one, and set if there are rules for exit codes."""
    policy, field = place.value.get("restartPolicy"), f"{place.path}.restartPolicy"
    if policy is None and place.value.get("restartPolicyRules"):
        yield required(field, "must specify restartPolicy when restart rules are used")
    elif policy is not None and policy not in _OWN_POLICIES:
        yield not_supported(field, policy, _OWN_POLICIES)


@rule(
    "SIDECAR-RESTART-RULES",
    OWN_RESTART,
    since_gate=_RULES_GATE,
    until_gate=_ALL_GATE,
)
def sidecar_restart_rules(place: Place, context: Context) -> Iterator[FieldError]:
    """A sidecar, which always restarts, has no rules for exit codes."""
    if _is_sidecar(place) and place.value.get("restartPolicyRules"):
        detail = "restartPolicyRules are not allowed for init containers with restart policy Always"
        yield forbidden(f"{place.path}.restartPolicyRules", detail)


def _is_sidecar(place: Place) -> bool:
    return place.group == "initContainers" and place.value.get("restartPolicy") == "Always"


def _rule_errors(place: Place, actions: tuple[str, ...]) -> Iterator[FieldError]:
    rules = list(items(place.value, "restartPolicyRules"))
    if len(rules) > RULES_MAX:
        yield too_many(f"{place.path}.restartPolicyRules", len(rules), RULES_MAX)
    for index, item in rules:
        path = f"{place.path}.restartPolicyRules[{index}]"
        if text(item, "action") not in actions:
            yield not_supported(f"{path}.action", text(item, "action"), actions)
        codes = item.get("exitCodes")
        if not isinstance(codes, dict):
            yield required(f"{path}.exitCodes", "must be specified")
            continue
        if text(codes, "operator") not in _OPERATORS:
            yield not_supported(f"{path}.exitCodes.operator", text(codes, "operator"), _OPERATORS)
        values = codes.get("values")
        if isinstance(values, list) and len(values) > EXIT_CODES_MAX:
            yield too_many(f"{path}.exitCodes.values", len(values), EXIT_CODES_MAX)


@rule("RESTART-RULES", OWN_RESTART, since_gate=_ALL_GATE)
def restart_rules(place: Place, context: Context) -> Iterator[FieldError]:
    """A rule restarts the container or all containers, on listed exit codes; the numbers of rules and codes are limited."""
    return _rule_errors(place, ("Restart", "RestartAllContainers"))


@rule(
    "RESTART-RULES-1.35",
    OWN_RESTART,
    since_gate=_RULES_GATE,
    until_gate=_ALL_GATE,
)
def restart_rules_before(place: Place, context: Context) -> Iterator[FieldError]:
    """A rule restarts the container, on listed exit codes; the numbers of rules and codes are limited."""
    # Sidecars may have no rules at all until the second gate (SIDECAR-RESTART-RULES).
    if not _is_sidecar(place):
        yield from _rule_errors(place, ("Restart",))


_SIGNALS_OF_WINDOWS = ("SIGKILL", "SIGTERM")
_REAL_TIME = (
    "SIGRTMAX",
    *(f"SIGRTMAX-{number}" for number in range(1, 15)),
    "SIGRTMIN",
    *(f"SIGRTMIN+{number}" for number in range(1, 16)),
)
_SIGNALS_OF_LINUX = tuple(
    sorted(
        (
            *("SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT", "SIGFPE", "SIGHUP", "SIGILL", "SIGINT", "SIGIO"),
            *("SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT", "SIGSEGV", "SIGSTKFLT", "SIGSTOP"),
            *("SIGSYS", "SIGTERM", "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM"),
            *("SIGWINCH", "SIGXCPU", "SIGXFSZ"),
            *_REAL_TIME,
        )
    )
)


@rule("STOP-SIGNAL", LIFECYCLE, since_gate="ContainerStopSignals")
def stop_signal(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's stop signal is one of the pod's operating system, and the pod names the system."""
    signal, field = text(place.value, "stopSignal"), f"{place.path}.stopSignal"
    if not signal:
        return
    system = text(fields(context.spec, "os"), "name")
    # Signals differ by operating system, so the pod has to name one.
    if context.spec.get("os") is None:
        yield forbidden(field, "may not be set for containers with empty `spec.os.name`")
    elif system == "windows" and signal not in _SIGNALS_OF_WINDOWS:
        yield not_supported(field, signal, _SIGNALS_OF_WINDOWS)
    elif system == "linux" and signal not in _SIGNALS_OF_LINUX:
        yield not_supported(field, signal, _SIGNALS_OF_LINUX)
