"""Rules for the spec of a Job, also inside a CronJob (pkg/apis/batch/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import TOO_LONG, FieldError, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds import shown
from simulator.engine.apiserver.validation.kinds.common import inner, label_selector_errors, named, not_negative, selector_matches
from simulator.engine.apiserver.validation.kinds.kind_rules import JOB_SPEC, kind_rule
from simulator.engine.apiserver.validation.names import label_problems, label_value_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import Fields, Place, fields, number, text

INDEXED = "Indexed"
MODES = ("NonIndexed", INDEXED)
MANY_COMPLETIONS = 100_000
_INDEXED_PARALLELISM_MAX = 100_000
_FAILED_INDEXES_MAX = 100_000
_MANY_LIMIT = 10_000
# Bytes.
_MANAGED_BY_MAX = 63
_POLICIES = ("OnFailure", "Never")
_GENERATED = {
    "controller-uid": "uid",
    "job-name": "name",
    "batch.kubernetes.io/controller-uid": "uid",
    "batch.kubernetes.io/job-name": "name",
}
"""The labels that the API server gives to a job's pods, and the metadata field each holds."""


def is_indexed(spec: Fields) -> bool:
    """Whether every completion of the job has an index of its own."""
    return text(spec, "completionMode") == INDEXED


@kind_rule("JOB-SELECTOR-GENERATED", "Job")
def selector_generated(place: Place) -> Iterator[FieldError]:
    """Without manualSelector, the selector is the one that the API server generates."""
    spec, metadata = fields(place.value, "spec"), fields(place.value, "metadata")
    value = spec.get("selector")
    if spec.get("manualSelector") is True or not isinstance(value, dict):
        return
    labels = {label: text(metadata, key) for label, key in _GENERATED.items()}
    if not selector_matches(value, labels):
        yield invalid("spec.selector", shown.selector(value), "`selector` not auto-generated")


@kind_rule("JOB-NAME-AS-LABEL", "Job", create_only=True)
def name_as_label(place: Place) -> Iterator[FieldError]:
    """The API server labels the pods with the job's name, so that has at most as many characters as a label's value."""
    # pkg/registry/batch/job/strategy.go generateSelector comes before the validation of the template.
    if fields(place.value, "spec").get("manualSelector") is not True:
        yield from named("spec.template.labels", text(fields(place.value, "metadata"), "name"), label_value_problems)


@kind_rule("JOB-SELECTOR-MANUAL", "Job")
def selector_manual(place: Place) -> Iterator[FieldError]:
    """With manualSelector there is a selector, and it matches the template."""
    spec = inner(place, "spec")
    if spec.value.get("manualSelector") is not True:
        return
    value = spec.value.get("selector")
    if not isinstance(value, dict):
        yield required("spec.selector")
        return
    found = list(label_selector_errors(inner(spec, "selector")))
    yield from found
    labels = fields(fields(fields(spec.value, "template"), "metadata"), "labels")
    if not found and not selector_matches(value, labels):
        detail = "`selector` does not match template `labels`"
        yield invalid("spec.template.metadata.labels", shown.labels(labels), detail)


@kind_rule("JOB-NUMBERS", JOB_SPEC)
def numbers(place: Place) -> Iterator[FieldError]:
    """Numbers and times of a job are not negative."""
    keys = ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")
    yield from not_negative(place, *keys)


@kind_rule("JOB-INDEX-NUMBERS", JOB_SPEC, since=29)
def index_numbers(place: Place) -> Iterator[FieldError]:
    """Limits per index are not negative, and maxFailedIndexes needs backoffLimitPerIndex."""
    yield from not_negative(place, "backoffLimitPerIndex", "maxFailedIndexes")
    if number(place.value, "maxFailedIndexes") is not None and number(place.value, "backoffLimitPerIndex") is None:
        # The error is at the missing field, not at the one that is set.
        yield required(f"{place.path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")


@kind_rule("JOB-MANAGED-BY", JOB_SPEC, since=32)
def managed_by(place: Place) -> Iterator[FieldError]:
    """The name of another controller is a path below a domain, such as ``example.com/controller``."""
    value = text(place.value, "managedBy")
    if place.value.get("managedBy") is None:
        return
    field = f"{place.path}.managedBy"
    yield from _domain_path_errors(field, value)
    if len(value) > _MANAGED_BY_MAX:
        yield FieldError(type=TOO_LONG, field=field, value=value, detail=f"may not be more than {_MANAGED_BY_MAX} bytes")


def _domain_path_errors(field: str, value: str) -> Iterator[FieldError]:
    domain, slash, path = value.partition("/")
    if not value:
        yield required(field)
    elif not slash or not domain or not path:
        yield invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        yield from named(field, domain, subdomain_problems)


