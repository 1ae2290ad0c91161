"""``kubectl get``: tables, or objects as YAML, JSON and names."""

from collections.abc import Iterable, Sequence
from typing import Any

from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.align import table
from simulator.kubectl.find import Picked, missing_text, namespace_of, pick
from simulator.kubectl.line import BadLine, EndedWith, Line
from simulator.kubectl.output.formats import format_of, is_template, print_columns, print_template, sorted_by
from simulator.kubectl.output.managed import with_managers
from simulator.kubectl.output.texts import bad_format, json_text
from simulator.kubectl.tables.by_kind import columns_of
from simulator.kubectl.tables.model import AGE, NAME, Column, Sight, joined
from simulator.kubectl.yaml import to_yaml

FORMATS = ("json", "name", "wide", "yaml")
"""The formats without a template."""
_TEMPLATE_FORMATS = (
    *("custom-columns", "custom-columns-file", "go-template", "go-template-file", "jsonpath", "jsonpath-as-json", "jsonpath-file"),
    *("template", "templatefile"),
)
_HEALTH = ("/healthz", "/livez", "/readyz")
_KYAML = Span(since=35)
_WATCHES_NOTHING = Span(since=34)
"""The kubectl versions in which --ignore-not-found waits for an object that does not exist yet; seen with 1.32, 1.34 and 1.36."""
_ASK = """You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported resources.

error: Required resource not specified.
Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).
See 'kubectl get -h' for help and examples
"""


def get(line: Line, sight: Sight) -> str:
    """The output of ``kubectl get``, followed by any errors. Raises BadLine."""
    if line.value("raw"):
        return _raw(line)
    if not line.words and not line.sent:
        raise EndedWith(_ASK)
    picked = [_sorted(item, line, natural=sight.facts.natural_sort) for item in pick(line, sight)]
    is_ignored = line.has("ignore-not-found") and (not line.watches or _WATCHES_NOTHING.holds_for(sight.minor))
    errors = [] if is_ignored else [text for item in picked for text in missing_text(item)]
    text = "".join([_shown(picked, line, sight, failed=bool(errors)), *(f"{text}\n" for text in errors)])
    if errors:
        raise EndedWith(text)
    return text


def _raw(line: Line) -> str:
    """What the API server answers at a path; only its health endpoints are supported. Raises BadLine."""
    if line.words:
        raise BadLine("error: arguments may not be passed when --raw is specified")
    if line.value("raw").rstrip("/") not in _HEALTH:
        raise BadLine(f"error: of get --raw this command line knows {', '.join(_HEALTH)}; a kubectl of your own at this run gets the rest")
    return "ok"


def _shown(picked: list[Picked], line: Line, sight: Sight, *, failed: bool) -> str:
    output, template = format_of(line)
    if output not in ("", *FORMATS, *_TEMPLATE_FORMATS):
        raise bad_format(output, [*FORMATS, *_TEMPLATE_FORMATS, *(["kyaml"] if _KYAML.holds_for(sight.minor) else [])])
    if output in ("json", "yaml"):
        return _objects(picked, output, line, sight)
    if is_template(output):
        document = _document(picked, line, sight)
        return print_template(output, template, document) if document is not None else ""
    if output.startswith("custom-columns"):
        return _custom_columns(picked, output, template, line, sight)
    if output == "name":
        return "".join(f"{_full_name(item, document)}\n" for item in picked for document in item.items)
    full = [item for item in picked if item.items]
    if not full:
        return "" if failed or line.has("ignore-not-found") else nothing_found(picked, line, sight)
    # If there are several tables, only the kind in front of each name tells the objects apart.
    several = len(picked) > 1 or len(line.sent) > 1 or line.has("show-kind")
    return "\n".join(print_table(item, line, sight, with_kind=several) for item in full)


def nothing_found(picked: Iterable[Picked], line: Line, sight: Sight) -> str:
    """``No resources found``, with the namespace if one was asked for."""
    space = namespace_of(line, sight)
    if not space or not all(item.info.namespaced for item in picked):
        return "No resources found\n"
    return f"No resources found in {space} namespace.\n"


