"""The table of Events, and the one of ``kubectl events``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms
from simulator.engine.model.times import parse_time
from simulator.kubectl.tables.model import Column, Sight, at, text_at


def first_seen(document: Json, sight: Sight) -> str:
    """How long ago the Event was first seen."""
    return sight.since(document.get("firstTimestamp") or _second(document.get("eventTime")))


def last_seen(document: Json, sight: Sight) -> str:
    """How long ago the Event was last seen."""
    # An Event of the new API may have only ``eventTime``.
    return sight.since(document["lastTimestamp"]) if document.get("lastTimestamp") else first_seen(document, sight)


def last_ms(document: Json) -> Ms:
    """When the Event was last seen, in milliseconds since 1970."""
    return parse_time(document.get("lastTimestamp") or document.get("firstTimestamp") or _second(document.get("eventTime")))


def _second(text: str | None) -> str:
    return f"{(text or '1970-01-01T00:00:00Z').partition('.')[0].removesuffix('Z')}Z"


def involved(document: Json, sight: Sight | None = None) -> str:
    """The object it is about: ``pod/web-0``."""
    return f"{str(at(document, 'involvedObject', 'kind')).lower()}/{at(document, 'involvedObject', 'name')}"


def _involved_kind(document: Json, sight: Sight) -> str:
    """``Pod/web-0``: ``kubectl events`` prints the kind unchanged (pkg/cmd/events/event_printer.go)."""
    return f"{at(document, 'involvedObject', 'kind')}/{at(document, 'involvedObject', 'name')}"


def source(document: Json, sight: Sight) -> str:
    """``kubelet, node1``, or the reporting component if there is no source."""
    component, host = at(document, "source", "component"), at(document, "source", "host")
    if component:
        return f"{component}, {host}" if host else str(component)
    reporter, instance = document.get("reportingComponent"), document.get("reportingInstance")
    return ", ".join(str(part) for part in (reporter, instance) if part)


def message(document: Json, sight: Sight) -> str:
    """The message without surrounding whitespace."""
    return str(document.get("message") or "").strip()


EVENTS = (
    Column("LAST SEEN", last_seen),
    Column("TYPE", text_at("type", default="")),
    Column("REASON", text_at("reason", default="")),
    Column("OBJECT", involved),
    Column("SUBOBJECT", text_at("involvedObject", "fieldPath", default=""), wide=True),
    Column("SOURCE", source, wide=True),
    Column("MESSAGE", message),
    Column("FIRST SEEN", first_seen, wide=True),
    Column("COUNT", text_at("count", default="1"), wide=True),
    Column("NAME", text_at("metadata", "name", default=""), wide=True),
)


def _last_with_count(document: Json, sight: Sight) -> str:
    count = document.get("count") or 1
    return f"{last_seen(document, sight)} (x{count} over {first_seen(document, sight)})" if count > 1 else last_seen(document, sight)


EVENTS_COMMAND = (
    Column("LAST SEEN", _last_with_count),
    Column("TYPE", text_at("type", default="")),
    Column("REASON", text_at("reason", default="")),
    Column("OBJECT", _involved_kind),
    Column("MESSAGE", message),
)