@kind_rule("COMPLETION-MODE", JOB_SPEC, since=22)
def completion_mode(place: Place) -> Iterator[FieldError]:
    """A job counts completions, or gives each an index; with indexes their number is set."""
    mode = text(place.value, "completionMode")
    if mode and mode not in MODES:
        yield not_supported(f"{place.path}.completionMode", mode, MODES)
    if is_indexed(place.value) and number(place.value, "completions") is None:
        yield required(f"{place.path}.completions", f"when completion mode is {INDEXED}")
    parallelism = number(place.value, "parallelism") or 0
    if is_indexed(place.value) and parallelism > _INDEXED_PARALLELISM_MAX:
        detail = f"must be less than or equal to {_INDEXED_PARALLELISM_MAX} when completion mode is {INDEXED}"
        yield invalid(f"{place.path}.parallelism", parallelism, detail)


@kind_rule("INDEXED-JOB-NAME", "Job", since=27, create_only=True)
def indexed_name(place: Place) -> Iterator[FieldError]:
    """The host name of the last index must be a DNS label too."""
    spec, name = fields(place.value, "spec"), text(fields(place.value, "metadata"), "name")
    completions = number(spec, "completions") or 0
    if is_indexed(spec) and completions > 0 and name:
        # The pods' host names end in the index, and the last one is the longest.
        last = f"{name}-{completions - 1}"
        if label_problems(last):
            yield invalid("metadata.name", name, f"will not able to create pod with invalid DNS label: {last}")


@kind_rule("FAILED-INDEXES", JOB_SPEC, since=29)
def failed_indexes(place: Place) -> Iterator[FieldError]:
    """At most as many indexes may fail as there are."""
    failed, completions = number(place.value, "maxFailedIndexes"), number(place.value, "completions")
    field = f"{place.path}.maxFailedIndexes"
    if failed is None or not is_indexed(place.value):
        return
    if completions is not None and failed > completions:
        yield invalid(field, failed, "must be less than or equal to completions")
    if failed > _FAILED_INDEXES_MAX:
        yield invalid(field, failed, f"must be less than or equal to {_FAILED_INDEXES_MAX}")


@kind_rule("MANY-COMPLETIONS", JOB_SPEC, since=29)
def many_completions(place: Place) -> Iterator[FieldError]:
    """A very large number of indexes with a limit each needs bounds that keep the status small."""
    spec = place.value
    counts_indexes = is_indexed(spec) and number(spec, "backoffLimitPerIndex") is not None
    if not counts_indexes or (number(spec, "completions") or 0) <= MANY_COMPLETIONS:
        return
    if number(spec, "maxFailedIndexes") is None:
        detail = f"must be specified when completions is above {MANY_COMPLETIONS}"
        yield required(f"{place.path}.maxFailedIndexes", detail)
    for key in ("parallelism", "maxFailedIndexes"):
        value = number(spec, key) or 0
        if value > _MANY_LIMIT:
            limit = f"must be less than or equal to {_MANY_LIMIT} when completions are above {MANY_COMPLETIONS}"
            yield invalid(f"{place.path}.{key}", value, f"{limit} and used with backoff limit per index")


@kind_rule("INDEXES-NEEDED", JOB_SPEC, since=29)
def indexes_needed(place: Place) -> Iterator[FieldError]:
    """Limits per index are for jobs with indexes."""
    if is_indexed(place.value):
        return
    for key in ("backoffLimitPerIndex", "maxFailedIndexes"):
        value = number(place.value, key)
        if value is not None:
            yield invalid(f"{place.path}.{key}", value, "requires indexed completion mode")


def _restart_policy(place: Place) -> str:
    return text(fields(fields(place.value, "template"), "spec"), "restartPolicy")


@kind_rule("JOB-RESTART-POLICY", JOB_SPEC, since=24)
def restart_policy(place: Place) -> Iterator[FieldError]:
    """A pod of a job has a restart policy other than Always, the default."""
    policy, field = _restart_policy(place), f"{place.path}.template.spec.restartPolicy"
    # Always is the default of templates, so it reads as not set: "Required", not "Unsupported".
    if policy in ("", "Always"):
        yield required(field, 'valid values: "OnFailure", "Never"')
    elif policy not in _POLICIES:
        yield not_supported(field, policy, _POLICIES)


@kind_rule("JOB-RESTART-POLICY-1.23", JOB_SPEC, until=23)
def restart_policy_before(place: Place) -> Iterator[FieldError]:
    """The same in the older wording."""
    policy = _restart_policy(place) or "Always"
    if policy not in _POLICIES:
        yield not_supported(f"{place.path}.template.spec.restartPolicy", policy, _POLICIES)


@kind_rule("CRON-JOB-SELECTOR", "CronJob")
def cron_job_selector(place: Place) -> Iterator[FieldError]:
    """The jobs of a CronJob have generated selectors."""
    spec = inner(place, "spec", "jobTemplate", "spec")
    value = spec.value.get("selector")
    if isinstance(value, dict):
        yield invalid(f"{spec.path}.selector", shown.selector(value), "`selector` will be auto-generated")
    if spec.value.get("manualSelector") is True:
        yield not_supported(f"{spec.path}.manualSelector", True, ("nil", "false"))
