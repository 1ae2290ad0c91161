"""The numeric fields of a run's manifests: list them, find the one a text refers to, and set another value.

A field is written as the API server writes it, ``spec.containers[0].readinessProbe.periodSeconds``; if a run has several
manifests, the object's name comes first, ``web: spec.replicas`` or, if names are ambiguous, ``Deployment/web: spec.replicas``.

A walk traverses three things at once: the manifest as written, the object with its defaults, and its schema. That gives
the state of every leaf. Absent fields are listed only next to existing ones; there would be thousands otherwise. Numbers
in status and metadata are not for a manifest to set.
"""

import json
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from difflib import get_close_matches
from typing import Any

from django.utils.translation import gettext as _
from msgspec import Struct

from simulator.engine import RunHeader
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.create import CreateRequest, as_sent, decode_object, default
from simulator.engine.apiserver.wire.catalog import catalog, minor_in
from simulator.engine.apiserver.wire.field_paths import child, format_path, parse_path
from simulator.engine.apiserver.wire.shapes import type_of
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release, release_of
from simulator.manifests.editor.fixes.page import Page
from simulator.manifests.read.loader import load

WRITTEN, DEFAULT, ABSENT = "written", "default", "absent"
FIELDS_MAX = 400
"""At most this many fields are listed; others can still be named."""
NAMED_MAX = 6
"""At most this many choices are named in an error message."""
EXAMPLE = "spec.containers[0].readinessProbe.periodSeconds"
_SLEEP = ("lifecycle", "preStop", "sleep", "seconds")
_GROUPS = ("containers", "initContainers")
_PREFIX = re.compile(r"\s*([^:\s]+):\s+(\S+)\s*")


class BadSweptField(Exception):
    """A text does not refer to a numeric field of the manifests; the error's text says why."""


class _UnknownField(BadSweptField):
    """There is no such field; a similar one may be meant."""


class NumericField(Struct, frozen=True, kw_only=True):
    """A numeric field of one manifest. ``value`` is its current value, None if not set; a quantity may be a text, ``64Mi``.

    ``name`` is the object's name, "" if there is only one. ``state``: the field is WRITTEN, has a DEFAULT, or is ABSENT and may be set.
    """

    document: int
    path: str
    name: str
    state: str
    value: int | float | str | None
    is_quantity: bool = False

    @property
    def text(self) -> str:
        """The field as written in a sweep."""
        return f"{self.name}: {self.path}" if self.name else self.path


class _Place(Struct, frozen=True):
    """A position in the walk through a manifest: what is written there, the value with defaults, and its schema."""

    steps: tuple[str | int, ...]
    written: Any
    whole: Any
    schema: Json


def numeric_fields(header: RunHeader) -> tuple[NumericField, ...]:
    """The numeric fields of a run's manifests, at most FIELDS_MAX: those that are written, have a default, or may be set.

    Costs about 1 ms per manifest.
    """
    documents = [json.loads(text) for text in header.manifests]
    names = _names(documents)
    release = release_of(minor_in(header.kubernetes), header.gates)
    found: list[NumericField] = []
    for number, document in enumerate(documents):
        found += _fields_of(number, document, names[number], release)
        if len(found) >= FIELDS_MAX:
            break
    return tuple(found[:FIELDS_MAX])


def field_of(header: RunHeader, text: str) -> NumericField:
    """The field that a text refers to. Raises BadSweptField if there is none, it is not numeric, or several manifests have it."""
    documents = [json.loads(manifest) for manifest in header.manifests]
    if not documents:
        raise BadSweptField(_("This run has no manifest with fields that could be changed."))
    prefix, path = _parted(text)
    named = [number for number, document in enumerate(documents) if _answers(document, prefix)]
    if not named:
        known = list(dict.fromkeys(_names(documents, always=True)))
        shown = ", ".join(known[:NAMED_MAX]) + (", …" if len(known) > NAMED_MAX else "")
        raise BadSweptField(_("There is no object named “%(name)s”; available: %(known)s.") % {"name": prefix, "known": shown})
    release = release_of(minor_in(header.kubernetes), header.gates)
    problems: list[BadSweptField] = []
    found: list[NumericField] = []
    for number in named:
        try:
            found.append(_field_at(number, documents, path, release))
        except BadSweptField as error:
            problems.append(error)
    if not found:
        # The error from an object that has such a field is the most helpful.
        told = next((problem for problem in problems if not isinstance(problem, _UnknownField)), None)
        raise told or BadSweptField(str(problems[0]) + _likely(header, path))
    # If the field could be set in several objects, the one that has it is meant.
    written = [field for field in found if field.state != ABSENT] or found
    if len(written) > 1:
        names = ", ".join(field.text for field in written[:NAMED_MAX]) + (", …" if len(written) > NAMED_MAX else "")
        raise BadSweptField(_("Several manifests have this field; specify one: %(fields)s.") % {"fields": names})
    return written[0]


