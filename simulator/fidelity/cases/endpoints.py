"""Family ``endpoints``: the endpoint of a pod in the slices of a Service. The controller of a run calls the same function."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.objects import service_from_document
from simulator.engine.model.status_json import to_status
from simulator.engine.model.times import parse_time
from simulator.engine.network.endpoints import as_json, endpoint_of, has_place
from simulator.engine.versions import resolve
from simulator.engine.versions.minors import minor_number
from simulator.engine.versions.release import release_of
from simulator.engine.versions.usual import JUDGED
from simulator.engine.world.rows import PodRow

KUBERNETES = JUDGED
"""The version for cases that name none."""


def evaluate(case: Json) -> Json:
    """The endpoint as JSON; empty for a pod that is not among the endpoints."""
    version = str(case.get("kubernetes") or KUBERNETES)
    profile, release = resolve(version), release_of(minor_number(version))
    document, service = case["pod"], service_from_document(case["service"])
    pod = pod_from_document(document)
    metadata, status = document["metadata"], to_status(document.get("status"))
    deleted = metadata.get("deletionTimestamp")
    row = PodRow(
        key=f"{metadata.get('namespace')}/{metadata.get('name')}", namespace=metadata.get("namespace") or "default",
        name=metadata.get("name") or "", uid=metadata.get("uid") or "", pod=pod, document="{}", created_ms=0, status=status,
        node=(document.get("spec") or {}).get("nodeName") or "", deletion_ms=parse_time(deleted) if deleted else None,
    )  # fmt: skip
    if not has_place(row, terminating=service.spec.publish_not_ready_addresses or profile.endpoint_terminating):
        return {}
    labels = ((case.get("node") or {}).get("metadata") or {}).get("labels") or {}
    found: Json = as_json(endpoint_of(row, service, profile, release, labels))
    return found
