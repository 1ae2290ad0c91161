"""Rules for projected and ephemeral volumes."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.metadata_rules import label_errors
from simulator.engine.apiserver.validation.names import qualified_name_problems
from simulator.engine.apiserver.validation.paths import local_path_errors
from simulator.engine.apiserver.validation.pod.resource import amount
from simulator.engine.apiserver.validation.pod.volume import downward_file_errors, key_to_path_errors, mode_errors
from simulator.engine.apiserver.validation.pod_rules import (
    WHOLE,
    Context,
    Fields,
    Place,
    fields,
    items,
    number,
    rule,
    text,
    texts,
    volume_source,
)
from simulator.engine.apiserver.validation.selectors import selector_errors

TOKEN_SECONDS_MIN = 600
TOKEN_SECONDS_MAX = 1 << 32
_KINDS = ("secret", "configMap", "downwardAPI", "serviceAccountToken", "clusterTrustBundle", "podCertificate")
_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
_CONFLICT = "conflicting duplicate paths"


@rule("VOLUME-PROJECTED", volume_source("projected"))
def projected(place: Place, context: Context) -> Iterator[FieldError]:
    """Each source is of one kind, and no two produce the same file."""
    yield from mode_errors(place.value, "defaultMode", place.path)
    taken: set[str] = set()
    for index, source in items(place.value, "sources"):
        path = f"{place.path}.sources[{index}]"
        for kind in ("secret", "configMap"):
            if isinstance(source.get(kind), dict):
                yield from _keys_errors(source[kind], f"{path}.{kind}", place.path, taken)
        yield from _downward_errors(fields(source, "downwardAPI"), f"{path}.downwardAPI", place.path, context, taken)
        if isinstance(source.get("serviceAccountToken"), dict):
            yield from _token_errors(source["serviceAccountToken"], f"{path}.serviceAccountToken", place.path, context)
        if isinstance(source.get("clusterTrustBundle"), dict):
            yield from _bundle_errors(source["clusterTrustBundle"], f"{path}.clusterTrustBundle", place.path, context, taken)
        if len([kind for kind in _KINDS if source.get(kind) is not None]) > 1:
            yield forbidden(
                path, f"may not specify more than 1 volume type{' per source' if context.facts.volume_types_per_source else ''}"
            )


def _keys_errors(value: Fields, path: str, volume: str, taken: set[str]) -> Iterator[FieldError]:
    name = text(value, "name")
    if not name:
        yield required(f"{path}.name")
    for index, item in items(value, "items"):
        yield from key_to_path_errors(item, f"{path}.items[{index}]")
        yield from _conflicts(text(item, "path"), volume, name, taken)


def _conflicts(target: str, volume: str, shown: str, taken: set[str]) -> Iterator[FieldError]:
    if target and target in taken:
        yield invalid(volume, shown, _CONFLICT)
    # Paths are shared by all sources: they become files of one directory.
    taken.add(target)


def _downward_errors(value: Fields, path: str, volume: str, context: Context, taken: set[str]) -> Iterator[FieldError]:
    for _, item in items(value, "items"):
        yield from downward_file_errors(item, path, context)
        yield from _conflicts(text(item, "path"), volume, text(item, "path"), taken)


def _token_errors(value: Fields, path: str, volume: str, context: Context) -> Iterator[FieldError]:
    seconds = number(value, "expirationSeconds")
    if seconds is not None and seconds < TOKEN_SECONDS_MIN:
        yield invalid(f"{path}.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")
    if seconds is not None and seconds > TOKEN_SECONDS_MAX:
        yield invalid(f"{path}.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")
    target = text(value, "path")
    if not target:
        # The path of the volume and not of the source, as upstream reports it.
        yield required(f"{volume}.path")
    elif context.facts.local_token_paths:
        yield from local_path_errors(target, f"{volume}.path")


def _bundle_errors(value: Fields, path: str, volume: str, context: Context, taken: set[str]) -> Iterator[FieldError]:
    name, signer = value.get("name"), value.get("signerName")
    if name is not None and signer is not None:
        yield invalid(path, value, "only one of name and signerName may be used")
    elif name is not None:
        if not name:
            yield required(f"{path}.name", "must be a valid object name")
        if value.get("labelSelector") is not None:
            yield invalid(f"{path}.labelSelector", value["labelSelector"], "labelSelector must be unset if name is specified")
    elif signer is not None:
        if not signer:
            yield required(f"{path}.signerName", "must be a valid signer name")
        yield from selector_errors(value.get("labelSelector"), f"{path}.labelSelector", context)
    else:
        yield required(path, "either name or signerName must be specified")
    target = text(value, "path")
    if not target:
        yield required(f"{path}.path")
    yield from local_path_errors(target, f"{path}.path")
    yield from _conflicts(target, volume, target, taken)


@rule("TOKEN-NEEDS-ACCOUNT", WHOLE, pods_only=True, defaulted=True)
def token_needs_account(place: Place, context: Context) -> Iterator[FieldError]:
    """A token belongs to a service account, which admission has filled in."""
    if text(context.spec, "serviceAccountName"):
        return
    for index, volume in items(context.spec, "volumes"):
        for number_, source in items(fields(volume, "projected"), "sources"):
            if source.get("serviceAccountToken") is not None:
                field = f"spec.volumes[{index}].projected.sources[{number_}].serviceAccountToken"
                yield forbidden(field, "must not be specified when serviceAccountName is not set")


@rule("VOLUME-EPHEMERAL", volume_source("ephemeral"), since=21)
def ephemeral(place: Place, context: Context) -> Iterator[FieldError]:
    """An ephemeral volume has a template for its claim, with labels and annotations only."""
    template = place.value.get("volumeClaimTemplate")
    path = f"{place.path}.volumeClaimTemplate"
    if not isinstance(template, dict):
        yield required(path)
        return
    metadata = fields(template, "metadata")
    for key in fields(metadata, "annotations"):
        yield from (invalid(f"{path}.metadata.annotations", key, problem) for problem in qualified_name_problems(key.lower()))
    yield from label_errors(fields(metadata, "labels"), f"{path}.metadata.labels")
    for key, value in metadata.items():
        if key not in ("annotations", "labels") and value not in (None, "", 0, [], {}):
            yield forbidden(f"{path}.metadata.{key}", context.facts.ephemeral_claim_text)
    yield from claim_spec_errors(fields(template, "spec"), f"{path}.spec", context)


def claim_spec_errors(spec: Fields, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with the spec of a claim."""
    modes = texts(spec, "accessModes")
    if not modes:
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    if isinstance(spec.get("selector"), dict):
        yield from selector_errors(spec["selector"], f"{path}.selector", context)
    # ReadWriteOncePod is the last one.
    known = _ACCESS_MODES if context.facts.read_write_once_pod else _ACCESS_MODES[:-1]
    yield from (not_supported(f"{path}.accessModes", mode, known) for mode in modes if mode not in known)
    if "ReadWriteOncePod" in modes and not {*modes}.isdisjoint(_ACCESS_MODES[:-1]):
        yield forbidden(f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes")
    storage = amount(fields(fields(spec, "resources"), "requests").get("storage"))
    if storage is None:
        yield required(f"{path}.resources[storage]")
    elif storage <= 0:
        yield invalid(f"{path}.resources[storage]", str(spec["resources"]["requests"]["storage"]), "must be greater than zero")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _VOLUME_MODES:
        yield not_supported(f"{path}.volumeMode", mode, _VOLUME_MODES)