def with_value(header: RunHeader, field: NumericField, value: int | str) -> tuple[str, ...]:
    """The manifests of a run with another value in a field; missing parents are created."""
    texts = list(header.manifests)
    document = json.loads(texts[field.document])
    _put(document, parse_path(field.path), value)
    texts[field.document] = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return tuple(texts)


def is_kept(header: RunHeader, field: NumericField, value: int | str) -> bool:
    """Whether the API server keeps that value; in many fields it treats 0 as unset and applies the default. Takes about 1 ms."""
    document = json.loads(with_value(header, field, value)[field.document])
    return bool(value_at(_with_defaults(document, release_of(minor_in(header.kubernetes), header.gates)), field.path) == value)


def text_with_value(text: str, field: NumericField, value: int | str, *, minor: int) -> str | None:
    """The author's YAML with another value in a field, keeping comments and layout; None if that cannot be done safely."""
    raws = load(text).documents
    if field.document >= len(raws):
        return None
    page = Page(text, raws[field.document], minor=minor)
    steps = parse_path(field.path)
    # If the author's text has the field, only its value is replaced.
    if page.node(field.path) is not None:
        change = page.set_value(field.path, json.dumps(value))
    else:
        change = page.insert(format_path(steps[:-1]) if len(steps) > 1 else "", steps[-1], value)
    return None if change is None else text[: change.start] + change.insert + text[change.end :]


def _parted(text: str) -> tuple[str, str]:
    """Split a text into the object's name ("" for none) and the path."""
    match = _PREFIX.fullmatch(text)
    prefix, path = (match[1], match[2]) if match is not None else ("", text.strip())
    if not path or format_path(_steps(path)) != path:
        raise BadSweptField(_("“%(path)s” is not a valid field path; write it like %(example)s.") % {"path": path, "example": EXAMPLE})
    return prefix, path


def _steps(path: str) -> list[str | int]:
    return [int(step) if step.isdecimal() and len(step) < 6 else step for step in parse_path(path)]


def _answers(document: Json, prefix: str) -> bool:
    kind, _slash, name = prefix.rpartition("/")
    own = str((document.get("metadata") or {}).get("name") or "")
    return not prefix or (own == name and kind.casefold() in ("", str(document.get("kind")).casefold()))


def _names(documents: Sequence[Json], *, always: bool = False) -> list[str]:
    """How each manifest is named before a path: not at all if it is the only one, with its kind if names are ambiguous."""
    own = [str((document.get("metadata") or {}).get("name") or "") for document in documents]
    if len(documents) == 1 and not always:
        return [""]
    return [f"{document.get('kind')}/{name}" if own.count(name) > 1 else name for document, name in zip(documents, own, strict=True)]


def _with_defaults(document: Json, release: Release) -> Json:
    """The object with the defaults of its kind; as written if the API server does not accept it."""
    request = CreateRequest(release=release)
    try:
        metadata = {key: value for key, value in (document.get("metadata") or {}).items() if key != "namespace"}
        info, decoded = decode_object({**document, "metadata": metadata}, as_sent(document), request)
        return default(decoded, info, request)
    except ApiError:
        return document


def _schema(document: Json, release: Release) -> Json:
    return catalog(release.minor).schema(str(document.get("apiVersion")), str(document.get("kind"))) or {}


def _fields_of(number: int, document: Json, name: str, release: Release) -> Iterator[NumericField]:
    schema = _schema(document, release)
    place = _Place((), document, _with_defaults(deepcopy(document), release), schema)
    for item in _walk(place):
        yield _field(number, name, item)


def _walk(place: _Place) -> Iterator[_Place]:
    """Yield every numeric leaf below, depth first, in the order of the schema; lists only as far as they are written."""
    if isinstance(place.whole, list):
        written = place.written if isinstance(place.written, list) else []
        for index, (own, item) in enumerate(zip(written, place.whole, strict=False)):
            yield from _walk(_Place((*place.steps, index), own, item, place.schema.get("items") or {}))
        return
    if not isinstance(place.whole, dict):
        return
    yield from _walk_fields(place)
    if _may_have_hooks(place) and "lifecycle" not in place.whole:
        yield from _absent_sleep(place)


