"""Rules for the kinds of volumes that refer to remote storage."""

import re
from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported, required, too_long
from simulator.engine.apiserver.validation.names import label_problems, subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import Check, Context, Fields, Place, fields, number, rule, text, texts, volume_source
from simulator.engine.apiserver.validation.printed import listed

_REQUIRED = {
    "gcePersistentDisk": ("pdName",),
    "awsElasticBlockStore": ("volumeID",),
    "glusterfs": ("endpoints", "path"),
    "vsphereVolume": ("volumePath",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "azureFile": ("secretName", "shareName"),
    "azureDisk": ("diskName", "diskURI"),
    "scaleIO": ("gateway", "system", "volumeName"),
    "cinder": ("volumeID",),
    "cephfs": ("monitors",),
    "rbd": ("monitors", "image"),
    "flexVolume": ("driver",),
}
"""The required fields of each kind of source."""
PARTITION_MAX = 255
LUN_MAX = 255
_CSI_DRIVER_MAX = 63
_ISCSI_NAME_MAX = 64
_QUOBYTE_TENANT_MAX = 64
_QUOBYTE_RULE = "must be a host:port pair or multiple pairs separated by commas"
_IQN = re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\s]+)$", re.ASCII)
_EUI = re.compile(r"^eui.[A-Za-z0-9]{16}$")
_NAA = re.compile(r"^naa.[A-Za-z0-9]{32}$")
_INITIATORS = {"iqn": _IQN, "eui": _EUI, "naa": _NAA}
_CACHING = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_MANAGED_URI = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_URI = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def _requires(kind: str, keys: tuple[str, ...]) -> Check:
    # The server's messages use an older name of this one field.
    path_as = {"gcePersistentDisk": "persistentDisk"}.get(kind, kind)

    def check(place: Place, context: Context) -> Iterator[FieldError]:
        path = f"{place.path.removesuffix(kind)}{path_as}"
        yield from (required(f"{path}.{key}") for key in keys if not place.value.get(key))

    check.__doc__ = f"A volume of kind {kind} says {' and '.join(keys)}."
    return check


for _kind, _keys in _REQUIRED.items():
    rule(f"VOLUME-{_kind.upper()}", volume_source(_kind))(_requires(_kind, _keys))


def _partition_errors(place: Place, path: str) -> Iterator[FieldError]:
    partition = number(place.value, "partition")
    if partition is not None and not 0 <= partition <= PARTITION_MAX:
        yield invalid(f"{path}.partition", partition, f"must be between 1 and {PARTITION_MAX}, inclusive")


@rule("VOLUME-GCE-PARTITION", volume_source("gcePersistentDisk"))
def gce_partition(place: Place, context: Context) -> Iterator[FieldError]:
    """A partition has eight bits."""
    return _partition_errors(place, f"{place.path.removesuffix('gcePersistentDisk')}persistentDisk")


@rule("VOLUME-AWS-PARTITION", volume_source("awsElasticBlockStore"))
def aws_partition(place: Place, context: Context) -> Iterator[FieldError]:
    """A partition has eight bits."""
    return _partition_errors(place, place.path)


@rule("VOLUME-NFS", volume_source("nfs"))
def nfs(place: Place, context: Context) -> Iterator[FieldError]:
    """An NFS share has a server and an absolute path."""
    path = text(place.value, "path")
    if not text(place.value, "server"):
        yield required(f"{place.path}.server")
    if not path:
        yield required(f"{place.path}.path")
    if not path.startswith("/"):
        yield invalid(f"{place.path}.path", path, "must be an absolute path")


