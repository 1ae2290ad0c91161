"""Whether manifests have fields that their kinds do not have: reported by the client until 1.24, and by the server since.

Source: kubectl pkg/util/openapi/validation (ValidationError), apiserver pkg/endpoints/handlers/create.go (strict
decoding). Kinds without a schema are not checked.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from simulator.engine.apiserver.wire.catalog import catalog
from simulator.engine.apiserver.wire.decoding import strict_error, strict_problems
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.explain import type_name
from simulator.kubectl.line import Line
from simulator.kubectl.tables.model import Sight

_BY_CLIENT = Span(until=24)
_OFF = ("false", "ignore")
_UNKNOWN = re.compile(r'unknown field "(.*)"')
_STEP = re.compile(r"([^.\[]+)|\[(\d+)\]")
_ADVICE = "if you choose to ignore these errors, turn validation off with --validate=false"


class FieldsJudged(Struct, frozen=True):
    """The result of validating a manifest: warnings, and the error that keeps it from being sent (empty if it is sent)."""

    warnings: tuple[str, ...] = ()
    error: str = ""


def judged_fields(document: Json, line: Line, sight: Sight, *, doing: str) -> FieldsJudged:
    """Validate the fields of a manifest. O(document)."""
    how = line.value("validate") or "strict"
    schema = catalog(sight.minor).schema(document["apiVersion"], document["kind"])
    problems = strict_problems(document, schema) if schema is not None and how not in _OFF else []
    if not problems or schema is None:
        return FieldsJudged()
    if _BY_CLIENT.holds_for(sight.minor):
        texts = list(_client_texts(problems, document, schema))
        listed = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
        return FieldsJudged(error=f'error: error validating "STDIN": error validating data: {listed}; {_ADVICE}')
    if how == "warn":
        return FieldsJudged(warnings=tuple(f"Warning: {text}" for text in problems))
    kind, version = document["kind"], document["apiVersion"].rpartition("/")[2]
    why = f'{kind} in version "{version}" cannot be handled as a {kind}: {strict_error(problems)}'
    return FieldsJudged(error=f"Error from server (BadRequest): {doing}{why}")


def _client_texts(problems: list[str], document: Json, schema: Json) -> Iterator[str]:
    for text in problems:
        match = _UNKNOWN.fullmatch(text)
        path, _, field = match[1].rpartition(".") if match is not None else ("", "", text)
        where = f"{document['kind']}{f'.{path}' if path else ''}"
        yield f'ValidationError({where}): unknown field "{field}" in {type_name(_inner(schema, path), document["apiVersion"])}'


def _inner(schema: Json, path: str) -> Json:
    """The schema at a path such as ``spec.containers[0]``."""
    found = schema
    for name, index in _STEP.findall(path):
        if index:
            found = found.get("items") or {}
        else:
            inner = (found.get("properties") or {}).get(name) or found.get("additionalProperties")
            found = inner if isinstance(inner, dict) else {}
    return found
