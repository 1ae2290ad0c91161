"""Rules for the metadata of a new object (apimachinery pkg/api/validation/objectmeta.go)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, required, too_long
from simulator.engine.apiserver.validation.names import (
    label_problems,
    label_value_problems,
    masked,
    qualified_name_problems,
    subdomain_problems,
)
from simulator.engine.apiserver.validation.pod_rules import METADATA, Context, Fields, Place, fields, items, number, rule, text, texts
from simulator.engine.apiserver.validation.printed import listed, structure, structures

ANNOTATIONS_BYTES_MAX = 262_144
STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_OWNER_PARTS = (("apiVersion", "version"), ("kind", "kind"), ("name", "name"), ("uid", "uid"))


def _metadata(place: Place) -> Fields:
    return fields(place.value, "metadata")


@rule("GENERATE-NAME-SYNTAX", METADATA, of="generateName")
def generate_name_syntax(place: Place, context: Context) -> Iterator[FieldError]:
    """The prefix is checked as a name whose trailing hyphen stands for more to come."""
    if prefix := text(_metadata(place), "generateName"):
        yield from (invalid("metadata.generateName", prefix, problem) for problem in subdomain_problems(masked(prefix)))


@rule("NAME-REQUIRED", METADATA)
def name_required(place: Place, context: Context) -> Iterator[FieldError]:
    """An object has a name, or a prefix to generate one from."""
    metadata = _metadata(place)
    if not text(metadata, "name") and not text(metadata, "generateName"):
        yield required("metadata.name", "name or generateName is required")


@rule("NAME-SYNTAX", METADATA, of="name")
def name_syntax(place: Place, context: Context) -> Iterator[FieldError]:
    """The name is a DNS subdomain."""
    if name := text(_metadata(place), "name"):
        yield from (invalid("metadata.name", name, problem) for problem in subdomain_problems(name))


@rule("NAMESPACE-REQUIRED", METADATA, defaulted=True)
def namespace_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The request's namespace has been filled in."""
    if not text(_metadata(place), "namespace"):
        yield required("metadata.namespace")


@rule("NAMESPACE-SYNTAX", METADATA)
def namespace_syntax(place: Place, context: Context) -> Iterator[FieldError]:
    """The namespace is a DNS label."""
    if namespace := text(_metadata(place), "namespace"):
        yield from (invalid("metadata.namespace", namespace, problem) for problem in label_problems(namespace))


@rule("GENERATION", METADATA)
def generation(place: Place, context: Context) -> Iterator[FieldError]:
    """The generation is not negative."""
    value = number(_metadata(place), "generation")
    if value is not None and value < 0:
        yield invalid("metadata.generation", value, "must be greater than or equal to 0")


@rule("LABELS", METADATA, of="labels")
def labels(place: Place, context: Context) -> Iterator[FieldError]:
    """Label keys are qualified names, values are short."""
    yield from label_errors(fields(_metadata(place), "labels"), "metadata.labels")


def label_errors(written: Fields, field: str) -> Iterator[FieldError]:
    """What is wrong with a map of labels."""
    for key, value in written.items():
        yield from (invalid(field, key, problem) for problem in qualified_name_problems(key))
        if isinstance(value, str):
            yield from (invalid(field, value, problem) for problem in label_value_problems(value))


@rule("ANNOTATION-KEYS", METADATA, of="annotations")
def annotation_keys(place: Place, context: Context) -> Iterator[FieldError]:
    """Annotation keys are qualified names, ignoring case."""
    for key in fields(_metadata(place), "annotations"):
        # Lower-cased first, as upstream does: annotation keys may have capitals in their prefix.
        yield from (invalid("metadata.annotations", key, problem) for problem in qualified_name_problems(key.lower()))


def _annotation_bytes(place: Place) -> int:
    annotations = fields(_metadata(place), "annotations")
    return sum(len(key.encode()) + len(str(value or "").encode()) for key, value in annotations.items())


@rule("ANNOTATION-SIZE", METADATA, since=32, of="annotations")
def annotation_size(place: Place, context: Context) -> Iterator[FieldError]:
    """All annotations together stay below 256 KiB."""
    if _annotation_bytes(place) > ANNOTATIONS_BYTES_MAX:
        yield too_long("metadata.annotations", f"may not be more than {ANNOTATIONS_BYTES_MAX} bytes")


@rule("ANNOTATION-SIZE-1.31", METADATA, until=31, of="annotations")
def annotation_size_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same with the older text."""
    if _annotation_bytes(place) > ANNOTATIONS_BYTES_MAX:
        yield too_long("metadata.annotations", f"must have at most {ANNOTATIONS_BYTES_MAX} bytes")


@rule("OWNERS", METADATA, since=34, of="ownerReferences")
def owners(place: Place, context: Context) -> Iterator[FieldError]:
    """Owner references identify their owner completely, and Events own nothing."""
    for index, owner in items(_metadata(place), "ownerReferences"):
        yield from _owner_errors(owner, f"metadata.ownerReferences[{index}]", context)


@rule("OWNERS-1.33", METADATA, until=33, of="ownerReferences")
def owners_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, reported for the list."""
    for _, owner in items(_metadata(place), "ownerReferences"):
        yield from _owner_errors(owner, "metadata.ownerReferences", context)


def _owner_errors(owner: Fields, path: str, context: Context) -> Iterator[FieldError]:
    for key, word in _OWNER_PARTS:
        value = text(owner, key)
        # A version that does not parse is reported as an empty one.
        if not value or (key == "apiVersion" and (value.endswith("/") or value.count("/") > 1)):
            yield invalid(f"{path}.{key}", value, f"{word} must not be empty")
    if text(owner, "apiVersion") == "v1" and text(owner, "kind") == "Event":
        yield invalid(path, structure("OwnerReference", owner, context), "/v1, Kind=Event is disallowed from being an owner")


@rule("ONE-CONTROLLER", METADATA, of="ownerReferences")
def one_controller(place: Place, context: Context) -> Iterator[FieldError]:
    """At most one owner is the controller."""
    first = ""
    for _, owner in items(_metadata(place), "ownerReferences"):
        if owner.get("controller") is not True:
            continue
        name = f"{text(owner, 'kind')}/{text(owner, 'name')}"
        if first:
            found = f'Found "true" in references for {first} and {name}'
            references = structures("OwnerReference", [owner for _, owner in items(_metadata(place), "ownerReferences")], context)
            yield invalid("metadata.ownerReferences", references, f"Only one reference can have Controller set to true. {found}")
        first = first or name


@rule("FINALIZERS", METADATA, of="finalizers")
def finalizers(place: Place, context: Context) -> Iterator[FieldError]:
    """Finalizers are qualified names, and at most one decides what happens to dependents."""
    names = texts(_metadata(place), "finalizers")
    for name in names:
        yield from (invalid("metadata.finalizers", name, problem) for problem in qualified_name_problems(name))
    if "orphan" in names and "foregroundDeletion" in names:
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid("metadata.finalizers", listed(names, context), detail)


@rule("FINALIZERS-QUALIFIED", METADATA, of="finalizers")
def finalizers_qualified(place: Place, context: Context) -> Iterator[FieldError]:
    """A custom finalizer has a domain."""
    for index, name in enumerate(texts(_metadata(place), "finalizers")):
        if "/" not in name and name not in STANDARD_FINALIZERS:
            detail = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid(f"metadata.finalizers[{index}]", name, detail)