@rule("VOLUME-ISCSI", volume_source("iscsi"))
def iscsi(place: Place, context: Context) -> Iterator[FieldError]:
    """An iSCSI target has a portal, a name of a known form, a unit of eight bits, and a Secret if it authenticates."""
    value = place.value
    if not text(value, "targetPortal"):
        yield required(f"{place.path}.targetPortal")
    if not text(value, "iqn"):
        yield required(f"{place.path}.iqn")
    else:
        yield from _initiator_errors(text(value, "iqn"), f"{place.path}.iqn")
    lun = number(value, "lun") or 0
    if not 0 <= lun <= LUN_MAX:
        yield invalid(f"{place.path}.lun", lun, f"must be between 0 and {LUN_MAX}, inclusive")
    if (value.get("chapAuthDiscovery") or value.get("chapAuthSession")) and value.get("secretRef") is None:
        yield required(f"{place.path}.secretRef")
    if value.get("initiatorName") is not None:
        yield from _initiator_errors(text(value, "initiatorName"), f"{place.path}.initiatorname")
        yield from _long_name_errors(place)


def _initiator_errors(name: str, field: str) -> Iterator[FieldError]:
    pattern = _INITIATORS.get(name[:3])
    if pattern is None:
        yield invalid(field, name, "must be valid format starting with iqn, eui, or naa")
    elif pattern.search(name) is None:
        yield invalid(field, name, "must be valid format")


def _long_name_errors(place: Place) -> Iterator[FieldError]:
    name = text(place.owner, "name")
    if len(f"{name}:{text(place.value, 'targetPortal')}".encode()) > _ISCSI_NAME_MAX:
        detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified."
        yield invalid(f"{place.path.removesuffix('.iscsi')}.name", name, detail)


@rule("VOLUME-FLOCKER", volume_source("flocker"))
def flocker(place: Place, context: Context) -> Iterator[FieldError]:
    """A Flocker dataset is named in one of two ways."""
    name, uuid = text(place.value, "datasetName"), text(place.value, "datasetUUID")
    if not name and not uuid:
        yield required(place.path, "one of datasetName and datasetUUID is required")
    if name and uuid:
        yield invalid(place.path, "resource", "datasetName and datasetUUID can not be specified simultaneously")
    if "/" in name:
        yield invalid(f"{place.path}.datasetName", name, "must not contain '/'")


@rule("VOLUME-QUOBYTE", volume_source("quobyte"))
def quobyte(place: Place, context: Context) -> Iterator[FieldError]:
    """A Quobyte volume has a name and registries with ports."""
    registry, tenant = text(place.value, "registry"), text(place.value, "tenant")
    if not registry:
        yield required(f"{place.path}.registry", _QUOBYTE_RULE)
    elif len(tenant) > _QUOBYTE_TENANT_MAX:
        yield required(f"{place.path}.tenant", "must be a UUID and may not exceed a length of 64 characters")
    else:
        bad = [pair for pair in registry.split(",") if not _is_host_port(pair)]
        # One error for each bad pair, all with the same text.
        yield from (invalid(f"{place.path}.registry", registry, _QUOBYTE_RULE) for _ in bad)
    if not text(place.value, "volume"):
        yield required(f"{place.path}.volume")


def _is_host_port(pair: str) -> bool:
    host, colon, port = pair.rpartition(":")
    if host.startswith("["):
        return bool(colon) and host.endswith("]")
    return bool(colon) and ":" not in host and "[" not in port


