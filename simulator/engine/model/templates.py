"""How often the pod template of a DaemonSet has changed, in an annotation maintained by the API server.

Source: pkg/apis/apps/v1/conversion.go, pkg/registry/apps/daemonset/strategy.go PrepareForCreate, PrepareForUpdate.
"""

from simulator.engine.kernel.json_text import Json

TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


def with_template_generation(document: Json, old: Json | None = None) -> Json:
    """A DaemonSet with its count: that of ``old``, plus one if the template has changed. A client's own value is ignored."""
    count = 1
    if old is not None:
        held = ((old.get("metadata") or {}).get("annotations") or {}).get(TEMPLATE_GENERATION) or "0"
        count = int(held) if str(held).isdecimal() else 0
        count += _template(document) != _template(old)
    metadata = document.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), TEMPLATE_GENERATION: str(count)}
    return {**document, "metadata": {**metadata, "annotations": annotations}}


def _template(document: Json) -> object:
    return (document.get("spec") or {}).get("template")
