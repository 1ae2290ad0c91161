"""The registry of advice: what the API server accepts although it will cause trouble.

A rule looks at one *place* (a pod, a container, an object, or the whole text) and yields hints. Documents have passed
the structural check, so values have the types of the schema, but anything may be missing. Advice is always a warning
with a reason and a page of the official documentation.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.validation.pod_rules import Fields, fields, items
from simulator.engine.versions.span import OPEN, Span

CONTAINER = "container"
POD = "pod"
OBJECT = "object"


class Hint(Struct, frozen=True, kw_only=True):
    """What a rule reports about a field of the place's document. ``at_key`` marks the field's name."""

    path: str
    message: str
    at_key: bool = False


class PodPlace(Struct, frozen=True, kw_only=True, dict=True):
    """A pod, or the pod template of a workload. ``path`` ends with a dot, or is "" for a Pod; ``document`` is its index in the text."""

    document: int
    kind: str
    path: str
    pod: Fields
    namespace: str
    owner: Fields

    @property
    def spec(self) -> Fields:
        """The spec of the pod."""
        found = self.pod.get("spec")
        return found if isinstance(found, dict) else {}

    @property
    def labels(self) -> dict[str, str]:
        """The pod's labels."""
        metadata = self.pod.get("metadata")
        labels = metadata.get("labels") if isinstance(metadata, dict) else None
        return labels if isinstance(labels, dict) else {}

    @property
    def restart_policy(self) -> str:
        """The pod's restart policy, with its default."""
        return str(self.spec.get("restartPolicy") or "Always")

    @cached_property
    def has_resources(self) -> bool:
        """Whether the pod or any of its containers has requests or limits. Cached, because it is asked for every container."""
        lists = (container for group in ("containers", "initContainers") for _index, container in items(self.spec, group))
        found = (fields(item, "resources") for item in (self.spec, *lists))
        return any(fields(item, "requests") or fields(item, "limits") for item in found)


class ContainerPlace(Struct, frozen=True, kw_only=True):
    """A container with its path and the list it is in."""

    owner: PodPlace
    path: str
    group: str
    value: Fields

    @property
    def runs_on(self) -> bool:
        """Whether it is meant to run as long as the pod: an app container or a sidecar."""
        return self.group == "containers" or (self.group == "initContainers" and self.value.get("restartPolicy") == "Always")


class ObjectPlace(Struct, frozen=True, kw_only=True):
    """A whole document."""

    document: int
    kind: str
    namespace: str
    value: Fields


class AdviceScene(Struct, frozen=True, kw_only=True):
    """What rules may use beyond their place: everything in the text, and the names of what exists in the run."""

    minor: int
    objects: tuple[ObjectPlace, ...]
    pods: tuple[PodPlace, ...]
    known: frozenset[tuple[str, str, str]]

    def of_kind(self, kind: str) -> tuple[ObjectPlace, ...]:
        """The objects of a kind in the text."""
        return tuple(item for item in self.objects if item.kind == kind)


Check = Callable[[Any, AdviceScene], Iterable[Hint]]


class Advice(Span, frozen=True, kw_only=True):
    """A rule and the versions it applies to. ``why`` explains the consequence, ``doc`` is a page under kubernetes.io/docs."""

    id: str
    scope: str
    check: Check
    why: str
    doc: str


ADVICE: list[Advice] = []


def advice(rule_id: str, scope: str, *, why: str, doc: str, since: int = 0, until: int = OPEN) -> Callable[[Check], Check]:
    """Register the decorated function; ``why`` is marked for translation where it is written."""

    def register(check: Check) -> Check:
        assert all(known.id != rule_id for known in ADVICE), rule_id
        ADVICE.append(Advice(id=rule_id, scope=scope, check=check, why=why, doc=doc, since=since, until=until))
        return check

    return register
