"""Selectors of a LIST: which labels and fields may be selected by, and which of those fields objects have.

The API server keeps two tables of fields. One says which names a selector may use, the other which of an object's fields it is compared
with. A name that is only in the first is accepted and compared with nothing. Source: AddFieldLabelConversionFunc in
pkg/apis/*/*/conversion.go; ToSelectableFields in pkg/registry/*/*/strategy.go.
"""

from collections.abc import Callable
from typing import Any

from simulator.engine.apiserver.answer import bad_request
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.selectors import BadSelector, Selector, parse_fields, parse_labels
from simulator.engine.versions.span import Span

_EVERY = ("metadata.name", "metadata.namespace")


class SelectableField(Span, frozen=True):
    """A name that selectors of a kind may use. ``path`` is the object's field; empty if it is compared with nothing."""

    name: str
    path: str = ""


def _same(*names: str) -> tuple[SelectableField, ...]:
    return tuple(SelectableField(name, name) for name in names)


_OF_KIND: dict[str, tuple[SelectableField, ...]] = {
    "Pod": (
        *_same("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "status.phase", "status.podIP"),
        *_same("status.podIPs", "status.nominatedNodeName"),
        SelectableField("spec.hostNetwork", "spec.hostNetwork", since=28),
        SelectableField("spec.host", "spec.nodeName"),  # the name that v1beta2 of the API had
    ),
    "Node": _same("spec.unschedulable"),
    "Namespace": _same("status.phase"),
    "Secret": _same("type"),
    "Service": (
        SelectableField("spec.clusterIP", "spec.clusterIP", since=24),
        SelectableField("spec.type", "spec.type", since=24),
    ),
    "ReplicaSet": _same("status.replicas"),
    "Job": _same("status.successful"),
    "StatefulSet": (SelectableField("status.successful"),),
    "Event": (
        *(
            SelectableField(f"involvedObject.{name}", f"involvedObject.{name}")
            for name in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        ),
        *_same("reason", "type"),
        SelectableField("reportingComponent", "reportingComponent", since=19),
        SelectableField("source", "source.component"),
    ),
}
_ABSENT = {"spec.hostNetwork": "false", "spec.unschedulable": "false", "status.replicas": "0", "status.successful": "0"}
"""The value of a field that the object leaves out."""
_OWN_WORDS = frozenset(("Pod", "Node", "Namespace", "Secret", "Service", "ReplicaSet", "Job", "StatefulSet", "Event"))


def label_selector(text: str) -> Selector:
    """The label selector of a list. Raises ApiError (400)."""
    try:
        return parse_labels(text)
    except BadSelector as error:
        raise bad_request(str(error)) from None


def field_test(kind: str, text: str, *, minor: int) -> Callable[[Json], bool]:
    """The test for a field selector. Raises ApiError (400) for one that cannot be read or that names an unsupported field."""
    try:
        terms = parse_fields(text)
    except BadSelector as error:
        raise bad_request(str(error)) from None
    known = {item.name: item.path for item in _OF_KIND.get(kind, ()) if item.holds_for(minor)} | {name: name for name in _EVERY}
    for name, _, _ in terms:
        if name not in known:
            raise bad_request(_unknown(kind, name))
    return lambda document: all((value_at(document, known[name]) == value) is equal for name, value, equal in terms)


def _unknown(kind: str, name: str) -> str:
    if kind in _OWN_WORDS:
        return f"field label not supported: {name}"
    return f'"{name}" is not a known field selector: only "metadata.name", "metadata.namespace"'


def value_at(document: Json, path: str) -> str:
    """The text that a selector is compared with."""
    found: Any = document if path else None
    for part in filter(None, path.split(".")):
        found = found.get(part) if isinstance(found, dict) else None
    if path == "status.podIPs":
        return ",".join(str(item.get("ip", "")) for item in found or ())
    if path == "status.successful":
        found = ((document.get("status") or {}).get("succeeded")) or None
    if path == "source.component" and not found:
        found = document.get("reportingComponent")
    if found is None:
        return _ABSENT.get(path, "")
    return str(found).lower() if isinstance(found, bool) else str(found)
