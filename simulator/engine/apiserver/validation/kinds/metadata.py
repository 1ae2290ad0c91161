"""Rules for names, by kind, that are not DNS subdomains."""

import re
from collections.abc import Callable, Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.names import LABEL_MAX, label_problems, masked, subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text

_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_DNS_1035_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with "
    "an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_CRON_JOB_NAME_MAX = 52
"""The names of its jobs, which have at most 63 characters, are eleven characters longer."""


def dns_1035_problems(name: str) -> list[str]:
    """What is wrong with a DNS label by RFC 1035: like one of RFC 1123, but it starts with a letter."""
    problems = [] if len(name) <= LABEL_MAX else [f"must be no more than {LABEL_MAX} characters"]
    return problems if _DNS_1035.fullmatch(name) else [*problems, _DNS_1035_RULE]


def _name_errors(place: Place, problems: Callable[[str], list[str]]) -> Iterator[FieldError]:
    metadata = fields(place.value, "metadata")
    # The prefix is checked before the name, even if both are set.
    if prefix := text(metadata, "generateName"):
        yield from (invalid("metadata.generateName", prefix, problem) for problem in problems(masked(prefix)))
    if name := text(metadata, "name"):
        yield from (invalid("metadata.name", name, problem) for problem in problems(name))


@kind_rule("SERVICE-NAME", "Service", since=36, create_only=True)
def service_name(place: Place) -> Iterator[FieldError]:
    """A Service's name is a DNS label."""
    yield from _name_errors(place, label_problems)


@kind_rule("SERVICE-NAME-1.35", "Service", until=35, create_only=True)
def service_name_before(place: Place) -> Iterator[FieldError]:
    """Until 1.35 a Service's name also starts with a letter, as in RFC 1035."""
    yield from _name_errors(place, dns_1035_problems)


@kind_rule("NAMESPACE-NAME", "Namespace", create_only=True)
def namespace_name(place: Place) -> Iterator[FieldError]:
    """A namespace's name is a DNS label."""
    yield from _name_errors(place, label_problems)


@kind_rule("STATEFUL-SET-NAME", "StatefulSet", since=27, create_only=True)
def stateful_set_name(place: Place) -> Iterator[FieldError]:
    """A StatefulSet's name becomes part of host names, so it is a DNS label."""
    yield from _name_errors(place, label_problems)


@kind_rule(
    "SUBDOMAIN-NAME",
    "Node",
    "ConfigMap",
    "Secret",
    "PersistentVolumeClaim",
    "PersistentVolume",
    "ServiceAccount",
    "LimitRange",
    "ResourceQuota",
    "Event",
    "Deployment",
    "ReplicaSet",
    "DaemonSet",
    "Job",
    "CronJob",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "CSINode",
    "ControllerRevision",
    create_only=True,
)
def subdomain_name(place: Place) -> Iterator[FieldError]:
    """All other names are DNS subdomains."""
    yield from _name_errors(place, subdomain_problems)


@kind_rule("STATEFUL-SET-NAME-1.26", "StatefulSet", until=26, create_only=True)
def stateful_set_name_before(place: Place) -> Iterator[FieldError]:
    """Until 1.26 a StatefulSet's name was a DNS subdomain."""
    yield from _name_errors(place, subdomain_problems)


@kind_rule("CRON-JOB-NAME-LENGTH", "CronJob", create_only=True)
def cron_job_name(place: Place) -> Iterator[FieldError]:
    """The names of the jobs, eleven characters longer, fit."""
    name = text(fields(place.value, "metadata"), "name")
    if len(name) > _CRON_JOB_NAME_MAX:
        yield invalid("metadata.name", name, f"must be no more than {_CRON_JOB_NAME_MAX} characters")
