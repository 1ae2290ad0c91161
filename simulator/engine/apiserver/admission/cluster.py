"""The objects of a cluster that admission looks up, as far as they are known, and what follows from them for one namespace."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.admission.limit_ranger import with_defaults
from simulator.engine.apiserver.admission.pod_security.plugin import LABELS
from simulator.engine.apiserver.admission.resource_quota import used_by
from simulator.engine.apiserver.admission.surroundings import SYSTEM_CLASSES, PriorityClass, Quota, Surroundings
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.quota_scopes import is_counted

Place = tuple[str, str, str]
"""Kind, namespace ("" for kinds of the whole cluster) and name of an object."""
LOOKED_UP = ("PriorityClass", "RuntimeClass", "LimitRange", "ResourceQuota", "Namespace")
"""Of namespaces, only those whose labels have an effect."""
_NOTHING = Surroundings(service_accounts=None)
"""Service accounts, like namespaces, need not be created."""


class Cluster(Struct, frozen=True, kw_only=True):
    """Complete documents of the kinds that are ``LOOKED_UP``, and namespace and spec of the pods that quotas count."""

    objects: Mapping[Place, Json] = {}
    pods: tuple[tuple[str, PodSpec], ...] = ()

    def around(self, namespace: str) -> Surroundings:
        """What admission of an object in that namespace may look up. O(objects), and O(pods) if the namespace has a quota."""
        found = {place: document for place, document in self.objects.items() if place[1] in ("", namespace)}
        if not found:
            return _NOTHING
        classes = _named(found, "PriorityClass")
        limits = _named(found, "LimitRange").values()
        return Surroundings(
            service_accounts=None,
            # The system's own classes win over stored objects of the same name.
            priority_classes={**{name: _class(document) for name, document in classes.items()}, **SYSTEM_CLASSES},
            default_class=next((name for name, document in classes.items() if document.get("globalDefault")), ""),
            runtime_classes=_named(found, "RuntimeClass"),
            limits=tuple(item for document in limits for item in (document.get("spec") or {}).get("limits") or ()),
            security=_security(self.objects.get(("Namespace", "", namespace))),
            quotas=tuple(self._quota(namespace, name, document) for name, document in _named(found, "ResourceQuota").items()),
        )

    def _quota(self, namespace: str, name: str, document: Mapping[str, Any]) -> Quota:
        wanted = document.get("spec") or {}
        hard = wanted.get("hard") or {}
        counted = (spec for space, spec in self.pods if space == namespace and is_counted(spec, wanted))
        return Quota(name=name, hard=hard, used=used_by(counted, hard), spec=wanted)

    def after(self, place: Place, document: Json) -> "Cluster":
        """The cluster once this complete object is in it. O(objects)."""
        kind, namespace, _ = place
        if kind == "Pod":
            return Cluster(objects=self.objects, pods=(*self.pods, (namespace, pod_from_document(document).spec)))
        # Most objects change nothing for admission; returning the same value spares copies of the map.
        if kind not in LOOKED_UP or (kind == "Namespace" and not _security(document)):
            return self
        stored = with_defaults(document) if kind == "LimitRange" else document
        return Cluster(objects={**self.objects, place: stored}, pods=self.pods)


EMPTY = Cluster()


def _named(found: Mapping[Place, Json], kind: str) -> dict[str, Json]:
    return {place[2]: document for place, document in found.items() if place[0] == kind}


def _security(namespace: Json | None) -> Mapping[str, str]:
    """The labels of a namespace that concern pod security."""
    labels = (namespace or {}).get("metadata", {}).get("labels") or {}
    return {key: value for key, value in labels.items() if key.startswith(LABELS)}


def _class(document: Mapping[str, Any]) -> PriorityClass:
    policy = document.get("preemptionPolicy")
    return PriorityClass(int(document.get("value") or 0), *((str(policy),) if policy else ()))