@rule("VOLUME-FC", volume_source("fc"))
def fibre_channel(place: Place, context: Context) -> Iterator[FieldError]:
    """A Fibre Channel volume has world wide names with a unit, or identifiers."""
    names, identifiers = texts(place.value, "targetWWNs"), texts(place.value, "wwids")
    if not names and not identifiers:
        yield required(f"{place.path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if names and identifiers:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        yield invalid(f"{place.path}.targetWWNs", listed(names, context), detail)
    lun = number(place.value, "lun")
    if names and lun is None:
        yield required(f"{place.path}.lun", "lun is required if targetWWNs is specified")
    elif names and lun is not None and not 0 <= lun <= LUN_MAX:
        yield invalid(f"{place.path}.lun", lun, f"must be between 0 and {LUN_MAX}, inclusive")


@rule("VOLUME-FLEX-OPTIONS", volume_source("flexVolume"))
def flex_options(place: Place, context: Context) -> Iterator[FieldError]:
    """Options stay out of the namespaces of Kubernetes."""
    for key in fields(place.value, "options"):
        namespace = f".{key.split('/', 1)[0].lower()}"
        if namespace.endswith((".kubernetes.io", ".k8s.io")):
            yield invalid(f"{place.path}.options[{key}]", key, "kubernetes.io and k8s.io namespaces are reserved")


def _secret_name_errors(value: Fields, path: str) -> Iterator[FieldError]:
    if isinstance(value.get("secretRef"), dict) and not text(fields(value, "secretRef"), "name"):
        yield required(f"{path}.secretRef.name")


@rule("VOLUME-CINDER-SECRET", volume_source("cinder"))
def cinder_secret(place: Place, context: Context) -> Iterator[FieldError]:
    """A Secret has a name."""
    return _secret_name_errors(place.value, place.path)


@rule("VOLUME-AZURE-DISK-KIND", volume_source("azureDisk"))
def azure_disk(place: Place, context: Context) -> Iterator[FieldError]:
    """Caching mode and kind of a disk are known ones, and its address has the form for its kind."""
    caching, kind, uri = place.value.get("cachingMode"), place.value.get("kind"), text(place.value, "diskURI")
    if caching is not None and caching not in _CACHING:
        yield not_supported(f"{place.path}.cachingMode", caching, _CACHING)
    if kind is not None and kind not in _DISK_KINDS:
        yield not_supported(f"{place.path}.kind", kind, _DISK_KINDS)
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        yield not_supported(f"{place.path}.diskURI", uri, (_MANAGED_URI,))
    if kind is not None and kind != "Managed" and not uri.startswith("https://"):
        yield not_supported(f"{place.path}.diskURI", uri, (_BLOB_URI,))


@rule("VOLUME-STORAGEOS", volume_source("storageos"))
def storageos(place: Place, context: Context) -> Iterator[FieldError]:
    """Volume and namespace of StorageOS are DNS labels, its Secret has a name."""
    name, namespace = text(place.value, "volumeName"), text(place.value, "volumeNamespace")
    if not name:
        yield required(f"{place.path}.volumeName")
    else:
        yield from (invalid(f"{place.path}.volumeName", name, problem) for problem in label_problems(name))
    if namespace:
        yield from (invalid(f"{place.path}.volumeNamespace", namespace, problem) for problem in label_problems(namespace))
    yield from _secret_name_errors(place.value, place.path)


@rule("VOLUME-CSI", volume_source("csi"))
def csi(place: Place, context: Context) -> Iterator[FieldError]:
    """A CSI driver has a DNS name of at most 63 characters, and its Secret has a name."""
    driver = text(place.value, "driver")
    if not driver:
        yield required(f"{place.path}.driver")
    if len(driver) > _CSI_DRIVER_MAX:
        yield too_long(f"{place.path}.driver", _too_long(context))
    yield from (invalid(f"{place.path}.driver", driver, problem) for problem in subdomain_problems(driver.lower()))
    reference = place.value.get("nodePublishSecretRef")
    if isinstance(reference, dict) and not (name := text(reference, "name")):
        # A typo in upstream's path, corrected later.
        blank = "" if context.facts.blanks_in_paths_mended else " "
        yield required(f"{place.path}.nodePublishSecretRef{blank}.name")
    elif isinstance(reference, dict):
        # At .name and not at the reference, as upstream reports it.
        yield from (invalid(f"{place.path}.name", name, problem) for problem in subdomain_problems(name))


def _too_long(context: Context) -> str:
    limit = _CSI_DRIVER_MAX
    return f"may not be more than {limit} bytes" if context.facts.bytes_at_most else f"must have at most {limit} bytes"


@rule("VOLUME-IMAGE", volume_source("image"), since=33)
def image(place: Place, context: Context) -> Iterator[FieldError]:
    """An image volume has an image, and its pull policy is a known one."""
    if not text(place.value, "reference"):
        yield required(f"{place.path}.reference")
    policy = text(place.value, "pullPolicy")
    if policy and policy not in ("Always", "IfNotPresent", "Never"):
        yield not_supported(f"{place.path}.pullPolicy", policy, ("Always", "IfNotPresent", "Never"))
