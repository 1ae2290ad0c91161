"""The Go names of the types and fields of the Kubernetes API, for messages of decoders that show them.

Source: staging/src/k8s.io/api/core/v1/types.go and apimachinery pkg/apis/meta/v1/types.go (1.20).
"""

from typing import Any

from simulator.engine.kernel.json_text import Json

_GO_FIELDS = {
    "metadata": "ObjectMeta",
    "apiVersion": "APIVersion",
    "uid": "UID",
    "serviceAccount": "DeprecatedServiceAccount",
    "ip": "IP",
    "httpGet": "HTTPGet",
    "httpHeaders": "HTTPHeaders",
    "tcpSocket": "TCPSocket",
    "tty": "TTY",
    "dnsPolicy": "DNSPolicy",
    "dnsConfig": "DNSConfig",
    "fsGroup": "FSGroup",
    "fsGroupChangePolicy": "FSGroupChangePolicy",
    "fsType": "FSType",
    "seLinuxOptions": "SELinuxOptions",
    "gmsaCredentialSpec": "GMSACredentialSpec",
    "pdName": "PDName",
    "pdID": "PdID",
    "gmsaCredentialSpecName": "GMSACredentialSpecName",
    "awsElasticBlockStore": "AWSElasticBlockStore",
    "iqn": "IQN",
    "gcePersistentDisk": "GCEPersistentDisk",
    "nfs": "NFS",
    "iscsi": "ISCSI",
    "rbd": "RBD",
    "cephfs": "CephFS",
    "fc": "FC",
    "csi": "CSI",
    "storageos": "StorageOS",
    "wwids": "WWIDs",
}
"""Fields whose Go name is not the JSON name with a capital."""
_TYPES = {"LifecycleHandler": "Handler"}
_NAMED_REFERENCES = ("ConfigMapEnvSource", "SecretEnvSource", "ConfigMapKeySelector", "SecretKeySelector", "ConfigMapVolumeSource")
_EMBEDDED = {
    **{("Probe", key): "Handler" for key in ("exec", "httpGet", "tcpSocket")},
    **{(title, "name"): "LocalObjectReference" for title in (*_NAMED_REFERENCES, "ConfigMapProjection", "SecretProjection")},
    **{(title, key): "TypeMeta" for title in ("Pod",) for key in ("kind", "apiVersion")},
}
"""Fields of a structure embedded in the structure."""
_ALL_BUT = {"Volume": ("name", "VolumeSource"), "EphemeralContainer": ("targetContainerName", "EphemeralContainerCommon")}
"""Types whose fields, except for one, come from an embedded structure."""


def type_name(title: str) -> str:
    """The type of a structure by the title of its schema."""
    return f"v1.{_TYPES.get(title, title)}"


def field_names(title: str, key: str) -> tuple[str, ...]:
    """The Go names of a field, the inner before the outer for a field of an embedded structure."""
    own = _GO_FIELDS.get(key) or key[:1].upper() + key[1:]
    plain, around = _ALL_BUT.get(title, (key, ""))
    embedded = around if key != plain else _EMBEDDED.get((title, key), "")
    return (own, embedded) if embedded else (own,)


def item_name(schema: Json) -> str:
    """The Go type of a list's items."""
    title = schema.get("title")
    return type_name(str(title)) if title else go_type(schema)


def go_type(schema: dict[str, Any]) -> str:
    """The name that the API server's decoder gives to the type of a schema."""
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = kind[0]
    form = schema.get("format", "")
    if form in ("quantity", "int-or-string", "byte", "date-time"):
        return {"quantity": "resource.Quantity", "int-or-string": "int32", "byte": "[]uint8", "date-time": "string"}[form]
    if kind == "array":
        return "[]" + go_type(schema.get("items", {}))
    if kind == "object":
        values = schema.get("additionalProperties")
        return "map[string]" + go_type(values) if isinstance(values, dict) else f"v1.{schema.get('title', 'Object')}"
    return {"integer": form or "int32", "boolean": "bool", "number": "float64"}.get(kind, "string")
