"""Rules for the variables of a container."""

from collections.abc import Callable, Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_found_value, required
from simulator.engine.apiserver.validation.names import (
    config_key_problems,
    env_name_problems,
    label_problems,
    masked,
    old_env_name_problems,
    subdomain_problems,
)
from simulator.engine.apiserver.validation.paths import backstep_errors
from simulator.engine.apiserver.validation.pod.downward import env_field_errors, resource_field_errors
from simulator.engine.apiserver.validation.pod_rules import ENV, ENV_FROM, SPEC, Context, Fields, Place, fields, items, rule, text, visited

_SOURCES = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef")
_SOURCES_WITH_FILES = (*_SOURCES, "fileKeyRef")
_NONE = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
_NONE_WITH_FILES = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
_SEVERAL = "may not have more than one field specified at a time"
_AND_VALUE = "may not be specified when `value` is not empty"

Problems = Callable[[str], list[str]]


@rule("ENV-NAME-REQUIRED", ENV)
def name_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a name."""
    if not text(place.value, "name"):
        yield required(f"{place.path}.name")


def _name_errors(place: Place, key: str, problems: Problems) -> Iterator[FieldError]:
    if value := text(place.value, key):
        yield from (invalid(f"{place.path}.{key}", value, problem) for problem in problems(value))


@rule("ENV-NAME", ENV, since_gate="RelaxedEnvironmentVariableValidation")
def env_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable's name is printable ASCII without an equals sign."""
    return _name_errors(place, "name", env_name_problems)