def _may_have_hooks(place: _Place) -> bool:
    """Whether it is a container for which the API server accepts hooks: of init containers only sidecars."""
    group = place.steps[-2] if len(place.steps) > 1 else ""
    return group in _GROUPS and (group != "initContainers" or place.whole.get("restartPolicy") == "Always")


def _walk_fields(place: _Place) -> Iterator[_Place]:
    written = place.written if isinstance(place.written, dict) else {}
    shapes = place.schema.get("properties") or {}
    others = place.schema.get("additionalProperties")
    for key in dict.fromkeys([*place.whole, *(shapes if place.steps else ())]):
        schema = shapes.get(key) or (others if isinstance(others, dict) else {})
        inner = _Place((*place.steps, key), written.get(key), place.whole.get(key), schema)
        if inner.steps[0] == "status" or key == "metadata":
            continue
        if _is_numeric(inner.schema, inner.whole):
            yield inner
        elif inner.whole is not None:
            yield from _walk(inner)


def _absent_sleep(place: _Place) -> Iterator[_Place]:
    """The sleep of a preStop hook, which is hard to discover otherwise."""
    schema = place.schema
    for step in _SLEEP:
        schema = (schema.get("properties") or {}).get(step) or {}
    if schema:
        yield _Place((*place.steps, *_SLEEP), None, None, schema)


def _is_numeric(schema: Json, value: Any) -> bool:
    form, kind = schema.get("format", ""), type_of(schema)
    if form == "int-or-string":
        # Either type may be written, but a percentage or a port's name makes no sense in a range of numbers.
        return value is None or (isinstance(value, int) and not isinstance(value, bool))
    if form == "quantity":
        return value is not None
    return kind in ("integer", "number")


def _field(number: int, name: str, place: _Place) -> NumericField:
    state = WRITTEN if place.written is not None else DEFAULT if place.whole is not None else ABSENT
    value = place.written if place.written is not None else place.whole
    is_quantity = place.schema.get("format", "") == "quantity"
    return NumericField(document=number, path=format_path(place.steps), name=name, state=state, value=value, is_quantity=is_quantity)


def _field_at(number: int, documents: Sequence[Json], path: str, release: Release) -> NumericField:
    """The field at a path of one manifest, whether it exists or only could. Raises BadSweptField."""
    document = documents[number]
    schema, steps = _schema(document, release), _steps(path)
    written: Any = document
    whole: Any = _with_defaults(deepcopy(document), release)
    so_far = ""
    for step in steps:
        inner = _inner(schema, step)
        so_far = child(so_far, step)
        if inner is None:
            raise _UnknownField(_("%(kind)s has no field %(path)s.") % {"kind": document.get("kind"), "path": so_far})
        if isinstance(step, int) and not (isinstance(written, list) and step < len(written)):
            raise BadSweptField(_("%(path)s is not in the manifest: the list is too short.") % {"path": so_far})
        schema, written, whole = inner, _value(written, step), _value(whole, step)
    if not _is_numeric(schema, whole) and schema.get("format") != "quantity":
        raise BadSweptField(_("%(path)s is not a number.") % {"path": path})
    return _field(number, _names(documents)[number], _Place(tuple(steps), written, whole, schema))


def _inner(schema: Json, step: str | int) -> Json | None:
    if isinstance(step, int):
        found = schema.get("items")
    else:
        found = (schema.get("properties") or {}).get(step) or schema.get("additionalProperties")
    return found if isinstance(found, dict) else None


def value_at(document: Any, path: str) -> Any:
    """The value at a path of a document, or None."""
    for step in _steps(path):
        document = _value(document, step)
    return document


def _value(value: Any, step: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _likely(header: RunHeader, path: str) -> str:
    """A hint with the fields most similar to a path; "" if there are none."""
    known = [field.text for field in numeric_fields(header)]
    last = path.rpartition(".")[2]
    near = [text for text in known if text.rpartition(".")[2] == last] or get_close_matches(path, known, n=3, cutoff=0.6)
    return " " + _("Did you mean: %(fields)s.") % {"fields": ", ".join(near[:3])} if near else ""


def _put(document: Any, steps: Sequence[str], value: int | str) -> None:
    for step in steps[:-1]:
        if isinstance(document, list):
            document = document[int(step)]
        else:
            if document.get(step) is None:
                document[step] = {}
            document = document[step]
    if isinstance(document, list):
        document[int(steps[-1])] = value
    else:
        document[steps[-1]] = value
