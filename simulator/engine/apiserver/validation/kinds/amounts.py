"""Checks of quantities and of the names of resources (pkg/apis/core/{helper,validation})."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, Verbatim, invalid
from simulator.engine.apiserver.validation.kinds.common import NOT_NEGATIVE, named
from simulator.engine.apiserver.validation.names import qualified_name_problems
from simulator.engine.apiserver.validation.pod.resource import amount
from simulator.engine.model.quantity import NANO, BadQuantity, canonical, parse

_COMPUTE = ("cpu", "memory", "ephemeral-storage")
_COUNTED = (
    *("pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "persistentvolumeclaims", "configmaps"),
    *("services.nodeports", "services.loadbalancers"),
)
QUOTA_NAMES = frozenset(
    {
        *_COMPUTE,
        *(f"{which}.{name}" for which in ("requests", "limits") for name in _COMPUTE),
        "requests.storage",
        *_COUNTED,
    }
)
"""Resources that a quota can limit, except huge pages."""
STANDARD_NAMES = QUOTA_NAMES | {"storage"}
_INTEGERS = frozenset(_COUNTED)
_HUGE = "hugepages-"


def canonical_text(value: Any) -> str:
    """A quantity as the API server prints it."""
    try:
        return canonical(parse(value))
    except BadQuantity:
        return str(value)


def is_huge_page(name: str) -> bool:
    """Whether a resource is huge pages of some size."""
    return name.startswith(_HUGE)


def is_quota_name(name: str) -> bool:
    """Whether a quota knows a resource without a domain."""
    return name in QUOTA_NAMES or name.startswith((_HUGE, f"requests.{_HUGE}"))


def name_errors(field: str, name: str) -> Iterator[FieldError]:
    """A resource is a standard one, or has a domain."""
    found = list(named(field, name, qualified_name_problems))
    yield from found
    if not found and "/" not in name and name not in STANDARD_NAMES and not name.startswith((_HUGE, f"requests.{_HUGE}")):
        yield invalid(field, name, "must be a standard resource type or fully qualified")


def container_name_errors(field: str, name: str) -> Iterator[FieldError]:
    """A resource that containers can ask for."""
    yield from name_errors(field, name)
    if "/" not in name and name not in _COMPUTE and not is_huge_page(name):
        yield invalid(field, name, "must be a standard resource for containers")


def is_overcommitted(name: str) -> bool:
    """Whether requests for a resource may stay below its limits."""
    # Contains, not ends with: upstream's test.
    is_native = "/" not in name or "kubernetes.io/" in name
    return is_native and not is_huge_page(name)


def amount_errors(field: str, name: str, value: Any) -> Iterator[FieldError]:
    """An amount is not negative, and whole if it counts something."""
    exact = amount(value)
    if exact is None:
        return
    if exact < 0:
        yield invalid(field, canonical_text(value), NOT_NEGATIVE)
    is_extended = "/" in name and "kubernetes.io/" not in name and not name.startswith("requests.")
    if (name in _INTEGERS or is_extended) and exact % NANO:
        yield invalid(field, Verbatim(f'"{canonical_text(value)}"'), "must be an integer")


def positive_errors(field: str, value: Any) -> Iterator[FieldError]:
    """An amount above zero."""
    exact = amount(value)
    if exact is not None and exact <= 0:
        yield invalid(field, canonical_text(value), "must be greater than zero")
