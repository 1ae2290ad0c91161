"""The registry of validation rules: small functions with an id, a scope and the versions they hold for.

A rule looks at one *place* (the pod, one volume, one container) and yields field errors. Documents have passed the structural
check before, so that every value has the type its schema says; what a rule expects may still be missing.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.api.validation.errors import FieldError

METADATA = "metadata"
VOLUME = "volume"
CONTAINER = "container"
SPEC = "spec"

GROUPS = ("containers", "initContainers", "ephemeralContainers")

Fields = dict[str, Any]


class Place(Struct, frozen=True):
    """A part of the pod with its field path; ``group`` tells the list that a container stands in."""

    path: str
    value: Fields
    group: str = ""

    @property
    def is_plain_init(self) -> bool:
        """Whether this is an init container that runs to its end (not a sidecar)."""
        return self.group == "initContainers" and self.value.get("restartPolicy") != "Always"


class Context(Struct, frozen=True, kw_only=True):
    """What rules may ask for beyond their place. ``repeated`` holds paths of names that an earlier item has."""

    pod: Fields
    minor: int
    volume_names: frozenset[str]
    repeated: frozenset[str]

    @property
    def spec(self) -> Fields:
        """The spec of the pod."""
        return fields(self.pod, "spec")


Check = Callable[[Place, Context], Iterable[FieldError]]


class Rule(Struct, frozen=True, kw_only=True):
    """A rule: ``since`` and ``until`` are minor versions, both inclusive; a ``warning`` does not reject the object."""

    id: str
    scope: str
    check: Check
    since: int
    until: int
    warning: bool

    def holds_for(self, minor: int) -> bool:
        """Whether version ``1.<minor>`` has the rule."""
        return self.since <= minor <= self.until


RULES: list[Rule] = []


def rule(rule_id: str, scope: str, *, since: int = 0, until: int = 999, warning: bool = False) -> Callable[[Check], Check]:
    """Register the decorated function; rules run in the order of their registration within a scope."""

    def register(check: Check) -> Check:
        assert all(known.id != rule_id for known in RULES), rule_id
        RULES.append(Rule(id=rule_id, scope=scope, check=check, since=since, until=until, warning=warning))
        return check

    return register


def fields(value: Fields, key: str) -> Fields:
    """The map in a field; empty when there is none."""
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def items(value: Fields, key: str) -> Iterator[tuple[int, Fields]]:
    """(position, map) of the items of a list field."""
    found = value.get(key)
    for index, item in enumerate(found if isinstance(found, list) else ()):
        if isinstance(item, dict):
            yield index, item


def text(value: Fields, key: str) -> str:
    """The text in a field; empty when there is none."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def number(value: Fields, key: str) -> int | None:
    """The whole number in a field, or None."""
    found = value.get(key)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def containers(spec: Fields) -> Iterator[Place]:
    """The containers of a spec in the order in which the API server validates them."""
    for group in GROUPS:
        for index, container in items(spec, group):
            yield Place(f"spec.{group}[{index}]", container, group)
