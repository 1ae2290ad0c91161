"""``kubectl explain``: a kind or a field of it, from the version's schemas and descriptions.

Source: kubectl pkg/explain (until 1.26), pkg/explain/v2/templates/plaintext.tmpl (since 1.27). The descriptions are
those of the API reference since 1.25.
"""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.documents.custom_schema import custom_schema
from simulator.engine.apiserver.documents.definitions import defined_kind
from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.model.kinds import KindInfo
from simulator.engine.versions.span import Span
from simulator.kubectl.find import find_kind
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.words import type_names, words_about

_OLD = Span(until=26)
_ONE_BLANK = Span(until=29)
"""The kubectl versions with one blank line below a field's name instead of two (seen with 1.27.1, 1.28.3, 1.29.4 and 1.30.0)."""
_FORMATS = {"quantity": "Quantity", "int-or-string": "IntOrString", "byte": "string"}
_ASK = (
    """error: You must specify the type of resource to explain. Use "kubectl api-resources" for a complete list of supported resources."""
)
_BULLET = re.compile(r"(\d+\.?|-|\*)\s")
_ENUMS = Span(since=30)
"""The kubectl versions that list the allowed values of a field (seen with 1.30.0, not with 1.28.3)."""
_OF_EVERY = ("apiVersion", "kind", "metadata")
_MACHINERY = "io.k8s.apimachinery.pkg.apis."
Schema = dict[str, Any]


def explain(line: Line, sight: Sight) -> str:
    """The output of ``kubectl explain KIND[.FIELD…]``. Raises BadLine."""
    if not line.words:
        raise BadLine(_ASK)
    if len(line.words) > 1:
        raise BadLine("error: We accept only this format: explain RESOURCE")
    word, *path = line.words[0].strip(".").split(".")
    try:
        info = find_kind(word, sight)
    except BadLine as error:
        raise BadLine(str(error).removeprefix("error: ")) from None
    api_version = line.value("api-version") or info.api_version(sight.minor)
    if api_version not in info.api_versions(sight.minor):
        group, _, version = api_version.rpartition("/")
        named = f"Kind={info.kind}" if _OLD.holds_for(sight.minor) else f"Resource={info.plural}"
        raise BadLine(f'error: couldn\'t find resource for "{group}/{version}, {named}"')
    schema = catalog(sight.minor).schema(api_version, info.kind) or _defined(info, sight)
    if schema is None:
        raise BadLine(f"error: nothing is kept here about the fields of a {info.kind}")
    words = _Words(api_version, sight.minor)
    old = _OLD.holds_for(sight.minor) or line.value("output") == "plaintext-openapiv2"
    found, doc = schema, ""
    for name in path:
        inner = _inside(found)
        if name not in (inner.get("properties") or {}):
            # Since 1.27 the head has already been printed when the field turns out not to exist.
            head = "" if old else "".join(f"{text}\n" for text in _head(info, words.api_version))
            raise BadLine(f'{head}error: field "{name}" does not exist')
        doc = words.of(inner, name)
        found = inner["properties"][name]
    blanks = 0 if old else 1 if _ONE_BLANK.holds_for(sight.minor) else 2
    return _text(info, path, found, doc, words, blanks=blanks, recursive=line.has("recursive"))


def _defined(info: KindInfo, sight: Sight) -> Schema | None:
    """The schema of a custom kind, descriptions included; None if it has none."""
    defined = defined_kind(sight.world, info.kind)
    version = defined.version_of(info.api_version(sight.minor)) if defined is not None else None
    if version is None or not version.schema:
        return None
    made = custom_schema(version.schema, sight.minor)
    own = {name: made["properties"][name] for name in _OF_EVERY if name in made.get("properties", {})}
    described = {name: {**item, "description": words_about("core.v1.Pod", name, sight.minor)} for name, item in own.items()}
    return {**made, "properties": {**made["properties"], **described}} if described else made


