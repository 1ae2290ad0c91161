"""The order in which the API server checks the parts of a pod's spec (pkg/apis/core/validation ValidatePodSpec)."""

SPEC_ORDER = (
    *("GRACE-NEGATIVE", "POD-RESOURCES", "POD-RESOURCES-COVER", "POD-LIMITS-CAP", "HOST-NETWORK-PORTS", "HOST-NETWORK-PORTS-REQUIRED"),
    *("RESTART-POLICY", "RESTART-POLICY-REQUIRED", "DNS-POLICY", "DNS-POLICY-REQUIRED", "NODE-SELECTOR"),
    *(
        "HOST-NETWORK-PORTS-1.27",
        "HOST-NETWORK-PORTS-REQUIRED-1.27",
        "POD-IDS",
        "SHARED-PROCESSES",
        "SYSCTLS",
        "SYSCTLS-1.22",
        "SYSCTLS-OF-HOST",
        "FS-GROUP-CHANGE-POLICY",
    ),
    *("POD-SECCOMP", "POD-WINDOWS-OPTIONS", "POD-APPARMOR", "SUPPLEMENTAL-GROUPS-POLICY", "SELINUX-CHANGE-POLICY"),
    *("PULL-SECRETS", "NODE-AFFINITY", "POD-AFFINITY", "POD-AFFINITY-1.21"),
    *("DNS-NONE", "DNS-SERVERS", "DNS-SERVERS-1.29", "DNS-SEARCH-LENGTH", "DNS-SEARCH-LENGTH-1.25"),
    *("DNS-SEARCHES", "DNS-SEARCHES-1.32", "DNS-OPTIONS"),
    *("READINESS-GATES", "SCHEDULING-GATES", "TOPOLOGY-SPREAD", "HOST-PROCESS-GATE", "HOST-PROCESS"),
    *("HOST-USERS", "HOST-USERS-VOLUMES-1.27", "HOST-USERS-1.34", "HOSTNAME-OVERRIDE"),
    *("SERVICE-ACCOUNT-NAME", "NODE-NAME", "ACTIVE-DEADLINE", "HOSTNAME", "TOLERATIONS", "TOLERATIONS-1.34"),
    *("HOST-ALIASES", "HOST-ALIASES-1.29", "PRIORITY-CLASS-NAME", "RUNTIME-CLASS-NAME", "PREEMPTION-POLICY", "OVERHEAD"),
    *("OS-NAME", "OS-LINUX", "OS-WINDOWS", "ENV-FILE-VOLUME"),
)
"""Ids of the rules with the scope ``spec``."""
WHOLE_ORDER = (
    *("TOKEN-NEEDS-ACCOUNT", "IMAGE-BLANKS", "EPHEMERAL-ON-CREATE", "GATED-WITHOUT-NODE", "SECCOMP-MATCHES", "APPARMOR-MATCHES"),
    "NAME-IS-HOSTNAME",
)
"""Ids of the rules that come after the spec, with the scope ``whole``."""
# Rules of a scope are sorted by this, stably: unknown ids come first, in their order.
_RANK = {rule_id: rank for rank, rule_id in enumerate((*SPEC_ORDER, *WHOLE_ORDER))}


def rank_of(rule_id: str) -> int:
    """The position of a rule in the order; those of other scopes keep the order of their registration."""
    return _RANK.get(rule_id, 0)
