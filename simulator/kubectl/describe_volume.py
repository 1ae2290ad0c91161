"""The Volumes section of ``kubectl describe pod``. Cells are separated by tabs."""

from collections.abc import Callable
from typing import Any

from simulator.engine.kernel.json_text import Json

_FIELD = "    "
_CLAIM = "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)"
_TYPES = {
    "emptyDir": "EmptyDir (a temporary directory that shares a pod's lifetime)",
    "secret": "Secret (a volume populated by a Secret)",
    "configMap": "ConfigMap (a volume populated by a ConfigMap)",
    "downwardAPI": "DownwardAPI (a volume populated by information about the pod)",
    "projected": "Projected (a volume that contains injected data from multiple sources)",
    "hostPath": "HostPath (bare host directory volume)",
    "persistentVolumeClaim": _CLAIM,
    "nfs": "NFS (an NFS mount that lasts the lifetime of a pod)",
    "csi": "CSI (a Container Storage Interface (CSI) volume source)",
    "image": "Image (a container image or OCI artifact)",
}


def volume_lines(volumes: list[Json], *, optional_line: bool) -> list[str]:
    """The lines of the section. With ``optional_line``, a projected ConfigMap prints ``Optional: false`` instead of
    ``ConfigMapOptional: <nil>``."""
    if not volumes:
        return ["Volumes:\t<none>"]
    lines = ["Volumes:"]
    for volume in volumes:
        lines.append(f"  {volume.get('name', '')}:")
        # The API server allows a volume only one source.
        kind = next((key for key in volume if key != "name"), "")
        lines.append(f"{_FIELD}Type:\t{_TYPES.get(kind, '<unknown>')}")
        source = volume.get(kind) or {}
        lines += _projected(source, optional_line=optional_line) if kind == "projected" else _DETAILS.get(kind, _nothing)(source)
    return lines


def _nothing(source: Json) -> list[str]:
    return []


def _bool(value: Any) -> str:
    return "true" if value else "false"


def _empty_dir(source: Json) -> list[str]:
    return [f"{_FIELD}Medium:\t{source.get('medium', '')}", f"{_FIELD}SizeLimit:\t{source.get('sizeLimit') or '<unset>'}"]


def _secret(source: Json) -> list[str]:
    return [f"{_FIELD}SecretName:\t{source.get('secretName', '')}", f"{_FIELD}Optional:\t{_bool(source.get('optional'))}"]


def _config_map(source: Json) -> list[str]:
    return [f"{_FIELD}Name:\t{source.get('name', '')}", f"{_FIELD}Optional:\t{_bool(source.get('optional'))}"]


def _host_path(source: Json) -> list[str]:
    return [f"{_FIELD}Path:\t{source.get('path', '')}", f"{_FIELD}HostPathType:\t{source.get('type', '')}"]


def _claim(source: Json) -> list[str]:
    return [f"{_FIELD}ClaimName:\t{source.get('claimName', '')}", f"{_FIELD}ReadOnly:\t{_bool(source.get('readOnly'))}"]


def _nfs(source: Json) -> list[str]:
    lines = [f"{_FIELD}Server:\t{source.get('server', '')}", f"{_FIELD}Path:\t{source.get('path', '')}"]
    return [*lines, f"{_FIELD}ReadOnly:\t{_bool(source.get('readOnly'))}"]


def _csi(source: Json) -> list[str]:
    lines = [f"{_FIELD}Driver:\t{source.get('driver', '')}", f"{_FIELD}FSType:\t{source.get('fsType', '')}"]
    values = [f"{key}={value}" for key, value in sorted((source.get("volumeAttributes") or {}).items())] or ["<none>"]
    lines += [f"{_FIELD}ReadOnly:\t{_bool(source.get('readOnly'))}", f"{_FIELD}VolumeAttributes:\t{values[0]}"]
    return [*lines, *(f"{_FIELD}\t{value}" for value in values[1:])]


def _image(source: Json) -> list[str]:
    return [f"{_FIELD}Reference:\t{source.get('reference', '')}", f"{_FIELD}PullPolicy:\t{source.get('pullPolicy', '')}"]


def _downward(source: Json) -> list[str]:
    lines = [f"{_FIELD}Items:"]
    for item in source.get("items") or []:
        path = (item.get("fieldRef") or {}).get("fieldPath") or (item.get("resourceFieldRef") or {}).get("resource")
        lines.append(f"      {path} -> {item.get('path')}")
    return lines


def _projected(source: Json, *, optional_line: bool) -> list[str]:
    lines: list[str] = []
    for item in source.get("sources") or []:
        if secret := item.get("secret"):
            lines += [f"{_FIELD}SecretName:\t{secret.get('name')}", _optional("SecretOptionalName", secret, optional_line)]
        elif item.get("downwardAPI"):
            lines.append(f"{_FIELD}DownwardAPI:\ttrue")
        elif config := item.get("configMap"):
            lines += [f"{_FIELD}ConfigMapName:\t{config.get('name')}", _optional("ConfigMapOptional", config, optional_line)]
        elif token := item.get("serviceAccountToken"):
            lines.append(f"{_FIELD}TokenExpirationSeconds:\t{token.get('expirationSeconds')}")
    return lines


def _optional(label: str, source: Json, optional_line: bool) -> str:
    value = source.get("optional")
    if optional_line:
        return f"{_FIELD}Optional:\t{_bool(value)}"
    return f"{_FIELD}{label}:\t{'<nil>' if value is None else _bool(value)}"


_DETAILS: dict[str, Callable[[Json], list[str]]] = {
    "emptyDir": _empty_dir,
    "secret": _secret,
    "configMap": _config_map,
    "downwardAPI": _downward,
    "hostPath": _host_path,
    "persistentVolumeClaim": _claim,
    "nfs": _nfs,
    "csi": _csi,
    "image": _image,
}
