"""The kinds a Kubernetes version knows and the schemas of those we model (see ``simulator/schemas/extract.py``).

Schemas exist from 1.25 on; an older version is checked with those of 1.25. References between
definitions are resolved into shared dictionaries, because following ``$ref`` costs a validator more
than everything else.
"""

import gzip
import json
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.later_fields import LATER_FIELDS, as_of
from simulator.engine.model.custom import group_of
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.span import Span

OLDEST_MINOR = 25


class _Renamed(Span, frozen=True):
    name: str


class _Gone(Span, frozen=True):
    names: tuple[str, ...]


_BETAS = {
    "batch/v1beta1 CronJob": _Renamed("batch/v1 CronJob", until=24),
    "policy/v1beta1 PodDisruptionBudget": _Renamed("policy/v1 PodDisruptionBudget", until=24),
    "scheduling.k8s.io/v1beta1 PriorityClass": _Renamed("scheduling.k8s.io/v1 PriorityClass", until=21),
    "storage.k8s.io/v1beta1 StorageClass": _Renamed("storage.k8s.io/v1 StorageClass", until=21),
    "storage.k8s.io/v1beta1 CSINode": _Renamed("storage.k8s.io/v1 CSINode", until=21),
    "autoscaling/v2beta2 HorizontalPodAutoscaler": _Renamed("autoscaling/v2 HorizontalPodAutoscaler", until=25),
}
"""Kinds that older versions served under another name, with (for our fields) the same content."""


_V1BETA1 = (
    _Gone(until=21, names=(
        *("admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration", "apiextensions.k8s.io/v1beta1 CustomResourceDefinition"),
        *("admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration", "apiregistration.k8s.io/v1beta1 APIService"),
        *("authentication.k8s.io/v1beta1 TokenReview", "authorization.k8s.io/v1beta1 LocalSubjectAccessReview"),
        *("authorization.k8s.io/v1beta1 SelfSubjectAccessReview", "authorization.k8s.io/v1beta1 SelfSubjectRulesReview"),
        *("authorization.k8s.io/v1beta1 SubjectAccessReview", "certificates.k8s.io/v1beta1 CertificateSigningRequest"),
        *("coordination.k8s.io/v1beta1 Lease", "extensions/v1beta1 Ingress", "networking.k8s.io/v1beta1 Ingress"),
        *("networking.k8s.io/v1beta1 IngressClass", "rbac.authorization.k8s.io/v1beta1 ClusterRole"),
        *("rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding", "rbac.authorization.k8s.io/v1beta1 Role"),
        *("rbac.authorization.k8s.io/v1beta1 RoleBinding", "storage.k8s.io/v1beta1 CSIDriver"),
        "storage.k8s.io/v1beta1 VolumeAttachment",
    )),
    _Gone(until=24, names=(
        *("events.k8s.io/v1beta1 Event", "policy/v1beta1 PodSecurityPolicy", "autoscaling/v2beta1 HorizontalPodAutoscaler"),
    )),
)  # fmt: skip
"""What versions older than the oldest schemas served besides the kinds of ``KINDS``, with the last minor that did.

Source: the API deprecation guide. autoscaling/v2beta1 stands here, as its content is not that of v2.
"""


def since_of(type_name: str, field: str) -> int:
    """The minor version that introduced a field that the oldest schemas already have; 0 if it always existed."""
    later = LATER_FIELDS.get(type_name, {}).get(field)
    return later.since if later is not None else 0


class Catalog(Struct, frozen=True, kw_only=True):
    """The kinds of one version: ``schemas`` by "apiVersion Kind" for modelled kinds, ``others`` for kinds known by name only."""

    minor: int
    schemas: dict[str, dict[str, Any]]
    others: frozenset[str]

    def schema(self, api_version: str, kind: str) -> dict[str, Any] | None:
        """The schema of a modelled kind, or None."""
        name = f"{api_version} {kind}"
        older = _BETAS.get(name)
        return self.schemas.get(older.name if older is not None and older.holds_for(self.minor) else name)

    def api_versions(self, kind: str) -> tuple[str, ...]:
        """The apiVersions under which a kind exists, modelled ones first."""
        names = [*self.schemas, *sorted(self.others)]
        return tuple(name.split(" ")[0] for name in names if name.split(" ")[1] == kind)


def minor_in(kubernetes: str) -> int:
    """30 for ``1.30`` or ``v1.30.2``; raises ValueError for anything else."""
    parts = kubernetes.removeprefix("v").split(".")
    if len(parts) < 2 or parts[0] != "1" or not (parts[1].isascii() and parts[1].isdecimal()):
        raise ValueError(f"not a Kubernetes version: {kubernetes}")
    return int(parts[1])


@lru_cache(maxsize=64)
def catalog(minor: int) -> Catalog:
    """The catalog of ``1.<minor>``; beyond the newest known version, that of the newest. Cost: about 10 ms, then cached."""
    stored = _stored()
    newest = max(int(name.split(".")[1]) for name in stored["versions"])
    # Fields that an older version lacks are cut out below (later_fields).
    version = stored["versions"][f"1.{min(max(minor, OLDEST_MINOR), newest)}"]
    texts = {name: as_of(minor, stored["definitions"][place]) for name, place in version["definitions"].items()}
    resolved: dict[str, Any] = {}
    schemas = {name: _resolved(target, texts, resolved) for name, target in version["kinds"].items()}
    others = frozenset((*_foreign(version["others"]), *_older(minor), *_without_schema(minor, schemas)))
    return Catalog(minor=minor, schemas=schemas, others=others)


def _foreign(names: Iterable[str]) -> Iterator[str]:
    """The names of kinds for which only the schemas tell which versions serve them."""
    for name in names:
        api_version, _, kind = name.partition(" ")
        if kind not in KINDS or KINDS[kind].group != group_of(api_version):
            yield name


def _older(minor: int) -> Iterator[str]:
    return (name for group in _V1BETA1 if group.holds_for(minor) for name in group.names)


def _without_schema(minor: int, schemas: Collection[str]) -> Iterator[str]:
    """The kinds that the simulation knows but never reads from a manifest, in the versions that are served."""
    for info in KINDS.values():
        names = (f"{api_version} {info.kind}" for api_version in info.api_versions(minor))
        yield from (name for name in names if name not in schemas and name not in _BETAS)


@lru_cache(maxsize=1)
def _stored() -> dict[str, Any]:
    data = files("simulator.schemas").joinpath("schemas.json.gz").read_bytes()
    stored: dict[str, Any] = json.loads(gzip.decompress(data))
    return stored


def _resolved(name: str, texts: dict[str, Any], resolved: dict[str, Any]) -> dict[str, Any]:
    if name not in resolved:
        # Entered before its content is known: definitions refer to themselves.
        resolved[name] = {}
        resolved[name].update(_without_references(texts[name], texts, resolved))
    definition: dict[str, Any] = resolved[name]
    return definition


def _without_references(node: Any, texts: dict[str, Any], resolved: dict[str, Any]) -> Any:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            return _resolved(node["$ref"], texts, resolved)
        return {key: _without_references(item, texts, resolved) for key, item in node.items()}
    return node
