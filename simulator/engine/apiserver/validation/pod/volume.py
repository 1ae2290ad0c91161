"""Rules for volumes: one source, a name, and the kinds backed by the node or the API server."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, go_quoted, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.apiserver.validation.paths import backstep_errors, descending_path_errors, local_path_errors
from simulator.engine.apiserver.validation.pod.downward import file_field_errors, resource_field_errors
from simulator.engine.apiserver.validation.pod.resource import amount
from simulator.engine.apiserver.validation.pod_rules import (
    VOLUME,
    VOLUME_CLAIM,
    Context,
    Fields,
    Place,
    fields,
    items,
    number,
    rule,
    text,
    volume_source,
)
from simulator.engine.model.volume_sources import VOLUME_SOURCES

HOST_PATH_TYPES = ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
FILE_MODE_MAX = 0o777
MODE_RULE = "must be a number between 0 and 0777 (octal), both inclusive"


# downwarAPI is upstream's typo.
_SPELLED = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
"""How the API server spells the field of a second source, if not like manifests do."""


def sources_of(volume: Fields) -> list[str]:
    """The sources of a volume, in the API server's order."""
    return [key for key in VOLUME_SOURCES if volume.get(key) is not None]


@rule("VOLUME-EMPTY-DIR", volume_source("emptyDir"))
def empty_dir(place: Place, context: Context) -> Iterator[FieldError]:
    """A size limit is not negative."""
    limit = amount(place.value.get("sizeLimit"))
    if limit is not None and limit < 0:
        yield forbidden(f"{place.path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


@rule("VOLUME-HOST-PATH", volume_source("hostPath"))
def host_path(place: Place, context: Context) -> Iterator[FieldError]:
    """A hostPath has a path without upward steps and a known type."""
    path = text(place.value, "path")
    if not path:
        yield required(f"{place.path}.path")
        return
    yield from backstep_errors(path, f"{place.path}.path")
    if text(place.value, "type") not in HOST_PATH_TYPES:
        yield not_supported(f"{place.path}.type", place.value["type"], HOST_PATH_TYPES)


@rule("VOLUME-GIT-REPO", volume_source("gitRepo"))
def git_repo(place: Place, context: Context) -> Iterator[FieldError]:
    """A git repository has an address, and its directory stays inside the volume."""
    if not text(place.value, "repository"):
        yield required(f"{place.path}.repository")
    yield from descending_path_errors(text(place.value, "directory"), f"{place.path}.directory")


def mode_errors(value: Fields, key: str, path: str) -> Iterator[FieldError]:
    """File modes have nine bits."""
    mode = number(value, key)
    if mode is not None and not 0 <= mode <= FILE_MODE_MAX:
        yield invalid(f"{path}.{key}", mode, MODE_RULE)


def key_errors(value: Fields, path: str) -> Iterator[FieldError]:
    """What is wrong with the keys that become files."""
    for index, item in items(value, "items"):
        yield from key_to_path_errors(item, f"{path}.items[{index}]")


def key_to_path_errors(item: Fields, path: str) -> Iterator[FieldError]:
    """What is wrong with one key that becomes a file."""
    for key in ("key", "path"):
        if not text(item, key):
            yield required(f"{path}.{key}")
    yield from local_path_errors(text(item, "path"), f"{path}.path")
    yield from mode_errors(item, "mode", path)


@rule("VOLUME-SECRET", volume_source("secret"))
def secret(place: Place, context: Context) -> Iterator[FieldError]:
    """A Secret has a name, its modes have nine bits, its keys become files inside the volume."""
    if not text(place.value, "secretName"):
        yield required(f"{place.path}.secretName")
    yield from mode_errors(place.value, "defaultMode", place.path)
    yield from key_errors(place.value, place.path)


@rule("VOLUME-CONFIG-MAP", volume_source("configMap"))
def config_map(place: Place, context: Context) -> Iterator[FieldError]:
    """A ConfigMap has a name, its modes have nine bits, its keys become files inside the volume."""
    if not text(place.value, "name"):
        yield required(f"{place.path}.name")
    yield from mode_errors(place.value, "defaultMode", place.path)
    yield from key_errors(place.value, place.path)


@rule("VOLUME-CLAIM", volume_source("persistentVolumeClaim"))
def claim(place: Place, context: Context) -> Iterator[FieldError]:
    """A claim has a name."""
    if not text(place.value, "claimName"):
        yield required(f"{place.path}.claimName")


@rule("VOLUME-DOWNWARD-API", volume_source("downwardAPI"))
def downward_api(place: Place, context: Context) -> Iterator[FieldError]:
    """Each file has one field or one amount, and a path inside the volume."""
    yield from mode_errors(place.value, "defaultMode", place.path)
    for _, item in items(place.value, "items"):
        yield from downward_file_errors(item, place.path, context)


def downward_file_errors(item: Fields, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with one file of the Downward API; ``path`` is that of the volume, as in the API server's messages."""
    if not text(item, "path"):
        yield required(f"{path}.path")
    yield from local_path_errors(text(item, "path"), f"{path}.path")
    if isinstance(item.get("fieldRef"), dict):
        yield from file_field_errors(item["fieldRef"], f"{path}.fieldRef", context)
        if item.get("resourceFieldRef") is not None:
            yield invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously")
    elif isinstance(item.get("resourceFieldRef"), dict):
        yield from resource_field_errors(item["resourceFieldRef"], f"{path}.resourceFieldRef", context, in_file=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")
    yield from mode_errors(item, "mode", path)


@rule("VOLUME-SECOND-SOURCE", VOLUME)
def second_source(place: Place, context: Context) -> Iterator[FieldError]:
    """A volume has one source."""
    for key in sources_of(place.value)[1:]:
        yield forbidden(f"{place.path}.{_SPELLED.get(key, key)}", "may not specify more than 1 volume type")


@rule("VOLUME-SOURCE-REQUIRED", VOLUME, defaulted=True)
def source_required(place: Place, context: Context) -> Iterator[FieldError]:
    """A volume without any source has become an emptyDir."""
    if not sources_of(place.value):
        yield required(place.path, "must specify a volume type")


@rule("VOLUME-NAME", VOLUME)
def name(place: Place, context: Context) -> Iterator[FieldError]:
    """A volume's name is a DNS label that no valid volume before it has."""
    field = f"{place.path}.name"
    value = text(place.value, "name")
    if not value:
        yield required(field)
    else:
        yield from (invalid(field, value, problem) for problem in label_problems(value))
    # Only valid volumes before this one: two invalid ones with the same name are not duplicates.
    if value in context.volumes:
        yield duplicate(field, value)


@rule("VOLUME-GENERATED-CLAIM-NAME", volume_source("ephemeral"), since=21)
def generated_claim_name(place: Place, context: Context) -> Iterator[FieldError]:
    """The claim created for an ephemeral volume gets a valid name from pod and volume."""
    volume = place.owner
    if context.name and text(volume, "name"):
        made = f"{context.name}-{text(volume, 'name')}"
        for problem in subdomain_problems(made):
            yield invalid(f"{place.path.removesuffix('.ephemeral')}.name", text(volume, "name"), f"PVC name {go_quoted(made)}: {problem}")


@rule("VOLUME-CLAIM-OF-OTHERS", VOLUME_CLAIM, since=21, of="persistentVolumeClaim")
def claim_of_others(place: Place, context: Context) -> Iterator[FieldError]:
    """A claim is not one that is created for an ephemeral volume of the same pod."""
    wanted = text(fields(place.value, "persistentVolumeClaim"), "claimName")
    if not wanted or not context.name:
        return
    made = {f"{context.name}-{text(other, 'name')}" for _, other in items(context.spec, "volumes") if other.get("ephemeral") is not None}
    if wanted in made:
        detail = "must not reference a PVC that gets created for an ephemeral volume"
        yield invalid(f"{place.path}.persistentVolumeClaim.claimName", wanted, detail)
