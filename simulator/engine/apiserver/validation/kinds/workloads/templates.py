"""Pod templates of workloads: the rules of pods, with paths in the workload, except those that only pods have."""

from collections.abc import Iterator

from msgspec import structs

from simulator.engine.apiserver.validation.errors import FieldError, forbidden
from simulator.engine.apiserver.validation.kinds.common import list_in
from simulator.engine.apiserver.validation.pod.whole import validate_pod
from simulator.engine.apiserver.validation.pod_rules import Fields, Rule, fields, items, text
from simulator.engine.model.kinds import KINDS
from simulator.engine.versions.release import Release

_METADATA = ("metadata.labels", "metadata.annotations")
_EPHEMERAL = "spec.ephemeralContainers"


def pod_template(document: Fields) -> Fields | None:
    """The pod template of a workload, or None."""
    info = KINDS.get(text(document, "kind"))
    if info is None or not info.template:
        return None
    *path, last = info.template.split(".")
    value = document
    for step in path:
        value = fields(value, step)
    template = value.get(last)
    return template if isinstance(template, dict) else None


def template_errors(document: Fields, *, release: Release) -> Iterator[tuple[Rule, FieldError]]:
    """The errors of the template of a workload by the rules of pods, with paths of the whole document."""
    template = pod_template(document)
    if template is None:
        return
    path = KINDS[text(document, "kind")].template
    for rule, error in validate_pod(_as_pod(document, template), release=release):
        if (found := _in_template(rule, error)) is not None:
            yield rule, structs.replace(found, field=f"{path}.{found.field}")


def _as_pod(document: Fields, template: Fields) -> Fields:
    """The pod that the template describes; the claims of a StatefulSet are volumes of it."""
    spec = dict(fields(template, "spec"))
    claims = list_in(fields(document, "spec"), "volumeClaimTemplates")
    names = [text(fields(claim, "metadata"), "name") for claim in claims if isinstance(claim, dict)]
    if names:
        others = [volume for _, volume in items(spec, "volumes") if text(volume, "name") not in names]
        # So that mounts of claim templates find a volume; the controller adds them in the same way.
        own = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names if name]
        spec["volumes"] = [*others, *own]
    # A template has no name of its own; the stand-in keeps the rule about names silent.
    metadata = {key: value for key, value in fields(template, "metadata").items() if key in ("labels", "annotations")}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "name": "template"}, "spec": spec}


def _in_template(rule: Rule, error: FieldError) -> FieldError | None:
    """The error as it is reported for a template; None if templates do not have the rule."""
    if error.field == _EPHEMERAL:
        return forbidden(_EPHEMERAL, "ephemeral containers not allowed in pod template")
    # In a template's metadata upstream validates labels and annotations, at paths without metadata.
    if error.field.startswith(_METADATA):
        return structs.replace(error, field=error.field.removeprefix("metadata."))
    return None if rule.pods_only or error.field.startswith("metadata.") else error
