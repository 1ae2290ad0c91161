"""``kubectl events``: the Events of a namespace in the order in which they were last seen."""

from simulator.engine.apiserver.documents.event import event_documents
from simulator.engine.kernel.json_text import Json
from simulator.kubectl.find import find_kind, namespace_of
from simulator.kubectl.get_objects import rows_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.output.texts import json_text
from simulator.kubectl.tables.events import EVENTS_COMMAND, involved, last_ms
from simulator.kubectl.tables.model import Column, Sight
from simulator.kubectl.yaml import to_yaml


def events(line: Line, sight: Sight) -> str:
    """The output of ``kubectl events``. Raises BadLine."""
    if not sight.facts.events_command:
        raise BadLine('error: unknown command "events" for "kubectl"')
    space = namespace_of(line, sight)
    found = [item for item in event_documents(sight.world, sight.now_ms) if space in ("", item["metadata"]["namespace"])]
    # ``get events`` keeps the order of the list instead.
    found = sorted((item for item in found if _fits(item, line, sight)), key=last_ms)
    if line.value("output") == "name":
        return "".join(f"event/{item['metadata']['name']}\n" for item in found)
    if line.value("output") in ("json", "yaml"):
        whole = {"apiVersion": "v1", "items": found, "kind": "List", "metadata": {"resourceVersion": ""}}
        return to_yaml(whole) if line.value("output") == "yaml" else f"{json_text(whole)}\n"
    if line.value("output") not in ("", "wide"):
        raise BadLine(f"error: this command line prints events as a table, as json, as yaml or as names, not as {line.value('output')}")
    if not found:
        return f"No events found in {space} namespace.\n" if space else "No events found.\n"
    columns = list(EVENTS_COMMAND)
    if not space:
        columns.insert(0, Column("NAMESPACE", lambda document, sight: str(document["metadata"]["namespace"])))
    return rows_of(columns, found, sight, with_head=not line.has("no-headers"))


def _fits(item: Json, line: Line, sight: Sight) -> bool:
    about, types = line.value("for"), line.value("types")
    if about:
        kind, slash, name = about.partition("/")
        if not slash:
            raise BadLine("error: --for must be in resource/name form")
        if involved(item) != f"{find_kind(kind, sight).singular}/{name}":
            return False
    return not types or str(item.get("type")).lower() in types.lower().split(",")
