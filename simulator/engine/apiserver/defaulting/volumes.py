"""The defaults of a volume document."""

from typing import Any

from simulator.engine.apiserver.defaulting.containers import fill_field_ref, map_of, maps
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import default_pull_policy
from simulator.engine.model.volume_sources import VOLUME_SOURCES

_FILE_MODE = 0o644
_MODES = ("secret", "configMap", "downwardAPI", "projected")
_PLAIN: dict[str, dict[str, Any]] = {
    "hostPath": {"type": ""},
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}
"""Fields and their values by volume source."""
_EMPTY_IS_GIVEN = ("azureDisk",)
"""Sources whose fields are pointers: an empty string is a value."""
_TOKEN_S = 3600


def fill_volume(volume: Json, *, image_volumes: bool) -> None:
    """Fill in the defaults of a volume, in place; one without a source becomes an emptyDir."""
    if not any(volume.get(source) is not None for source in VOLUME_SOURCES):
        volume["emptyDir"] = {}
    for kind, values in _PLAIN.items():
        if isinstance(volume.get(kind), dict):
            for name, value in values.items():
                if volume[kind].get(name) is None or (volume[kind][name] == "" and kind not in _EMPTY_IS_GIVEN):
                    volume[kind][name] = value
    for kind in _MODES:
        if isinstance(volume.get(kind), dict):
            _fill_files(volume[kind])
    image = volume.get("image")
    if image_volumes and isinstance(image, dict) and not image.get("pullPolicy"):
        image["pullPolicy"] = default_pull_policy(str(image.get("reference") or ""))
    claim = volume.get("ephemeral")
    if isinstance(claim, dict) and isinstance(claim.get("volumeClaimTemplate"), dict):
        # The template of an ephemeral volume is defaulted like a claim of its own.
        claim["volumeClaimTemplate"].setdefault("spec", {}).setdefault("volumeMode", "Filesystem")


def _fill_files(source: Json) -> None:
    source.setdefault("defaultMode", _FILE_MODE)
    _fill_items(source)
    for part in maps(source, "sources"):
        _fill_items(map_of(part, "downwardAPI"))
        token = part.get("serviceAccountToken")
        if isinstance(token, dict):
            token.setdefault("expirationSeconds", _TOKEN_S)


def _fill_items(source: Json) -> None:
    for item in maps(source, "items"):
        fill_field_ref(item)
