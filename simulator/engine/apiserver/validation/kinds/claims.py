"""Rules for PersistentVolumeClaims, also inside StatefulSets, and PersistentVolumes (pkg/apis/core/validation)."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.kinds.amounts import positive_errors
from simulator.engine.apiserver.validation.kinds.common import inner, label_selector_errors, named
from simulator.engine.apiserver.validation.kinds.kind_rules import CLAIM_SPEC, kind_rule
from simulator.engine.apiserver.validation.names import subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import Place, fields, text, texts

_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce")
_POD_MODE = "ReadWriteOncePod"
_VOLUME_MODES = ("Block", "Filesystem")
_RECLAIM = ("Delete", "Recycle", "Retain")
VOLUME_SOURCES = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte", "cephfs", "iscsi"),
    *("cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk", "scaleIO"),
    *("local", "storageos", "csi"),
)
"""In the order in which the API server looks at them."""


@kind_rule("CLAIM-ACCESS-MODES-REQUIRED", CLAIM_SPEC)
def modes_required(place: Place) -> Iterator[FieldError]:
    """A claim must list at least one access mode."""
    if not texts(place.value, "accessModes"):
        yield required(f"{place.path}.accessModes", "at least 1 access mode is required")


@kind_rule("CLAIM-SELECTOR", CLAIM_SPEC)
def selector(place: Place) -> Iterator[FieldError]:
    """The selector of volumes is well formed."""
    yield from label_selector_errors(inner(place, "selector"))


@kind_rule("CLAIM-ACCESS-MODES", CLAIM_SPEC, since=27)
def modes(place: Place) -> Iterator[FieldError]:
    """There are four access modes; ReadWriteOncePod cannot be combined with others."""
    found = texts(place.value, "accessModes")
    yield from _mode_errors(place, (*_MODES, _POD_MODE))
    if _POD_MODE in found and any(mode in _MODES for mode in found):
        yield forbidden(f"{place.path}.accessModes", "may not use ReadWriteOncePod with other access modes")


@kind_rule("CLAIM-ACCESS-MODES-1.26", CLAIM_SPEC, until=26)
def modes_before(place: Place) -> Iterator[FieldError]:
    """Until 1.26 there were three modes."""
    yield from _mode_errors(place, _MODES)


def _mode_errors(place: Place, allowed: tuple[str, ...]) -> Iterator[FieldError]:
    for mode in texts(place.value, "accessModes"):
        if mode not in allowed:
            yield not_supported(f"{place.path}.accessModes", mode, allowed)


@kind_rule("CLAIM-STORAGE", CLAIM_SPEC)
def storage(place: Place) -> Iterator[FieldError]:
    """A claim must request storage, more than zero."""
    requests = fields(fields(place.value, "resources"), "requests")
    field = f"{place.path}.resources[storage]"
    if "storage" not in requests:
        yield required(field)
    else:
        yield from positive_errors(field, requests["storage"])


@kind_rule("CLAIM-CLASS", CLAIM_SPEC)
def class_name(place: Place) -> Iterator[FieldError]:
    """The name of a storage class is a DNS subdomain; "" means none."""
    if name := text(place.value, "storageClassName"):
        yield from named(f"{place.path}.storageClassName", name, subdomain_problems)


@kind_rule("CLAIM-VOLUME-MODE", CLAIM_SPEC)
def volume_mode(place: Place) -> Iterator[FieldError]:
    """A volume has a file system, or is a block device."""
    mode = text(place.value, "volumeMode")
    if mode and mode not in _VOLUME_MODES:
        yield not_supported(f"{place.path}.volumeMode", mode, _VOLUME_MODES)


@kind_rule("CLAIM-DATA-SOURCE", CLAIM_SPEC)
def data_source(place: Place) -> Iterator[FieldError]:
    """A data source has a name and a kind; without a group it is another claim."""
    for key in ("dataSource", "dataSourceRef"):
        source = inner(place, key)
        if not isinstance(place.value.get(key), dict):
            continue
        for part in ("name", "kind"):
            if not text(source.value, part):
                yield required(f"{source.path}.{part}")
        if not text(source.value, "apiGroup") and text(source.value, "kind") != "PersistentVolumeClaim":
            detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
            yield invalid(source.path, text(source.value, "kind"), detail)


@kind_rule("VOLUME-ACCESS-MODES", "PersistentVolume")
def pv_modes(place: Place) -> Iterator[FieldError]:
    """A PersistentVolume must list its access modes."""
    spec = inner(place, "spec")
    if not texts(spec.value, "accessModes"):
        yield required("spec.accessModes")
    yield from _mode_errors(spec, (*_MODES, _POD_MODE))


@kind_rule("VOLUME-CAPACITY", "PersistentVolume")
def pv_capacity(place: Place) -> Iterator[FieldError]:
    """The capacity of a PersistentVolume is only storage, more than zero."""
    capacity = fields(fields(place.value, "spec"), "capacity")
    if not capacity:
        yield required("spec.capacity")
    # One error for the whole map, whichever of its names is wrong.
    elif "storage" not in capacity or len(capacity) > 1:
        yield not_supported("spec.capacity", capacity, ("storage",))
    for name, value in capacity.items():
        yield from positive_errors(f"spec.capacity[{name}]", value)


@kind_rule("VOLUME-RECLAIM-POLICY", "PersistentVolume")
def pv_reclaim_policy(place: Place) -> Iterator[FieldError]:
    """The reclaim policy is Delete, Recycle or Retain."""
    policy = text(fields(place.value, "spec"), "persistentVolumeReclaimPolicy")
    if policy and policy not in _RECLAIM:
        yield not_supported("spec.persistentVolumeReclaimPolicy", policy, _RECLAIM)


@kind_rule("VOLUME-SOURCE-OF-PV", "PersistentVolume")
def pv_source(place: Place) -> Iterator[FieldError]:
    """A volume is of one type; a local one has a node affinity."""
    spec = fields(place.value, "spec")
    given = [key for key in VOLUME_SOURCES if isinstance(spec.get(key), dict)]
    for key in given[1:]:
        yield forbidden(f"spec.{key}", "may not specify more than 1 volume type")
    if not given:
        yield required("spec", "must specify a volume type")
    # A local volume is on one node, which the scheduler can only know from its affinity.
    if given[:1] == ["local"] and not fields(fields(spec, "nodeAffinity"), "required").get("nodeSelectorTerms"):
        yield required("spec.nodeAffinity", "Local volume requires node affinity")


@kind_rule("VOLUME-CLASS", "PersistentVolume")
def pv_class(place: Place) -> Iterator[FieldError]:
    """Class and mode are as for claims."""
    spec = fields(place.value, "spec")
    if name := text(spec, "storageClassName"):
        yield from named("spec.storageClassName", name, subdomain_problems)
    mode = text(spec, "volumeMode")
    if mode and mode not in _VOLUME_MODES:
        yield not_supported("spec.volumeMode", mode, _VOLUME_MODES)


@kind_rule("VOLUME-LOCAL-PATH", "PersistentVolume")
def pv_local(place: Place) -> Iterator[FieldError]:
    """The path of a local volume has no upward steps."""
    source = inner(place, "spec", "local")
    if not isinstance(fields(place.value, "spec").get("local"), dict):
        return
    path = text(source.value, "path")
    if not path:
        yield required("spec.local.path")
    elif ".." in path.split("/"):
        yield invalid("spec.local.path", path, "must not contain '..'")


@kind_rule("VOLUME-CSI-HANDLE", "PersistentVolume")
def pv_csi(place: Place) -> Iterator[FieldError]:
    """A CSI volume has a driver and a handle."""
    source = fields(fields(place.value, "spec"), "csi")
    if isinstance(fields(place.value, "spec").get("csi"), dict):
        yield from (required(f"spec.csi.{key}") for key in ("driver", "volumeHandle") if not text(source, key))
