"""Rules for ResourceQuotas (pkg/apis/core/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, required
from simulator.engine.apiserver.validation.kinds.amounts import amount_errors, is_quota_name, name_errors
from simulator.engine.apiserver.validation.kinds.common import each, inner, list_in
from simulator.engine.apiserver.validation.kinds.kind_rules import kind_rule
from simulator.engine.apiserver.validation.kinds.shown import Shown, shown_texts
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text, texts

_OLD_SCOPES = ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity")
_SCOPES = (*_OLD_SCOPES, "VolumeAttributesClass")
_BARE = ("Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity")
_CONFLICTS = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
_COMPUTE = ("cpu", "memory")
_POD_RESOURCES = frozenset({"pods", *_COMPUTE, *(f"{which}.{name}" for which in ("requests", "limits") for name in _COMPUTE)})
_POD_SCOPES = ("Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity")
_BARE_DETAIL = (
    "must be 'Exist' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


@kind_rule("QUOTA-HARD", "ResourceQuota")
def hard(place: Place) -> Iterator[FieldError]:
    """A quota limits resources it knows to amounts that are not negative."""
    for part, key in (("spec", "hard"), ("status", "hard"), ("status", "used")):
        for name, value in fields(fields(place.value, part), key).items():
            field = f"{part}.{key}[{name}]"
            yield from name_errors(field, name)
            if "/" not in name and not is_quota_name(name):
                yield invalid(field, name, "must be a standard resource for quota")
            yield from amount_errors(field, name, value)


def _fits(scope: str, resource: str) -> bool:
    """Whether a scope can limit a standard resource."""
    if scope in _POD_SCOPES:
        return resource in _POD_RESOURCES or "ephemeral-storage" in resource or "hugepages-" in resource
    return resource == "pods" if scope == "BestEffort" else True


@kind_rule("QUOTA-SCOPES", "ResourceQuota", since=34)
def scopes(place: Place) -> Iterator[FieldError]:
    """Scopes are known, fit the resources and do not exclude each other."""
    yield from _scope_errors(place, _SCOPES)


@kind_rule("QUOTA-SCOPES-1.33", "ResourceQuota", until=33)
def scopes_before(place: Place) -> Iterator[FieldError]:
    """Until 1.33 there was no scope for classes of volume attributes."""
    yield from _scope_errors(place, _OLD_SCOPES)


def _scope_errors(place: Place, known: tuple[str, ...]) -> Iterator[FieldError]:
    spec = fields(place.value, "spec")
    found = texts(spec, "scopes")
    # The value of each error is the whole list of scopes.
    value = shown_texts(found, "core.ResourceQuotaScope")
    resources = sorted(name for name in fields(spec, "hard") if is_quota_name(name))
    for scope in found:
        if scope not in known:
            yield invalid("spec.scopes", value, "unsupported scope")
        # Upstream reports an unknown scope once more for each resource.
        for resource in resources:
            if not _fits(scope, resource) or scope not in known:
                yield invalid("spec.scopes", value, "unsupported scope applied to resource")
    for pair in _CONFLICTS:
        if all(scope in found for scope in pair):
            yield invalid("spec.scopes", value, "conflicting scopes")


@kind_rule("QUOTA-SCOPE-SELECTOR", "ResourceQuota")
def scope_selector(place: Place) -> Iterator[FieldError]:
    """A selector of scopes names a known scope, with values where its operator takes some."""
    path = "spec.scopeSelector.matchExpressions"
    for expression in each(inner(place, "spec", "scopeSelector"), "matchExpressions"):
        scope, operator = text(expression.value, "scopeName"), text(expression.value, "operator")
        values = list_in(expression.value, "values")
        if scope not in _SCOPES:
            yield invalid(f"{path}.scopeName", scope, "unsupported scope")
        if scope in _BARE and operator != "Exists":
            yield invalid(f"{path}.operator", operator, _BARE_DETAIL)
        if operator in ("In", "NotIn") and not values:
            detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            yield required(f"{path}.values", detail)
        elif operator in ("Exists", "DoesNotExist") and values:
            detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            yield invalid(f"{path}.values", shown_texts(values), detail)
        elif operator not in ("In", "NotIn", "Exists", "DoesNotExist"):
            yield invalid(f"{path}.operator", operator, "not a valid selector operator")


@kind_rule("QUOTA-SCOPE-SELECTOR-CONFLICT", "ResourceQuota")
def scope_selector_conflict(place: Place) -> Iterator[FieldError]:
    """The scopes of a selector do not exclude each other."""
    spec = fields(place.value, "spec")
    found = {text(item.value, "scopeName") for item in each(inner(place, "spec", "scopeSelector"), "matchExpressions")}
    value = shown_texts(texts(spec, "scopes"), "core.ResourceQuotaScope") if spec.get("scopes") else _NO_SCOPES
    for pair in _CONFLICTS:
        if all(scope in found for scope in pair):
            yield invalid("spec.scopeSelector.matchExpressions", value, "conflicting scopes")


_NO_SCOPES = Shown("[]core.ResourceQuotaScope(nil)", None)
