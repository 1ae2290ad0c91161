"""How API servers until 1.22 said that a value has the wrong type: in the words of json-iterator, with bytes around the place.

Source: github.com/json-iterator/go (iter.go ReportError, reflect_struct_decoder.go, reflect_slice.go) and the Go types of k8s.io/api.
"""

from typing import Any

from simulator.manifests.body import position
from simulator.manifests.findings import Finding
from simulator.manifests.paths import parse_path
from simulator.manifests.schema import go_type

Json = dict[str, Any]
_NEAR, _FAR = 10, 50
_READ_AT_ONCE = 8
"""So many digits are read before the place in the text is remembered."""
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
"""Fields whose name in Go is not the one in JSON with a capital."""
_TYPES = {"LifecycleHandler": "Handler"}
_NAMED_REFERENCES = ("ConfigMapEnvSource", "SecretEnvSource", "ConfigMapKeySelector", "SecretKeySelector", "ConfigMapVolumeSource")
_EMBEDDED = {
    **{("Probe", key): "Handler" for key in ("exec", "httpGet", "tcpSocket")},
    **{(title, "name"): "LocalObjectReference" for title in (*_NAMED_REFERENCES, "ConfigMapProjection", "SecretProjection")},
    **{(title, key): "TypeMeta" for title in ("Pod",) for key in ("kind", "apiVersion")},
}
"""Fields that come from a structure inside the structure."""
_ALL_BUT = {"Volume": ("name", "VolumeSource"), "EphemeralContainer": ("targetContainerName", "EphemeralContainerCommon")}
"""Types of which all fields but one come from such a structure."""


def old_words(item: Finding, body: str, root: Json) -> str:
    """The text for a value that the schema ``root`` does not allow at its place in ``body``."""
    steps = parse_path(item.path)
    place = position(body, steps)
    prefix, schema = _types_on_the_way(root, steps)
    if place is None:
        return prefix + item.message
    begin, end = (len(body[:at].encode()) for at in place)
    operation, message, head = _complaint(schema, item, body.encode(), begin, end)
    return f"{prefix}{operation}: {message}, {_around(body.encode(), head)}"


def _around(sent: bytes, head: int) -> str:
    near, far = max(0, head - _NEAR), max(0, head - _FAR)
    parsing = sent[near : head + _NEAR].decode("utf-8", "replace")
    context = sent[far : head + _FAR].decode("utf-8", "replace")
    return f"error found in #{head - near} byte of ...|{parsing}|..., bigger context ...|{context}|..."


def _types_on_the_way(root: Json, steps: tuple[str, ...]) -> tuple[str, Json]:
    """The Go types and fields that lead to a path, and the schema of the value there."""
    prefix, schema = "", root
    for step in steps:
        if schema.get("properties"):
            prefix += _field(str(schema.get("title", "Object")), step)
            schema = schema["properties"].get(step) or {}
        elif schema.get("items"):
            schema = schema["items"]
            prefix += f"[]{_name(schema)}: "
        else:
            values = schema.get("additionalProperties")
            schema = values if isinstance(values, dict) else {}
    if _kind(schema) == "array":
        prefix += f"[]{_name(schema.get('items') or {})}: "
    return prefix, schema


def _field(title: str, step: str) -> str:
    own = _GO_FIELDS.get(step) or step[:1].upper() + step[1:]
    plain, around = _ALL_BUT.get(title, (step, ""))
    embedded = around if step != plain else _EMBEDDED.get((title, step))
    return f"v1.{_TYPES.get(title, title)}.{f'{embedded}: ' if embedded else ''}{own}: "


def _name(schema: Json) -> str:
    title = schema.get("title")
    return f"v1.{_TYPES.get(title, title)}" if title else go_type(schema)


def _kind(schema: Json) -> str:
    kind = schema.get("type", "object")
    return str(kind[0] if isinstance(kind, list) else kind)


def _complaint(schema: Json, item: Finding, sent: bytes, begin: int, end: int) -> tuple[str, str, int]:
    """What was tried, what was wrong, and how many bytes had been read then."""
    char, form, kind = chr(sent[begin]), schema.get("format", ""), _kind(schema)
    if form in ("quantity", "date-time", "int-or-string"):
        return "unmarshalerDecoder", _own_words(form, item, sent[begin:end].decode()), end
    if kind == "integer":
        return _number_complaint(form, sent, begin, end)
    if kind == "boolean":
        return "ReadBool", f"expect t or f, but found {char}", begin + 1
    if kind == "array":
        return "decode slice", f"expect [ or n, but found {char}", begin + 1
    if kind == "string":
        return "ReadString", f'expects " or n, but found {char}', begin + 1
    if schema.get("properties"):
        return "readObjectStart", f"expect {{ or n, but found {char}", begin + 1
    return "ReadMapCB", f"expect {{ or n, but found {char}", begin + 1


def _own_words(form: str, item: Finding, written: str) -> str:
    char = written[:1]
    if form == "quantity" or (form == "date-time" and char == '"'):
        return item.message
    given = {"t": "bool", "f": "bool", "{": "object", "[": "array"}.get(char, "number")
    if form == "int-or-string":
        return f"json: cannot unmarshal {f'number {written}' if given == 'number' else given} into Go value of type int32"
    return f"json: cannot unmarshal {given} into Go value of type string"


def _number_complaint(form: str, sent: bytes, begin: int, end: int) -> tuple[str, str, int]:
    digits = begin + (sent[begin : begin + 1] == b"-")
    point = sent.find(b".", begin, end)
    if sent[digits : digits + 1].isdigit() and point >= 0:
        return "assertInteger", "can not decode float as int", point
    bits = 64 if form == "int64" else 32
    if not sent[digits : digits + 1].isdigit():
        return f"readUint{bits}", "unexpected character: \ufffd", digits + 1
    read = _read(sent[digits:end], bits)
    if read is None:
        return f"readUint{bits}", "overflow", digits + (_READ_AT_ONCE if len(sent) - digits > _READ_AT_ONCE + 3 else 1)
    return f"ReadInt{bits}", f"overflow: {read}", end


def _read(digits: bytes, bits: int) -> int | None:
    """The number without a sign as it comes out of so many bits; None when a digit makes it smaller, which is noticed."""
    value, safe = 0, (2**bits - 1) // 10 - 1
    for digit in digits.decode():
        more = (value * 10 + int(digit)) % 2**bits
        if value > safe and more < value:
            return None
        value = more
    return value
