"""The answer to a dry run: nothing was stored, so the object keeps its resourceVersion.

Source: apiserver pkg/registry/generic/registry/dryrun.go.
"""

from msgspec.structs import replace

from simulator.door.exchange import JSON, DoorReply, json_bytes
from simulator.door.writing import Writing
from simulator.engine.kernel.json_text import decode


def unstored(reply: DoorReply, writing: Writing) -> DoorReply:
    """The answer with the resourceVersion from before the write, or without one for a new object. O(answer)."""
    document = decode(reply.body) if reply.content_type == JSON and reply.body else None
    metadata = document.get("metadata") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(metadata, dict) or "resourceVersion" not in metadata:
        return reply
    before = ((writing.before or {}).get("metadata") or {}).get("resourceVersion")
    kept = {key: value for key, value in metadata.items() if key != "resourceVersion" or before}
    document["metadata"] = {**kept, **({"resourceVersion": before} if before else {})}
    return replace(reply, body=json_bytes(document))