def _inside(schema: Schema) -> Schema:
    """The object inside lists and maps."""
    inner = schema
    while "title" not in inner:
        inside = inner.get("items") or inner.get("additionalProperties")
        if not isinstance(inside, dict):
            break
        inner = inside
    return inner


class _Words(Struct, frozen=True):
    """The descriptions of types, in a version of a kind and a release."""

    api_version: str
    minor: int

    def name(self, owner: Schema) -> str:
        """The type of a schema; if several have that name, the one of the kind's own group and version."""
        return _short_name(owner, self.api_version)

    def about(self, owner: Schema) -> str:
        """The description of a type."""
        if "title" not in owner:
            return str(owner.get("description") or "")
        return words_about(self.name(owner), "", self.minor)

    def of(self, owner: Schema, field: str) -> str:
        """The description of a field."""
        if "title" not in owner:
            return str(owner["properties"][field].get("description") or "")
        return words_about(self.name(owner), field, self.minor)


def _short_name(schema: Schema, api_version: str) -> str:
    """``core.v1.Container``."""
    title = str(schema.get("title") or "")
    group, _, version = api_version.rpartition("/")
    own = f"{group.partition('.')[0] or 'core'}.{version}.{title}"
    names = [name for name in type_names() if name.endswith(f".{title}")]
    return own if own in names else next(iter(names), own)


def type_name(schema: Schema, api_version: str) -> str:
    """The full name of a schema's Go type, as OpenAPI has it: ``io.k8s.api.core.v1.Container``."""
    name = _short_name(schema, api_version)
    return f"{_MACHINERY if name.startswith('meta.') else 'io.k8s.api.'}{name}"


def _head(info: KindInfo, api_version: str) -> list[str]:
    group, _, version = api_version.rpartition("/")
    return [*([f"GROUP:      {group}"] if group else []), f"KIND:       {info.kind}", f"VERSION:    {version}", ""]


def _text(info: KindInfo, path: list[str], schema: Schema, doc: str, words: _Words, *, blanks: int, recursive: bool) -> str:
    """``blanks`` is the number of lines below a field's name; none in the old layout."""
    inner = _inside(schema)
    old = not blanks
    if old and schema.get("nullable"):  # version 2 of OpenAPI only says that it may be anything
        inner = {key: value for key, value in inner.items() if key != "properties"}
    fields, about = inner.get("properties") or {}, words.about(inner)
    kind = f"<{_type(schema, named=not old)}>"
    is_time = inner.get("format") == "date-time"
    if is_time:
        about = words_about("meta.v1.Time", "", words.minor)
    found = [text for text in dict.fromkeys((doc, about if fields or is_time else "")) if text]
    docs = found or ["<empty>"]
    if old:
        head = [f"KIND:     {info.kind}", f"VERSION:  {words.api_version}", ""]
        named = (
            [f"{'RESOURCE' if fields else 'FIELD   '}: {path[-1]} {kind}".replace("   : ", ":    "), ""]
            if path and not _is_any(schema)
            else []
        )
        lines = [*head, *named, "DESCRIPTION:", *_joined(docs, 5)]
    else:
        enum = _enum(schema, words.minor)
        listed = ["ENUM:", *(f"    {value}" for value in enum)] if enum else [""] * (blanks - 1)
        named = [f"FIELD: {path[-1]} {kind}", *listed, ""] if path else []
        end = ["    "] if found else []
        lines = [*_head(info, words.api_version), *named, "DESCRIPTION:", *(part for text in docs for part in _wrapped(text, 4)), *end]
    tree = _tree(inner, 1, (), old=old)
    rest = ["FIELDS:", *tree] if recursive and fields else list(_fields(inner, words, old=old))
    if old:
        return "".join(f"{text}\n" for text in [*lines, *(["", *rest] if rest else [])])
    return "".join(f"{text}\n" for text in [*lines, *rest, ""])


def _joined(docs: list[str], indent: int) -> Iterator[str]:
    for number, text in enumerate(docs):
        if number:
            yield ""
        yield from _wrapped_until_1_26(text, indent)


