"""What admission looks up when an object is created: the objects of its cluster, as far as plug-ins need them."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.answer import ApiError, forbidden_object
from simulator.engine.kernel.json_text import Json


class PriorityClass(Struct, frozen=True):
    """What a class sets: the number, and whether its pods preempt others."""

    value: int
    preemption_policy: str = "PreemptLowerPriority"


class Quota(Struct, frozen=True, kw_only=True):
    """A ResourceQuota: its bounds by resource (``hard``), what the namespace uses of each in thousandths (``used``), and the spec whose
    scopes say which pods it counts."""

    name: str
    hard: Mapping[str, Any]
    used: Mapping[str, int] = {}
    spec: Mapping[str, Any] = {}


SYSTEM_CLASSES: Mapping[str, PriorityClass] = MappingProxyType(
    {"system-cluster-critical": PriorityClass(2_000_000_000), "system-node-critical": PriorityClass(2_000_001_000)}
)
"""The classes that every cluster has."""


_NO_CLASSES: Mapping[str, Json] = MappingProxyType({})


class Surroundings(Struct, frozen=True, kw_only=True):
    """The objects of a namespace and its cluster, by default those of an empty cluster. None: any name exists.

    ``runtime_classes`` are documents by name, ``default_class`` is the class of pods that name none, ``limits`` are the items
    of all LimitRanges of the namespace, ``security`` are its labels that concern pod security.
    """

    namespaces: Collection[str] | None = None
    service_accounts: Collection[str] | None = ("default",)
    priority_classes: Mapping[str, PriorityClass] | None = SYSTEM_CLASSES
    default_class: str = ""
    runtime_classes: Mapping[str, Json] | None = _NO_CLASSES
    limits: tuple[Mapping[str, Any], ...] = ()
    quotas: tuple[Quota, ...] = ()
    security: Mapping[str, str] = MappingProxyType({})


EMPTY_CLUSTER = Surroundings()
ANY_CLUSTER = Surroundings(service_accounts=None, priority_classes=None, runtime_classes=None)
"""A cluster of which nothing is known: any name that an object refers to may exist there."""


class NotAdmitted(ApiError):
    """403 by a plug-in; ``rule`` is the id of the rule text that explains it, "" if the answer says it all.

    ``field`` is the path of what the plug-in rejects; the answer itself does not name it.
    """

    def __init__(self, pod: Json, why: str, rule: str = "", *, field: str = "spec") -> None:
        metadata = pod.get("metadata") or {}
        # Admission runs before the name is generated, so the message has the prefix.
        name = metadata.get("name") or metadata.get("generateName") or "Unknown"
        super().__init__(forbidden_object("pods", str(name), why).answer)
        self.rule = rule
        self.field = field
