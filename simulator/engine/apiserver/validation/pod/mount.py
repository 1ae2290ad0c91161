"""Rules for the volumes that a container mounts or uses as devices."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_found_value, not_supported, required
from simulator.engine.apiserver.validation.paths import backstep_errors, descending_path_errors
from simulator.engine.apiserver.validation.pod_rules import DEVICE, MOUNT, Context, Place, fields, items, rule, text

PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
RECURSIVE = ("Disabled", "Enabled", "IfPossible")


def _list_path(place: Place) -> str:
    # Several errors of mounts are reported at the list: upstream passes the parent path on.
    return place.path[: place.path.rindex("[")]


@rule("MOUNT-VOLUME", MOUNT)
def mounted_volume(place: Place, context: Context) -> Iterator[FieldError]:
    """A mount refers to a valid volume of the pod."""
    name = text(place.value, "name")
    if not name:
        yield required(f"{place.path}.name")
    # Only valid volumes are in the map, so this also follows from an error in a volume.
    if name not in context.volumes:
        yield not_found_value(f"{place.path}.name", name)


@rule("MOUNT-PATH", MOUNT)
def mount_path(place: Place, context: Context) -> Iterator[FieldError]:
    """A mount has a path of its own in the container."""
    path = text(place.value, "mountPath")
    if not path:
        yield required(f"{place.path}.mountPath")
    if place.is_repeated("path", path):
        yield invalid(f"{place.path}.mountPath", path, "must be unique")


@rule("MOUNT-NO-DEVICE", MOUNT)
def mount_no_device(place: Place, context: Context) -> Iterator[FieldError]:
    """A volume is mounted or used as a device, not both."""
    if not place.owner.get("volumeDevices"):
        return
    devices = {text(device, "name"): text(device, "devicePath") for _, device in items(place.owner, "volumeDevices")}
    name, path = text(place.value, "name"), text(place.value, "mountPath")
    if name in devices:
        yield invalid(f"{place.path}.name", name, "must not already exist in volumeDevices")
    if path in devices.values():
        yield invalid(f"{place.path}.mountPath", path, "must not already exist as a path in volumeDevices")


@rule("MOUNT-OF-IMAGE", MOUNT, since=31, until=32)
def mount_of_image(place: Place, context: Context) -> Iterator[FieldError]:
    """An image volume is mounted as a whole."""
    # Before 1.33 an image volume could only be mounted whole.
    if context.volumes.get(text(place.value, "name"), {}).get("image") is None:
        return
    for key in ("subPath", "subPathExpr"):
        if value := text(place.value, key):
            yield invalid(f"{place.path}.{key}", value, "not allowed in image volume sources")


@rule("MOUNT-SUBPATH", MOUNT)
def mount_subpath(place: Place, context: Context) -> Iterator[FieldError]:
    """A subPath stays inside its volume."""
    if value := text(place.value, "subPath"):
        yield from descending_path_errors(value, f"{_list_path(place)}.subPath")


@rule("MOUNT-SUBPATH-EXPR", MOUNT)
def mount_subpath_expression(place: Place, context: Context) -> Iterator[FieldError]:
    """A subPathExpr stays inside its volume and is not combined with a subPath."""
    value = text(place.value, "subPathExpr")
    if value and text(place.value, "subPath"):
        yield invalid(f"{place.path}.subPathExpr", value, "subPathExpr and subPath are mutually exclusive")
    if value:
        yield from descending_path_errors(value, f"{_list_path(place)}.subPathExpr")


@rule("MOUNT-PROPAGATION", MOUNT)
def mount_propagation(place: Place, context: Context) -> Iterator[FieldError]:
    """Mount propagation is a known mode, and goes to the node only from privileged containers."""
    value = place.value.get("mountPropagation")
    if value is None:
        return
    field = f"{_list_path(place)}.mountPropagation"
    if value not in PROPAGATIONS:
        yield not_supported(field, value, PROPAGATIONS)
    if value == "Bidirectional" and fields(place.owner, "securityContext").get("privileged") is not True:
        yield forbidden(field, "Bidirectional mount propagation is available only to privileged containers")


@rule("MOUNT-RECURSIVE-READ-ONLY", MOUNT, since=31)
def mount_recursive_read_only(place: Place, context: Context) -> Iterator[FieldError]:
    """Only a mount that is read-only and does not propagate is recursively read-only."""
    value = place.value.get("recursiveReadOnly")
    field = f"{_list_path(place)}.recursiveReadOnly"
    if value in ("Enabled", "IfPossible"):
        if place.value.get("readOnly") is not True:
            yield forbidden(field, "may only be specified when readOnly is true")
        if place.value.get("mountPropagation") not in (None, "None"):
            yield forbidden(field, "may only be specified when mountPropagation is None or not specified")
    elif value not in (None, "Disabled"):
        yield not_supported(field, value, RECURSIVE)


def _device_source(place: Place, context: Context, detail: str, kinds: tuple[str, ...]) -> Iterator[FieldError]:
    name, field = text(place.value, "name"), f"{place.path}.name"
    if not name:
        yield required(field)
    elif place.is_repeated("name", name):
        yield invalid(field, name, "must be unique")
    volume = context.volumes.get(name)
    if volume is None:
        yield not_found_value(field, name)
    elif all(volume.get(kind) is None for kind in kinds):
        yield invalid(field, name, detail)


@rule("DEVICE-VOLUME", DEVICE, since=21)
def device_volume(place: Place, context: Context) -> Iterator[FieldError]:
    """A device is a claim of the pod, used once."""
    detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
    return _device_source(place, context, detail, ("persistentVolumeClaim", "ephemeral"))


@rule("DEVICE-VOLUME-1.20", DEVICE, until=20)
def device_volume_before(place: Place, context: Context) -> Iterator[FieldError]:
    """The same, before there were ephemeral claims."""
    detail = "can only use volume source type of PersistentVolumeClaim for block mode"
    return _device_source(place, context, detail, ("persistentVolumeClaim",))


@rule("DEVICE-PATH", DEVICE)
def device_path(place: Place, context: Context) -> Iterator[FieldError]:
    """A device has a path of its own, without upward steps."""
    path, field = text(place.value, "devicePath"), f"{place.path}.devicePath"
    if not path:
        yield required(field)
    leads_up = any(True for _ in backstep_errors(path, field))
    # A path that leads up is not remembered for the following ones.
    if not leads_up and place.is_repeated("path", path):
        yield invalid(field, path, "must be unique")
    if leads_up:
        yield invalid(field, path, "can not contain backsteps ('..')")


@rule("DEVICE-NO-MOUNT", DEVICE)
def device_no_mount(place: Place, context: Context) -> Iterator[FieldError]:
    """A device is not also mounted."""
    mounts = {text(mount, "name"): text(mount, "mountPath") for _, mount in items(place.owner, "volumeMounts")}
    name, path = text(place.value, "name"), text(place.value, "devicePath")
    if name in mounts:
        yield invalid(f"{place.path}.name", name, "must not already exist in volumeMounts")
    if path in mounts.values():
        yield invalid(f"{place.path}.devicePath", path, "must not already exist as a path in volumeMounts")
