"""Which documents of a text become objects: kinds that are simulated, kinds that are only stored, and kinds that are left out.

``kubectl apply -f`` sends every object whose kind the API server has and reports for each of the others that there is
no match. Source: apimachinery pkg/api/meta/errors.go NoKindMatchError; cli-runtime pkg/resource/mapper.go infoForData.
"""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.wire.catalog import Catalog
from simulator.engine.model.custom import group_of, is_custom, is_custom_group
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.release import Release
from simulator.engine.versions.span import Span
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import ERROR, INFO
from simulator.manifests.texts import _

UNMATCHED = "unknown-kind"
"""Code of the finding about a kind or version that the API server does not have."""


class _Hint(Span, frozen=True):
    text: str


_HINT = _Hint("\nensure CRDs are installed first", since=24)
"""What kubectl adds to the API server's message."""


class KnownKinds(Struct, frozen=True, kw_only=True):
    """The kinds of a version; ``only`` are the wanted ones, None for all.

    ``defined`` are the groups and kinds (``group/Kind``) for which the text contains a CustomResourceDefinition.
    """

    catalog: Catalog
    release: Release
    only: frozenset[str] | None = None
    defined: frozenset[str] = frozenset()


def kind_findings(value: Any, known: KnownKinds) -> Iterator[Finding]:
    """Why a document is left out; nothing if it becomes an object. Cost: O(1)."""
    if not isinstance(value, dict):
        yield Finding(path="", message=_("a manifest must be a map with apiVersion, kind and metadata"), code="not-an-object")
        return
    missing = [key for key in ("apiVersion", "kind") if not isinstance(value.get(key), str) or not value[key]]
    yield from (Finding(path=key, message=f"{key} not set", code="required") for key in missing)
    if missing:
        return
    api_version, kind = value["apiVersion"], value["kind"]
    has_schema = known.catalog.schema(api_version, kind) is not None and _is_served(api_version, kind, known.release)
    wanted = known.only is None or kind in known.only
    if wanted and (has_schema or is_custom(api_version, kind)):
        return
    is_defined = f"{group_of(api_version)}/{kind}" in known.defined
    if has_schema or is_defined or is_custom(api_version, kind) or f"{api_version} {kind}" in known.catalog.others:
        yield Finding(path="kind", message=_left_out(api_version, kind), code="not-simulated", severity=INFO)
        return
    yield _unmatched(api_version, kind, known)


def _left_out(api_version: str, kind: str) -> str:
    if kind not in KINDS:
        return _('kind "%s" is not simulated: the object is ignored') % kind
    return _('kind "%(kind)s" in version "%(version)s" is not simulated: the object is ignored') % {"kind": kind, "version": api_version}


def _unmatched(api_version: str, kind: str, known: KnownKinds) -> Finding:
    info, minor = KINDS.get(kind), known.release.minor
    versions = known.catalog.api_versions(kind) if info is None else info.api_versions(minor)
    hint = "" if not versions or is_custom_group(api_version) else f"apiVersion: {versions[0]}"
    # The message is kubectl's: the API server is never asked for a kind that discovery does not list.
    message = f'no matches for kind "{kind}" in version "{api_version}"{_HINT.text if _HINT.holds_for(minor) else ""}'
    why = _("kubectl apply skips this object and applies the rest of the text")
    return Finding(path="kind", message=message, code=UNMATCHED, hint=hint, severity=ERROR, why=why)


def _is_served(api_version: str, kind: str, release: Release) -> bool:
    """Whether the release serves a kind that has a schema; schemas are stored under a kind's newest version only."""
    info = KINDS.get(kind)
    return info is None or api_version in info.api_versions(release.minor)


def defined_kinds(values: list[Any]) -> frozenset[str]:
    """``group/Kind`` of each CustomResourceDefinition among the documents. O(documents)."""
    names = (_names_of(value) for value in values if isinstance(value, dict) and value.get("kind") == "CustomResourceDefinition")
    return frozenset(name for name in names if name)


def _names_of(definition: dict[str, Any]) -> str:
    spec = definition.get("spec")
    names = spec.get("names") if isinstance(spec, dict) else None
    return f"{spec.get('group')}/{names.get('kind')}" if isinstance(spec, dict) and isinstance(names, dict) else ""
