"""Rules for volumes."""

from collections.abc import Iterator

from simulator.engine.api.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required
from simulator.engine.api.validation.names import label_problems
from simulator.engine.api.validation.registry import VOLUME, Context, Place, fields, number, rule, text

HOST_PATH_TYPES = ("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket")
FILE_MODE_MAX = 0o777
_SOURCE_ORDER = ("emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi", "glusterfs")
_WITH_MODE = ("secret", "configMap", "downwardAPI", "projected")
_NAMED = (("configMap", "name"), ("secret", "secretName"), ("persistentVolumeClaim", "claimName"))


@rule("VOLUME-SOURCE", VOLUME)
def one_source(place: Place, context: Context) -> Iterator[FieldError]:
    """A volume has one source (none at all becomes an emptyDir by default)."""
    given = [key for key, value in place.value.items() if key != "name" and value is not None]
    rank = {key: position for position, key in enumerate(_SOURCE_ORDER)}
    for key in sorted(given, key=lambda name: rank.get(name, len(rank)))[1:]:
        yield forbidden(f"{place.path}.{key}", "may not specify more than 1 volume type")


@rule("VOLUME-NAME", VOLUME)
def name(place: Place, context: Context) -> Iterator[FieldError]:
    """A volume's name is a DNS label that no other volume has."""
    field = f"{place.path}.name"
    value = text(place.value, "name")
    if not value:
        yield required(field)
        return
    yield from (invalid(field, value, problem) for problem in label_problems(value))
    if place.path in context.repeated:
        yield duplicate(field, value)


@rule("VOLUME-REFERENCE", VOLUME)
def reference(place: Place, context: Context) -> Iterator[FieldError]:
    """ConfigMaps, Secrets and claims are named."""
    for source, key in _NAMED:
        if isinstance(place.value.get(source), dict) and not text(fields(place.value, source), key):
            yield required(f"{place.path}.{source}.{key}")


@rule("VOLUME-MODE", VOLUME)
def default_mode(place: Place, context: Context) -> Iterator[FieldError]:
    """File modes have nine bits."""
    for source in _WITH_MODE:
        mode = number(fields(place.value, source), "defaultMode")
        if mode is not None and not 0 <= mode <= FILE_MODE_MAX:
            detail = "must be a number between 0 and 0777 (octal), both inclusive"
            yield invalid(f"{place.path}.{source}.defaultMode", mode, detail)


@rule("HOST-PATH", VOLUME)
def host_path(place: Place, context: Context) -> Iterator[FieldError]:
    """A hostPath has a path without steps upwards and a known type."""
    source = place.value.get("hostPath")
    if not isinstance(source, dict):
        return
    path = text(source, "path")
    if not path:
        yield required(f"{place.path}.hostPath.path")
    elif ".." in path.split("/"):
        yield invalid(f"{place.path}.hostPath.path", path, "must not contain '..'")
    if text(source, "type") not in HOST_PATH_TYPES:
        yield not_supported(f"{place.path}.hostPath.type", source["type"], HOST_PATH_TYPES)