def _full_name(item: Picked, document: Json) -> str:
    """``pod/web``, ``deployment.apps/web``."""
    group = f".{item.info.group}" if item.info.group else ""
    return f"{item.info.singular}{group}/{document['metadata']['name']}"


def _objects(picked: list[Picked], output: str, line: Line, sight: Sight) -> str:
    document = _document(picked, line, sight)
    return _text(document, output) if document is not None else ""


def _document(picked: list[Picked], line: Line, sight: Sight) -> Json | None:
    """The object to print: a single one if it was asked for by name, otherwise the List of what was found."""
    found = [with_managers(document, line, sight) for item in picked for document in item.items]
    by_name = [name for item in picked if not item.is_list for name in (*item.items, *item.missing)]
    # A single object asked for by name is printed as it is; anything else as a List.
    if len(found) == 1 and len(by_name) == 1 and not any(item.is_list for item in picked):
        return found[0]
    if not found and not any(item.is_list for item in picked):
        return None
    metadata = {"resourceVersion": ""}
    if sight.facts.self_link:
        metadata["selfLink"] = ""
    return {"apiVersion": "v1", "items": found, "kind": "List", "metadata": metadata}


def _custom_columns(picked: list[Picked], output: str, spec: str, line: Line, sight: Sight) -> str:
    if output == "custom-columns-file":
        raise BadLine(f"error: error reading template {spec}, open {spec}: no such file or directory")
    documents = [with_managers(document, line, sight) if "managed" in spec else document for item in picked for document in item.items]
    if not documents and not any(item.is_list for item in picked):
        return ""
    return print_columns(spec, documents, with_head=not line.has("no-headers"))


def _text(document: Json, output: str) -> str:
    return to_yaml(document) if output == "yaml" else f"{json_text(document)}\n"


def print_table(item: Picked, line: Line, sight: Sight, *, with_kind: bool = False) -> str:
    """One kind's table, with the columns that the flags add."""
    return rows_of(table_columns(item, line, sight, with_kind=with_kind), item.items, sight, with_head=not line.has("no-headers"))


def table_columns(item: Picked, line: Line, sight: Sight, *, with_kind: bool = False, event: str = "ADDED") -> list[Column]:
    """The columns of one kind's table; ``event`` is the watch event that ``--output-watch-events`` prints for its rows."""
    columns = list(columns_of(item.info.kind, sight.minor, wide=line.value("output") == "wide"))
    if line.value("server-print") == "false":
        # On its own the client knows no more about an object than its name and age.
        columns = [NAME, AGE]
    if with_kind:
        columns = [Column(column.head, _prefixed(item, column)) if column.head == "NAME" else column for column in columns]
    if item.info.namespaced and not namespace_of(line, sight):
        columns.insert(0, Column("NAMESPACE", lambda document, sight: str(document["metadata"].get("namespace") or "")))
    columns += [_label_column(key) for key in filter(None, line.value("label-columns").split(","))]
    if line.has("show-labels"):
        columns.append(Column("LABELS", lambda document, sight: joined(document["metadata"].get("labels"))))
    if line.watches and line.has("output-watch-events"):
        columns.insert(0, Column("EVENT", lambda document, sight: event))
    return columns


def rows_of(columns: Sequence[Column], documents: Iterable[Json], sight: Sight, *, with_head: bool = True) -> str:
    """The table of these objects with these columns."""
    rows = [tuple(column.cell(document, sight) for column in columns) for document in documents]
    head = [tuple(column.head for column in columns)] if with_head else []
    return table([*head, *rows]) if head or rows else ""


def _prefixed(item: Picked, column: Column) -> Any:
    return lambda document, sight: _full_name(item, document)


def _label_column(key: str) -> Column:
    head = key.rpartition("/")[2].upper()
    return Column(head, lambda document, sight: str((document["metadata"].get("labels") or {}).get(key, "")))


def _sorted(item: Picked, line: Line, *, natural: bool) -> Picked:
    """The objects sorted by ``--sort-by``, a path such as ``.metadata.creationTimestamp``."""
    wanted = line.value("sort-by")
    return Picked(item.info, tuple(sorted_by(wanted, item.items, natural=natural)), item.missing, item.is_list) if wanted else item
