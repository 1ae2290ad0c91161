"""The annotation that says what containers do if their image does not tell.

``podscope.dev/behaviour`` holds a YAML map of container name to behaviour block (see
``simulator.engine.containers.declared``). It is an annotation so that the manifest stays valid on a real cluster.

The value is a text inside the manifest's text, so problems need two translations: the line within the annotation is
added to the line on which its text begins, which for a block scalar is the line below the key. The engine reads JSON;
``in_json`` rewrites the value, while the document keeps what the user wrote.
"""

import json
from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.wire.field_paths import child
from simulator.engine.containers.declared import BadBehaviour, parse_block
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import ERROR, WARNING, Problem
from simulator.manifests.read.loader import Loaded, RawDocument, load
from simulator.manifests.texts import _

ANNOTATION = "podscope.dev/behaviour"
_GROUPS = ("containers", "initContainers", "ephemeralContainers")


def annotation_path(pod_path: str) -> str:
    """The field path of the annotation in a document whose pod is at ``pod_path`` ("" or ending with a dot)."""
    return child(f"{pod_path}metadata.annotations", ANNOTATION)


def annotation_text(pod: dict[str, Any]) -> str | None:
    """The annotation's value, or None."""
    metadata = pod.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    text = annotations.get(ANNOTATION) if isinstance(annotations, dict) else None
    return text if isinstance(text, str) else None


def check_behaviour(pod: dict[str, Any], document: RawDocument, *, path: str) -> Iterator[Problem | Finding]:
    """Problems with the annotation at ``path``, with the line inside it if its text is at fault. Cost: O(annotation)."""
    text = annotation_text(pod)
    if text is None:
        return
    loaded = load(text)
    start = _first_line(document, path)
    for problem in loaded.problems:
        yield Problem(
            severity=problem.severity,
            message=problem.message,
            code="behaviour",
            line=start + problem.line - 1,
            document=document.index,
            path=path,
        )
    blocks = _blocks(loaded)
    if blocks is None:
        if not loaded.problems:
            yield Finding(path=path, message=_("the behaviour must be a map of container names"), code="behaviour", at_key=True)
        return
    for name, block in blocks.items():
        inner, message, severity = _block_problem(name, block, pod)
        if message:
            line = start + loaded.documents[0].locate(inner, key=True)[0] - 1
            yield Problem(severity=severity, message=message, code="behaviour", line=line, document=document.index, path=path)


def _block_problem(name: str, block: Any, pod: dict[str, Any]) -> tuple[str, str, str]:
    """(path inside the annotation, message, severity) for a block; the message is empty if the block is valid."""
    inner = child("", name)
    try:
        parse_block(json.dumps(block))
    except BadBehaviour as error:
        return f"{inner}.{error.path}" if error.path else inner, f"{name}: {error}", ERROR
    if name not in _container_names(pod):
        # Only a warning: the block has no effect, but a real cluster would accept the manifest.
        return inner, _('the pod has no container "%s"') % name, WARNING
    return inner, "", ""


def _container_names(pod: dict[str, Any]) -> set[Any]:
    spec = pod.get("spec")
    groups = [spec.get(group) or [] for group in _GROUPS] if isinstance(spec, dict) else []
    return {item.get("name") for group in groups if isinstance(group, list) for item in group if isinstance(item, dict)}


def in_json(pod: dict[str, Any]) -> dict[str, Any]:
    """The pod with its annotation rewritten as JSON, or the pod itself if there is nothing to rewrite."""
    text = annotation_text(pod)
    blocks = _blocks(load(text)) if text is not None else None
    if blocks is None:
        return pod
    annotations = {**pod["metadata"]["annotations"], ANNOTATION: json.dumps(blocks, ensure_ascii=False)}
    return {**pod, "metadata": {**pod["metadata"], "annotations": annotations}}


def with_behaviours_in_json(document: dict[str, Any], template: str) -> dict[str, Any]:
    """An object with the annotation of its pod rewritten as JSON; ``template`` is the path of the pod template
    (``spec.template``), empty for a pod itself."""
    if not template:
        return in_json(document)
    field, _, rest = template.partition(".")
    inner = document.get(field)
    if not isinstance(inner, dict):
        return document
    changed = with_behaviours_in_json(inner, rest)
    return document if changed is inner else {**document, field: changed}


def _blocks(loaded: Loaded) -> dict[str, Any] | None:
    if len(loaded.documents) != 1 or loaded.problems:
        return None
    value = loaded.documents[0].value
    return value if isinstance(value, dict) else None


def _first_line(document: RawDocument, path: str) -> int:
    """The line on which the annotation's text begins; a block scalar begins on the line below its key."""
    node = document.node_at(path)
    return document.locate(path)[0] + (1 if node is not None and node.block else 0)
