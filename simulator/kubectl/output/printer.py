"""Print an object, or a list of objects, in the formats without columns.

Source: k8s.io/cli-runtime pkg/genericclioptions (print_flags.go and what it composes), pkg/printers.
"""

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.line import Line
from simulator.kubectl.output.formats import format_of, is_template, print_template
from simulator.kubectl.output.texts import bad_format, json_text
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.yaml import to_yaml

_KYAML = Span(since=35)
_PLAIN = ("json", "name", "yaml")
_TEMPLATES = ("go-template", "go-template-file", "jsonpath", "jsonpath-as-json", "jsonpath-file", "template", "templatefile")


def print_object(document: Json, output: str, *, full_name: str, line: Line, sight: Sight) -> str:
    """The text of an object that the client built. Raises BadLine for a format the client does not have."""
    if output == "yaml":
        return to_yaml(document)
    if output == "json":
        return f"{json_text(document, sort=False)}\n"
    if output == "name":
        return f"{full_name}\n"
    name, text = format_of(line)
    if is_template(name):
        return print_template(name, text, document)
    known = [*_PLAIN, *_TEMPLATES, *(["kyaml"] if _KYAML.holds_for(sight.minor) else [])]
    raise bad_format(output, known)
