"""Selectors of a LIST: which labels and which fields may be asked for, and what the API server says of others.

Source: pkg/registry/core/pod/strategy.go ToSelectableFields; pkg/apis/core/v1/conversion.go
AddFieldLabelConversionFunc.
"""

from typing import Any

from simulator.engine.apiserver.answer import bad_request
from simulator.engine.model.kinds import KINDS
from simulator.engine.model.selectors import BadSelector, Selector, parse_fields, parse_labels
from simulator.engine.versions.span import Span

FieldTerms = tuple[tuple[str, str, bool], ...]
"""Field, value, and whether they must be equal."""

_ANY = ("metadata.name", "metadata.namespace")


class _Selectable(Span, frozen=True):
    field: str


_OF_KIND: dict[str, tuple[_Selectable, ...]] = {
    "Pod": (
        *map(_Selectable, ("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName")),
        _Selectable("spec.hostNetwork", since=28),
        *map(_Selectable, ("status.phase", "status.podIP", "status.podIPs", "status.nominatedNodeName")),
    ),
    "Node": (_Selectable("spec.unschedulable"),),
    "Namespace": (_Selectable("status.phase"),),
    "Secret": (_Selectable("type"),),
    "ReplicaSet": (_Selectable("status.replicas"),),
    "Event": (
        *(
            _Selectable(f"involvedObject.{name}")
            for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        ),
        *map(_Selectable, ("reason", "reportingComponent", "source", "type")),
    ),
}
"""FieldTerms beside name and namespace."""
_FALSE_WHEN_ABSENT = ("spec.hostNetwork", "spec.unschedulable")


def label_selector(text: str) -> Selector:
    """The label selector of a list. Raises ApiError (400)."""
    try:
        return parse_labels(text)
    except BadSelector as error:
        raise bad_request(str(error)) from None


def field_selector(kind: str, text: str, *, minor: int) -> FieldTerms:
    """The field selector of a list of that kind. Raises ApiError (400) for a field that cannot be asked for."""
    try:
        asked = parse_fields(text)
    except BadSelector as error:
        raise bad_request(str(error)) from None
    known = (*_ANY, *(each.field for each in _OF_KIND.get(kind, ()) if each.holds_for(minor)))
    for field, _, _ in asked:
        if field not in known:
            info = KINDS.get(kind)
            resource = f"{info.group}/{info.versions[0].version}" if info is not None else "/v1"
            plural = info.plural if info is not None else kind.lower()
            raise bad_request(
                # The resource is group and version; the core group is empty, so it starts with
                # "/v1".
                f'Unable to find "{resource}, Resource={plural}" that match label selector "", field selector "{text}": '
                f"field label not supported: {field}"
            )
    return asked


def fields_hold(asked: FieldTerms, document: dict[str, Any]) -> bool:
    """Whether the object has the fields that are asked for."""
    return all((_value(document, field) == value) == equal for field, value, equal in asked)


def _value(document: dict[str, Any], field: str) -> str:
    found: Any = document
    for part in field.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    if field == "status.podIPs":
        return ",".join(item.get("ip", "") for item in found or ())
    if field == "source":
        return str((found or {}).get("component") or document.get("reportingComponent") or "")
    if found is None:
        return "false" if field in _FALSE_WHEN_ABSENT else ""
    return str(found).lower() if isinstance(found, bool) else str(found)
