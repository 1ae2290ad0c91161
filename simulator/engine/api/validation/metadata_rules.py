"""Rules for the metadata of a pod."""

from collections.abc import Iterator

from simulator.engine.api.validation.errors import TOO_LONG, FieldError, invalid, required
from simulator.engine.api.validation.names import label_problems, label_value_problems, qualified_name_problems, subdomain_problems
from simulator.engine.api.validation.registry import METADATA, Context, Place, fields, items, rule, text

ANNOTATIONS_BYTES_MAX = 262_144


@rule("NAME-REQUIRED", METADATA)
def name_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod has a name, or a prefix to make one from."""
    metadata = fields(place.value, "metadata")
    if not text(metadata, "name") and not text(metadata, "generateName"):
        yield required("metadata.name", "name or generateName is required")


@rule("NAME-SYNTAX", METADATA)
def name_syntax(place: Place, context: Context) -> Iterator[FieldError]:
    """The name is a DNS subdomain."""
    if name := text(fields(place.value, "metadata"), "name"):
        yield from (invalid("metadata.name", name, problem) for problem in subdomain_problems(name))


@rule("GENERATE-NAME-SYNTAX", METADATA)
def generate_name_syntax(place: Place, context: Context) -> Iterator[FieldError]:
    """The prefix is checked as a name whose trailing hyphen stands for more to come."""
    prefix = text(fields(place.value, "metadata"), "generateName")
    if prefix:
        masked = prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix
        yield from (invalid("metadata.generateName", prefix, problem) for problem in subdomain_problems(masked))


@rule("NAMESPACE-SYNTAX", METADATA)
def namespace_syntax(place: Place, context: Context) -> Iterator[FieldError]:
    """The namespace is a DNS label."""
    if namespace := text(fields(place.value, "metadata"), "namespace"):
        yield from (invalid("metadata.namespace", namespace, problem) for problem in label_problems(namespace))


@rule("LABELS", METADATA)
def labels(place: Place, context: Context) -> Iterator[FieldError]:
    """Label keys are qualified names, values short."""
    for key, value in fields(fields(place.value, "metadata"), "labels").items():
        yield from (invalid("metadata.labels", key, problem) for problem in qualified_name_problems(key))
        if isinstance(value, str):
            yield from (invalid("metadata.labels", value, problem) for problem in label_value_problems(value))


@rule("ANNOTATION-KEYS", METADATA)
def annotation_keys(place: Place, context: Context) -> Iterator[FieldError]:
    """Annotation keys are qualified names, letter case aside."""
    for key in fields(fields(place.value, "metadata"), "annotations"):
        yield from (invalid("metadata.annotations", key, problem) for problem in qualified_name_problems(key.lower()))


def _annotation_bytes(place: Place) -> int:
    annotations = fields(fields(place.value, "metadata"), "annotations")
    return sum(len(key.encode()) + len(str(value or "").encode()) for key, value in annotations.items())


@rule("ANNOTATION-SIZE", METADATA, since=32)
def annotation_size(place: Place, context: Context) -> Iterator[FieldError]:
    """All annotations together stay below 256 KiB."""
    if _annotation_bytes(place) > ANNOTATIONS_BYTES_MAX:
        detail = f"may not be more than {ANNOTATIONS_BYTES_MAX} bytes"
        yield FieldError(type=TOO_LONG, field="metadata.annotations", detail=detail)


@rule("ANNOTATION-SIZE-1.31", METADATA, until=31)
def annotation_size_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    if _annotation_bytes(place) > ANNOTATIONS_BYTES_MAX:
        detail = f"must have at most {ANNOTATIONS_BYTES_MAX} bytes"
        yield FieldError(type=TOO_LONG, field="metadata.annotations", detail=detail)


@rule("OWNERS", METADATA)
def owners(place: Place, context: Context) -> Iterator[FieldError]:
    """Owner references name their owner fully."""
    for index, owner in items(fields(place.value, "metadata"), "ownerReferences"):
        for key, word in (("apiVersion", "version"), ("kind", "kind"), ("name", "name"), ("uid", "uid")):
            if not text(owner, key):
                yield invalid(f"metadata.ownerReferences[{index}].{key}", "", f"{word} must not be empty")