@rule("ENV-NAME-1.31", ENV, until_gate="RelaxedEnvironmentVariableValidation")
def env_name_before(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable's name looks like an identifier with dots and hyphens."""
    return _name_errors(place, "name", old_env_name_problems)


@rule("ENV-FIELD", ENV)
def field_reference(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable refers to a field of the pod that is known when the container starts."""
    reference = fields(place.value, "valueFrom").get("fieldRef")
    if isinstance(reference, dict):
        yield from env_field_errors(reference, f"{place.path}.valueFrom.fieldRef", context)


@rule("ENV-FIELD-VERSION-REQUIRED", ENV, defaulted=True)
def field_version_required(place: Place, context: Context) -> Iterator[FieldError]:
    """The version of a field reference has been filled in."""
    reference = fields(place.value, "valueFrom").get("fieldRef")
    if isinstance(reference, dict) and not text(reference, "apiVersion"):
        yield required(f"{place.path}.valueFrom.fieldRef.apiVersion")


@rule("ENV-RESOURCE", ENV)
def resource_reference(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable refers to a request or limit, in a suitable unit."""
    reference = fields(place.value, "valueFrom").get("resourceFieldRef")
    if isinstance(reference, dict):
        yield from resource_field_errors(reference, f"{place.path}.valueFrom.resourceFieldRef", context, in_file=False)


def _key_errors(place: Place, kind: str, *, is_named: bool) -> Iterator[FieldError]:
    reference = fields(place.value, "valueFrom").get(kind)
    if not isinstance(reference, dict):
        return
    path, name, key = f"{place.path}.valueFrom.{kind}", text(reference, "name"), text(reference, "key")
    if name or is_named:
        yield from (invalid(f"{path}.name", name, problem) for problem in subdomain_problems(name))
    if key:
        yield from (invalid(f"{path}.key", key, problem) for problem in config_key_problems(key))
    else:
        yield required(f"{path}.key")


@rule("ENV-CONFIG-MAP", ENV)
def config_map_key(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a ConfigMap's name and a key."""
    return _key_errors(place, "configMapKeyRef", is_named=True)


@rule("ENV-SECRET", ENV)
def secret_key(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a Secret's name and a key."""
    return _key_errors(place, "secretKeyRef", is_named=True)


@rule("ENV-FILE", ENV, since_gate="EnvFiles")
def file_key(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a key in a file inside a volume."""
    reference = fields(place.value, "valueFrom").get("fileKeyRef")
    if not isinstance(reference, dict):
        return
    path = f"{place.path}.valueFrom.fileKeyRef"
    volume, key, target = text(reference, "volumeName"), text(reference, "key"), text(reference, "path")
    if not key:
        yield required(f"{path}.key")
    else:
        yield from (invalid(f"{path}.key", key, problem) for problem in env_name_problems(key))
    if not volume:
        yield required(f"{path}.volumeName")
    else:
        yield from (invalid(f"{path}.volumeName", volume, problem) for problem in label_problems(volume))
    if not target:
        yield required(f"{path}.path")
    yield from backstep_errors(target, f"{path}.path")


def _source_errors(place: Place, kinds: tuple[str, ...], none: str) -> Iterator[FieldError]:
    source = place.value.get("valueFrom")
    if not isinstance(source, dict):
        return
    # A source that the version does not know does not count: its decoder has dropped it.
    given = sum(source.get(kind) is not None for kind in kinds)
    field = f"{place.path}.valueFrom"
    if not given:
        yield invalid(field, "", none)
    # One error at a time: no source, then value and source, then several sources.
    elif text(place.value, "value"):
        yield invalid(field, "", _AND_VALUE)
    elif given > 1:
        yield invalid(field, "", _SEVERAL)


@rule("ENV-SOURCE", ENV, since_gate="EnvFiles")
def env_source(place: Place, context: Context) -> Iterator[FieldError]:
    """A variable has a value or one source."""
    return _source_errors(place, _SOURCES_WITH_FILES, _NONE_WITH_FILES)


@rule("ENV-SOURCE-1.34", ENV, until_gate="EnvFiles")
def env_source_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, before files were a source."""
    return _source_errors(place, _SOURCES, _NONE)


@rule("ENV-FROM-PREFIX", ENV_FROM, since_gate="RelaxedEnvironmentVariableValidation")
def prefix(place: Place, context: Context) -> Iterator[FieldError]:
    """A prefix is the beginning of a variable's name."""
    return _name_errors(place, "prefix", env_name_problems)


@rule("ENV-FROM-PREFIX-1.31", ENV_FROM, until_gate="RelaxedEnvironmentVariableValidation")
def prefix_before(place: Place, context: Context) -> Iterator[FieldError]:
    """A prefix looks like an identifier with dots and hyphens."""
    return _name_errors(place, "prefix", old_env_name_problems)


@rule("ENV-FROM-NAME", ENV_FROM)
def env_from_name(place: Place, context: Context) -> Iterator[FieldError]:
    """The ConfigMap or Secret with the variables has a name."""
    for kind in ("configMapRef", "secretRef"):
        if isinstance(place.value.get(kind), dict):
            field, name = f"{place.path}.{kind}.name", text(place.value[kind], "name")
            if not name:
                yield required(field)
            else:
                # Masked like a prefix: upstream validates the name of envFrom this way.
                yield from (invalid(field, name, problem) for problem in subdomain_problems(masked(name)))


@rule("ENV-FROM-SOURCE", ENV_FROM)
def env_from_source(place: Place, context: Context) -> Iterator[FieldError]:
    """Variables are taken from one ConfigMap or one Secret."""
    given = sum(place.value.get(kind) is not None for kind in ("configMapRef", "secretRef"))
    field = place.path[: place.path.rindex("[")]
    if not given:
        yield invalid(field, "", "must specify one of: `configMapRef` or `secretRef`")
    elif given > 1:
        yield invalid(field, "", _SEVERAL)


def file_volume_errors(spec: Fields) -> Iterator[FieldError]:
    """Files with variables that are in no volume of the pod, or in one that is not an emptyDir."""
    volumes = {text(volume, "name"): volume for _, volume in items(spec, "volumes")}
    for container in visited(spec):
        for index, variable in items(container.value, "env"):
            reference = fields(variable, "valueFrom").get("fileKeyRef")
            if not isinstance(reference, dict):
                continue
            field, name = f"{container.path}.env[{index}].valueFrom.fileKeyRef.volumeName", text(reference, "volumeName")
            if name not in volumes:
                yield not_found_value(field, name)
            elif volumes[name].get("emptyDir") is None:
                yield invalid(field, name, "referenced volume must be of type emptyDir")


@rule("ENV-FILE-VOLUME", SPEC, since_gate="EnvFiles")
def file_volume(place: Place, context: Context) -> Iterator[FieldError]:
    """A file with variables is in an emptyDir of the pod."""
    return file_volume_errors(context.spec)
