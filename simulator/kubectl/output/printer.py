"""Printing an object, or a list of them, in the formats that know no columns.

Source: k8s.io/cli-runtime pkg/genericclioptions (print_flags.go and what it composes), pkg/printers.
"""

import json
from collections.abc import Sequence
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.yaml import to_yaml

_KYAML = Span(since=35)
_PLAIN = ("json", "name", "yaml")
_TEMPLATES = ("go-template", "go-template-file", "jsonpath", "jsonpath-as-json", "jsonpath-file", "template", "templatefile")
# Go's encoder escapes these for HTML, and kubectl leaves it at that.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def json_text(value: Any, *, sort: bool = True, indent: int | None = 4) -> str:
    """A value as Go's encoder writes it; ``sort`` as a map is written, else in the order of a type."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, indent=indent, sort_keys=sort, ensure_ascii=False, separators=separators)
    return "".join(_ESCAPES.get(char, char) for char in text)


def bad_format(output: str, known: Sequence[str]) -> BadLine:
    """What the client says of a format that it does not know."""
    allowed = ",".join(sorted(known))
    return BadLine(f'error: unable to match a printer suitable for the output format "{output}", allowed formats are: {allowed}')


def print_object(document: Json, output: str, *, full_name: str, line: Line, sight: Sight) -> str:
    """An object that the client made. Raises BadLine for a format that it does not have."""
    if output == "yaml":
        return to_yaml(document)
    if output == "json":
        return f"{json_text(document, sort=False)}\n"
    if output == "name":
        return f"{full_name}\n"
    known = [*_PLAIN, *_TEMPLATES, *(["kyaml"] if _KYAML.holds_for(sight.minor) else [])]
    raise bad_format(output, known)