def _wrapped_until_1_26(text: str, indent: int) -> Iterator[str]:
    """The lines of a text until 1.26: words separated by one space, lists and blank lines kept (pkg/explain/formatter.go wrapString)."""
    words: list[str] = []
    is_begun = False
    for line in text.split("\n"):
        is_code, is_blank = line.startswith("    "), not line.strip()
        starts_anew = is_code or is_blank or (words and words[-1].endswith(":")) or _BULLET.match(line.strip()) is not None
        if words and starts_anew:
            yield from _wrapped(" ".join(words), indent)
            words, is_begun = [], True
        if is_code or (is_blank and is_begun):
            yield f"{' ' * indent}{line}" if is_code else ""
            is_begun = True
        else:
            words += line.split()
    yield from _wrapped(" ".join(words), indent)


def _wrapped(text: str, indent: int) -> list[str]:
    blanks = " " * indent
    if "\n" in text:  # each line by itself; a line without words keeps its indent
        return [part for line in text.split("\n") for part in (_wrapped(line, indent) if line.strip() else [blanks])]
    return textwrap.wrap(text, 80, initial_indent=blanks, subsequent_indent=blanks, break_long_words=False, break_on_hyphens=False)


def _fields(schema: Schema, words: _Words, *, old: bool) -> Iterator[str]:
    fields = schema.get("properties") or {}
    if not fields:
        return
    yield "FIELDS:"
    required, indent = schema.get("required", ()), 3 if old else 2
    for name in sorted(fields):
        yield f"{' ' * indent}{name}\t<{_type(fields[name], named=not old)}>{' -required-' if name in required else ''}"
        about = words.of(schema, name)
        if old:
            yield from _wrapped_until_1_26(about, indent + 2) if about else ()
        else:
            enum = _enum(fields[name], words.minor)
            yield from [f"{' ' * indent}enum: {', '.join(enum)}"] if enum else ()
            yield from _wrapped(about or "<no description>", indent + 2)
        yield ""


def _tree(schema: Schema, depth: int, above: tuple[str, ...], *, old: bool) -> Iterator[str]:
    """Every field below, indented by depth, without descriptions; a type within itself is not expanded again."""
    required, title = schema.get("required", ()), str(schema.get("title") or "")
    for name, field in sorted((schema.get("properties") or {}).items()):
        marked = " -required-" if name in required and not old else ""
        yield f"{' ' * (3 if old else 2) * depth}{name}\t<{_type(field, named=not old)}>{marked}"
        inner = _inside(field)
        if inner.get("properties") and inner.get("title") not in (*above, title):
            yield from _tree(inner, depth + 1, (*above, title), old=old)


def _enum(schema: Schema, minor: int) -> list[str]:
    """The enum values in the definition of a custom kind; the schemas of Kubernetes' own kinds have none."""
    return [str(value) for value in schema.get("enum") or ()] if _ENUMS.holds_for(minor) else []


def _is_any(schema: Schema) -> bool:
    """Whether a value may be anything: version 2 of OpenAPI gives no type for it, or none for what it contains."""
    is_bare = schema.get("type") == "object" and not any(key in schema for key in ("properties", "additionalProperties", "title"))
    return is_bare or "type" not in schema or bool(schema.get("nullable"))


def _type(schema: Schema, *, named: bool) -> str:
    """``string``, ``[]Object``; with ``named``, objects have the name of their type, as clients print since 1.27."""
    if not named and _is_any(schema):
        return "map[string]" if schema.get("type") == "object" and not schema.get("nullable") else ""
    form = schema.get("format", "")
    if form in _FORMATS:
        return _FORMATS[form] if named else "string"
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return f"[]{_type(schema.get('items') or {}, named=named)}"
    values = schema.get("additionalProperties")
    if kind == "object" and isinstance(values, dict) and "title" not in schema:
        return f"map[string]{_type(values, named=named)}"
    if kind != "object":
        return str(kind)
    if not named:
        # An object without fields of its own is a map of anything.
        return "Object" if schema.get("properties") else "map[string]"
    return str(schema.get("title", "Object"))
