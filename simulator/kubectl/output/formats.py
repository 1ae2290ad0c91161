"""``-o jsonpath=…``, ``jsonpath-as-json=…``, ``custom-columns=…``, ``go-template=…`` and ``--sort-by`` for objects that were found.

Source: k8s.io/cli-runtime pkg/printers (jsonpath.go, template.go), kubectl pkg/cmd/get (customcolumn.go, sorter.go).
"""

import re
from collections.abc import Sequence
from functools import cmp_to_key, partial
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import parse, quantity_problem
from simulator.kubectl.align import table
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.output.go_template import GoTemplate, TemplateError
from simulator.kubectl.output.go_values import go_sprint, go_syntax, quoted
from simulator.kubectl.output.jsonpath import PRINTED_MAX, JSONPath, PathError, PathWalk, relaxed
from simulator.kubectl.output.texts import json_text
from simulator.kubectl.tables.model import NONE

TEMPLATES = ("go-template", "jsonpath", "jsonpath-as-json", "template")
"""Formats that print one object, or a List if there are several."""
_FILES = ("custom-columns-file", "go-template-file", "jsonpath-file", "templatefile")
_SHOWN_MAX = 100_000
_PARTS = re.compile(r"[0-9]+|[^0-9]+")


def format_of(line: Line) -> tuple[str, str]:
    """The name of the format and what follows its ``=``; ``--template`` alone means go-template."""
    name, equals, text = line.value("output").partition("=")
    if name not in (*TEMPLATES, *_FILES, "custom-columns"):
        return ("go-template", line.value("template")) if line.value("template") and not name else (line.value("output"), "")
    if not equals and name in TEMPLATES:
        text = line.value("template")
    return name, text


def is_template(name: str) -> bool:
    """Whether a format prints from a template."""
    return name in TEMPLATES or name in _FILES


def print_template(name: str, text: str, document: Json) -> str:
    """What a template prints for an object. Raises BadLine."""
    if name in _FILES:
        raise BadLine(f"error: error reading template {text}, open {text}: no such file or directory")
    if not text:
        raise BadLine("error: template format specified but no template given")
    if name in ("go-template", "template"):
        return _go_template(text, document)
    try:
        path = JSONPath(text)
    except PathError as error:
        raise BadLine(f"error: error parsing jsonpath {text}, {error}") from None
    walk = PathWalk()
    try:
        found = path.results(document, walk)
        shown = [[walk.print(_shown(value)) for value in results] for results in found]
    except PathError as error:
        raise BadLine(_failed("jsonpath", text, str(error), document)) from None
    if name == "jsonpath-as-json":
        return f"{json_text([value for results in found for value in results])}\n"
    return "".join(" ".join(results) for results in shown)


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return json_text(value, indent=None)
    return "null" if value is None else go_sprint(value)


def _failed(what: str, text: str, problem: str, document: Json) -> str:
    """The client's message if a template fails, with everything it knows."""
    known = go_syntax(document)
    shown = known if len(known) <= _SHOWN_MAX else f"{known[:_SHOWN_MAX]}…"
    lines = (
        f"error: error executing {what} {quoted(text)}: Error executing template: {problem}. "
        "Printing more information for debugging the template:",
        "\ttemplate was:",
        f"\t\t{text}",
        f"\tobject given to {what} engine was:",
        f"\t\t{shown}",
        "\n",
    )
    return "\n".join(lines)


def _go_template(text: str, document: Json) -> str:
    try:
        template = GoTemplate(text)
    except TemplateError as error:
        raise BadLine(f"error: error parsing template {text}, template: output:1: {error}") from None
    try:
        return template.text_of(document)
    except TemplateError as error:
        raise BadLine(_failed("template", text, f"template: output:1: {error}", document)) from None


def print_columns(spec: str, documents: Sequence[Json], *, with_head: bool) -> str:
    """The table of ``custom-columns=HEAD:PATH,…``. Raises BadLine."""
    if not spec:
        raise BadLine("error: custom-columns format specified but no custom columns given")
    columns = [part.partition(":") for part in spec.split(",")]
    wrong = next((head for head, colon, _ in columns if not colon), None)
    if wrong is not None:
        raise BadLine(f"error: unexpected custom-columns spec: {wrong}, expected <header>:<json-path-expr>")
    try:
        paths = [JSONPath(relaxed(path)) for _, _, path in columns]
        walk = PathWalk()
        rows = [[_cell(path, document, walk) for path in paths] for document in documents]
        # Every cell is padded to the widest of its column.
        if sum(max(map(len, cells)) for cells in zip(*rows, strict=True)) * len(rows) > PRINTED_MAX:
            raise PathError("the table is larger than this command line prints")
    except PathError as error:
        raise BadLine(f"error: {error}") from None
    head = [[head for head, _, _ in columns]] if with_head else []
    return table([*head, *rows]) if head or rows else ""


def _cell(path: JSONPath, document: Json, walk: PathWalk) -> str:
    found = path.results(document, walk)
    return ",".join(walk.print(go_sprint(value)) for results in found for value in results) if found and found[0] else NONE


def sorted_by(wanted: str, documents: Sequence[Json], *, natural: bool) -> list[Json]:
    """The objects sorted by a field, those without it first; ``natural`` compares numbers inside texts by value. Raises BadLine."""
    text = relaxed(wanted)
    try:
        path, walk = JSONPath(text), PathWalk()
        values = [path.results(document, walk) for document in documents]
    except PathError as error:
        raise BadLine(f"error: {error}") from None
    firsts = [found[0][0] if found and found[0] else None for found in values]
    if documents and not any(found and found[0] for found in values):
        raise BadLine(f'error: couldn\'t find any field with path "{text}" in the list of objects')
    key = cmp_to_key(partial(_order, natural=natural))
    places = sorted(range(len(documents)), key=lambda place: key(firsts[place]))
    return [documents[place] for place in places]


def _order(one: Any, other: Any, *, natural: bool) -> int:
    """-1, 0 or 1: numbers by value, texts as quantities if both are, otherwise as text or by their words and numbers."""
    if one is None or other is None:
        return (one is not None) - (other is not None)
    if isinstance(one, str) and isinstance(other, str):
        both = not quantity_problem(one) and not quantity_problem(other)
        as_read = _natural if natural else str
        first, second = (parse(one).nano, parse(other).nano) if both else (as_read(one), as_read(other))
        return (first > second) - (first < second)  # type: ignore[operator]
    if type(one) is type(other) and isinstance(one, int | float):
        return int(one > other) - int(one < other)
    first_text, second_text = go_sprint(one), go_sprint(other)
    return (first_text > second_text) - (first_text < second_text)


def _natural(text: str) -> list[tuple[int, int, str, int]]:
    """A sort key that puts ``web-10`` after ``web-9``."""
    parts = _PARTS.findall(text)
    digits = [part.lstrip("0") if part.isdigit() else "" for part in parts]
    # Without leading zeros, the longer number is the larger one.
    return [(0, len(n), n, len(part)) if part.isdigit() else (1, 0, part, 0) for n, part in zip(digits, parts, strict=True)]
