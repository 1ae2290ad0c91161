"""The order in which the API server lists the errors of an object, if it is not that of the rules' registration."""

import re

TEMPLATE = "TEMPLATE"
"""Stands for all rules of the pod template."""
_NAMES = ("STATEFUL-SET-NAME", "SUBDOMAIN-NAME", "SERVICE-NAME")
_POD = (TEMPLATE, "TEMPLATE-RESTART-POLICY", "TEMPLATE-DEADLINE")
_SELECTOR = ("SELECTOR-REQUIRED", "SELECTOR", "SELECTOR-EMPTY", "TEMPLATE-LABELS")
_JOB = (
    *("JOB-NUMBERS", "JOB-INDEX-NUMBERS", "JOB-MANAGED-BY", "COMPLETION-MODE", "FAILED-INDEXES", "MANY-COMPLETIONS", "INDEXES-NEEDED"),
    *("FAILURE-POLICY-SIZE", "FAILURE-POLICY-ACTION", "FAILURE-POLICY-EXIT-CODES", "FAILURE-POLICY-CONDITIONS"),
    *("FAILURE-POLICY-MATCH", "SUCCESS-POLICY", "SUCCESS-POLICY-RULES", "POD-REPLACEMENT-POLICY"),
    *(TEMPLATE, "JOB-RESTART-POLICY", "FAILURE-POLICY-RESTART"),
)
ORDER: dict[str, tuple[str, ...]] = {
    "Deployment": (
        *(*_NAMES, "REPLICAS", *_SELECTOR, *_POD, "DEPLOYMENT-STRATEGY", "DEPLOYMENT-ROLLING-UPDATE"),
        *("MIN-READY-SECONDS", "REVISION-HISTORY-LIMIT", "PROGRESS-DEADLINE"),
    ),
    "ReplicaSet": (*_NAMES, "REPLICAS", "MIN-READY-SECONDS", *_SELECTOR, *_POD),
    "StatefulSet": (
        *(*_NAMES, "POD-MANAGEMENT-POLICY", "STATEFUL-SET-STRATEGY", "STATEFUL-SET-PARTITION", "STATEFUL-SET-MAX-UNAVAILABLE"),
        *("CLAIM-RETENTION-POLICY", "CLAIM", "REPLICAS", "MIN-READY-SECONDS", "ORDINALS-START", "SERVICE-NAME-OF-SET", *_SELECTOR, *_POD),
    ),
    "DaemonSet": (
        *(*_NAMES, "SELECTOR", "TEMPLATE-LABELS", "SELECTOR-EMPTY", *_POD, "MIN-READY-SECONDS"),
        *("DAEMON-SET-STRATEGY", "DAEMON-SET-ROLLING-UPDATE", "REVISION-HISTORY-LIMIT"),
    ),
    "Job": (*_NAMES, "JOB-SELECTOR-GENERATED", *_JOB, "JOB-NAME-AS-LABEL", "JOB-SELECTOR-MANUAL", "INDEXED-JOB-NAME"),
    "CronJob": (
        *(*_NAMES, "SCHEDULE", "SCHEDULE-TIME-ZONE", "STARTING-DEADLINE", "TIME-ZONE", "CONCURRENCY-POLICY"),
        *(*_JOB, "CRON-JOB-SELECTOR", "HISTORY-LIMITS", "CRON-JOB-NAME-LENGTH"),
    ),
    "Service": (
        *(*_NAMES, "SERVICE-PORTS-REQUIRED", "SERVICE-KUBELET-PORT", "SERVICE-HEADLESS-TYPE", "SERVICE-EXTERNAL-NAME"),
        *("SERVICE-PORT-NAME", "SERVICE-PORT", "SERVICE-SELECTOR", "SESSION-AFFINITY", "CLUSTER-IP-FIRST", "IP-FAMILIES"),
        *("IP-FAMILY-POLICY", "CLUSTER-IPS", "CLUSTER-IPS-FAMILY", "EXTERNAL-IPS", "SERVICE-TYPE", "SERVICE-NODE-PORT-TYPE"),
        *("SERVICE-PORTS-UNIQUE", "LOAD-BALANCER-ONLY", "SOURCE-RANGES", "EXTERNAL-TRAFFIC-POLICY", "HEALTH-CHECK-PORT"),
        # Ports are allocated once everything else is valid.
        *("TRAFFIC-POLICIES", "TRAFFIC-DISTRIBUTION", "SERVICE-NODE-PORT-RANGE"),
    ),
}
_VERSION = re.compile(r"-1\.[0-9]+$", re.ASCII)


def kind_rank_of(kind: str, rule_id: str, *, of_template: bool) -> int:
    """The position of a rule's errors among those of an object of that kind."""
    order = ORDER.get(kind, ())
    # Both versions of a rule have one place.
    name = TEMPLATE if of_template else _VERSION.sub("", rule_id)
    if name.startswith("CLAIM-") and name not in order:
        name = "CLAIM"
    return order.index(name) if name in order else -1
