"""The pod's document as its author could have sent it: without what the cluster added and what the simulation writes itself."""

import copy
import json
from typing import Any

from simulator.imports.read import SeenPod

_OF_THE_SERVER = (
    "managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink", "deletionTimestamp",
    "deletionGracePeriodSeconds",
)  # fmt: skip
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
# kube-api-access- since 1.21; before that the Secret of the default account.
_TOKEN_PREFIXES = ("kube-api-access-", "default-token-")
ANNOTATION = "podscope.dev/behaviour"


def bare_document(pod: SeenPod) -> dict[str, Any]:
    """A copy without status, server fields, node and service account token, which the cluster adds to every pod."""
    document: dict[str, Any] = copy.deepcopy({key: value for key, value in pod.document.items() if key != "status"})
    document["apiVersion"], document["kind"] = "v1", "Pod"
    document["metadata"] = {key: value for key, value in document["metadata"].items() if key not in _OF_THE_SERVER}
    spec = document["spec"]
    spec.pop("nodeName", None)
    _drop_token(spec)
    return document


def _drop_token(spec: dict[str, Any]) -> None:
    volumes = spec.get("volumes")
    if not isinstance(volumes, list):
        return
    added = {str(item.get("name")) for item in volumes if str(item.get("name")).startswith(_TOKEN_PREFIXES)}
    spec["volumes"] = [item for item in volumes if str(item.get("name")) not in added]
    if not spec["volumes"]:
        del spec["volumes"]
    for group in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(group) or ():
            mounts = [
                item
                for item in container.get("volumeMounts") or ()
                if item.get("mountPath") != _TOKEN_PATH or str(item.get("name")) not in added
            ]
            if mounts:
                container["volumeMounts"] = mounts
            else:
                container.pop("volumeMounts", None)


def document_text(pod: SeenPod, blocks: dict[str, Any]) -> str:
    """The document's JSON text, with the assumed behaviour of its containers in an annotation; an annotation of its own stays."""
    document = bare_document(pod)
    if blocks:
        annotations = document["metadata"].setdefault("annotations", {})
        annotations[ANNOTATION] = json.dumps(blocks, ensure_ascii=False)
    return json.dumps(document, ensure_ascii=False)
