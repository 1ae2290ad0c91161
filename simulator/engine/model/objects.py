"""The small kinds the engine reads besides Pod: ConfigMap, Secret, Service."""

import binascii
from base64 import b64decode
from typing import Any

from msgspec import Struct

from simulator.engine.kernel.errors import BadManifest
from simulator.engine.kernel.typed import Typed
from simulator.engine.model.manifest import convert
from simulator.engine.model.meta import ObjectMeta


class ConfigMap(Struct, frozen=True, gc=False, kw_only=True):
    """A ConfigMap: strings and bytes by key (``binary`` holds the decoded binaryData)."""

    metadata: ObjectMeta
    data: dict[str, str]
    binary: dict[str, bytes]


class Secret(Struct, frozen=True, gc=False, kw_only=True):
    """A Secret with its values decoded; stringData has been merged over data, as the API server does."""

    metadata: ObjectMeta
    type: str
    data: dict[str, bytes]


class ServicePort(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A port of a Service; ``target_port`` None means the same number, a string names a container port."""

    port: int
    name: str = ""
    protocol: str = "TCP"
    target_port: int | str | None = None
    node_port: int = 0


class ServiceSpec(
    Struct,
    frozen=True,
    kw_only=True,
    rename={"cluster_ip": "clusterIP", "external_name": "externalName", "publish_not_ready_addresses": "publishNotReadyAddresses"},
):
    """Which pods a Service selects and where it listens."""

    selector: dict[str, str] = {}
    ports: tuple[ServicePort, ...] = ()
    type: str = "ClusterIP"
    cluster_ip: str = ""
    external_name: str = ""
    publish_not_ready_addresses: bool = False


class Service(Struct, frozen=True, gc=False, kw_only=True):
    """A Service as written in the manifest."""

    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


class _Data(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    metadata: ObjectMeta = ObjectMeta()
    type: str = "Opaque"
    data: dict[str, str] = {}
    binary_data: dict[str, str] = {}
    string_data: dict[str, str] = {}


_DATA: Typed[_Data] = Typed(_Data)
_SERVICE: Typed[Service] = Typed(Service)


def config_map_from_document(document: dict[str, Any]) -> ConfigMap:
    """Read a ConfigMap; raises BadManifest (wrong types, binaryData that is not base64)."""
    raw = convert(document, _DATA)
    return ConfigMap(metadata=raw.metadata, data=raw.data, binary=_decoded("binaryData", raw.binary_data))


def secret_from_document(document: dict[str, Any]) -> Secret:
    """Read a Secret; raises BadManifest (wrong types, data that is not base64)."""
    raw = convert(document, _DATA)
    written = {key: value.encode() for key, value in raw.string_data.items()}
    return Secret(metadata=raw.metadata, type=raw.type, data={**_decoded("data", raw.data), **written})


def service_from_document(document: dict[str, Any]) -> Service:
    """Read a Service; raises BadManifest."""
    return convert(document, _SERVICE)


def _decoded(field: str, values: dict[str, str]) -> dict[str, bytes]:
    return {key: decode_base64(value, path=f"{field}[{key}]") for key, value in values.items()}


def decode_base64(text: str, *, path: str) -> bytes:
    """The bytes of standard base64 as Go decodes it (line breaks are skipped); raises BadManifest with ``path``."""
    try:
        return b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise BadManifest(path, "illegal base64 data") from None
