"""What a pod's volumes hold: the files that each source provides, or why it provides none.

Source: pkg/volume/{configmap,secret,projected,downwardapi,hostpath}. Files of ConfigMaps, Secrets and
the Downward API belong to the kubelet, which mounts them read-only and rewrites them when their source has changed.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from simulator.engine.containers.files.filesystem import File, Files
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kubelet.pods.facts.pod_fields import resource_text, volume_field_text
from simulator.engine.kubelet.pods.volumes.host_paths import host_files
from simulator.engine.model.downward import BadField
from simulator.engine.model.objects import config_map_from_document, secret_from_document
from simulator.engine.model.pod import Volume
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.storage import claim_facts

FILE_MODE = 0o644
_TOKEN = "token of the service account {namespace}/{account}, issued for {audience}"
_CA = "-----BEGIN CERTIFICATE-----\nc2ltdWxhdGVkIGNsdXN0ZXI=\n-----END CERTIFICATE-----\n"
_Texts = Mapping[str, str]


class Unmountable(Exception):
    """The volume cannot be set up now; the text is the kubelet's. ``is_reported``: whether each attempt writes an Event."""

    def __init__(self, problem: str, *, is_reported: bool = True) -> None:
        super().__init__(problem)
        self.problem = problem
        self.is_reported = is_reported


def is_read_only(volume: Volume) -> bool:
    """Whether the kubelet mounts the volume read-only whatever the container requests."""
    return volume.image is not None or follows_source(volume)


def follows_source(volume: Volume) -> bool:
    """Whether the files are rewritten when their source changes."""
    return any(source is not None for source in (volume.config_map, volume.secret, volume.projected, volume.downward_api))


def volume_key(row: PodRow, volume: Volume) -> str:
    """The key of a volume's contents in the world: the pod's own, or shared by all users of the claim or the node's path."""
    if volume.persistent_volume_claim is not None:
        return f"claim/{row.namespace}/{volume.persistent_volume_claim.get('claimName')}"
    if volume.host_path is not None:
        return f"node/{row.node}{volume.host_path.get('path')}"
    return f"{row.key}/{volume.name}"


def token_key(namespace: str) -> str:
    """The key of the files that every pod of a namespace finds where the token is mounted."""
    return f"token/{namespace}"


def token_files(namespace: str) -> Files:
    """Stand-in for the token that the API server issues: the same three files, with readable text."""
    token = _TOKEN.format(namespace=namespace, account="default", audience="https://kubernetes.default.svc.cluster.local")
    return {"ca.crt": File(_CA), "namespace": File(namespace), "token": File(token)}


def contents(fx: Effects, row: PodRow, volume: Volume) -> Files:
    """The files of a volume as its source provides them now. Raises Unmountable."""
    if volume.persistent_volume_claim is not None:
        return _claimed(fx, row, volume)
    if volume.host_path is not None:
        return host_files(fx, volume_key(row, volume), volume.host_path, _refuse)
    for name, read in _SOURCES.items():
        source = getattr(volume, name)
        if source is not None:
            return _with_modes(fx, read(fx, row, source), int(source.get("defaultMode", FILE_MODE)))
    return fx.tables.volumes.get(volume_key(row, volume), {})


def _refuse(problem: str) -> Unmountable:
    return Unmountable(problem)


def _claimed(fx: Effects, row: PodRow, volume: Volume) -> Files:
    name = (volume.persistent_volume_claim or {}).get("claimName")
    claim = fx.tables.objects.get(("PersistentVolumeClaim", row.namespace, str(name)))
    if claim is not None and not claim_facts(claim).is_bound:
        raise Unmountable(f"error processing PVC {row.namespace}/{name}: PVC is not bound", is_reported=False)
    if claim is None:
        problem = f'failed to fetch PVC from API server: persistentvolumeclaims "{name}" not found'
        raise Unmountable(f"error processing PVC {row.namespace}/{name}: {problem}", is_reported=False)
    return fx.tables.volumes.get(volume_key(row, volume), {})


_Written = list[tuple[str, str, int | None]]
"""Path, text and mode (None: the volume's default)."""


def _with_modes(fx: Effects, written: _Written, default: int) -> Files:
    return {path: File(text, default if mode is None else mode, fx.now) for path, text, mode in written}


def _config_map(fx: Effects, row: PodRow, source: Mapping[str, Any]) -> _Written:
    name = str(source.get("name", ""))
    stored = fx.tables.objects.get(("ConfigMap", row.namespace, name))
    if stored is None:
        return _missing(source, f'configmap "{name}" not found')
    return _chosen(_config_texts(stored.document), source, "configmap references non-existent config key: {key}")


def _secret(fx: Effects, row: PodRow, source: Mapping[str, Any]) -> _Written:
    name = str(source.get("secretName") or source.get("name", ""))
    stored = fx.tables.objects.get(("Secret", row.namespace, name))
    if stored is None:
        return _missing(source, f'secret "{name}" not found')
    return _chosen(_secret_texts(stored.document), source, "references non-existent secret key: {key}")


def _missing(source: Mapping[str, Any], problem: str) -> _Written:
    if source.get("optional"):
        return []
    raise Unmountable(problem)


def _chosen(texts: _Texts, source: Mapping[str, Any], problem: str) -> _Written:
    """All keys as files, or those that ``items`` names."""
    items = source.get("items")
    if not items:
        return [(key, texts[key], None) for key in sorted(texts)]
    found: _Written = []
    for item in items:
        key = str(item.get("key"))
        if key in texts:
            found.append((str(item.get("path")), texts[key], item.get("mode")))
        elif not source.get("optional"):
            raise Unmountable(problem.format(key=key))
    return found


@cached_when_short(maxsize=256, chars_max=50_000, long_kept=4)
def _config_texts(document: str) -> _Texts:
    stored = config_map_from_document(json.loads(document))
    return {**stored.data, **{key: _text(data) for key, data in stored.binary.items()}}


@cached_when_short(maxsize=256, chars_max=50_000, long_kept=4)
def _secret_texts(document: str) -> _Texts:
    return {key: _text(data) for key, data in secret_from_document(json.loads(document)).data.items()}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _downward(fx: Effects, row: PodRow, source: Mapping[str, Any]) -> _Written:
    found: _Written = []
    for item in source.get("items") or ():
        path, mode = str(item.get("path")), item.get("mode")
        field, resource = item.get("fieldRef"), item.get("resourceFieldRef")
        try:
            text = (
                volume_field_text(fx.tables, row, str(field.get("fieldPath")))
                if field
                else resource_text(fx.tables, row, None, resource or {})
            )
        except BadField as problem:
            raise Unmountable(str(problem)) from None
        found.append((path, text, mode))
    return found


def _projected(fx: Effects, row: PodRow, source: Mapping[str, Any]) -> _Written:
    """All sources in one directory; problems with several of them are reported together."""
    found: _Written = []
    problems = []
    for entry in source.get("sources") or ():
        for name, read in _PROJECTED.items():
            if entry.get(name) is None:
                continue
            try:
                found += read(fx, row, entry[name])
            except Unmountable as unmountable:
                problems.append(unmountable.problem)
    if problems:
        raise Unmountable(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
    return found


def _account_token(fx: Effects, row: PodRow, source: Mapping[str, Any]) -> _Written:
    account = row.pod.spec.service_account_name
    audience = source.get("audience") or "https://kubernetes.default.svc.cluster.local"
    return [(str(source.get("path")), _TOKEN.format(namespace=row.namespace, account=account, audience=audience), None)]


_Reader = Callable[[Effects, PodRow, Mapping[str, Any]], _Written]
_SOURCES: dict[str, _Reader] = {"config_map": _config_map, "secret": _secret, "downward_api": _downward, "projected": _projected}
_PROJECTED: dict[str, _Reader] = {
    "configMap": _config_map,
    "secret": _secret,
    "downwardAPI": _downward,
    "serviceAccountToken": _account_token,
}


def same_files(one: Files, other: Files) -> bool:
    """Whether two volumes hold the same, whenever it was written."""
    if one.keys() != other.keys():
        return False
    return all((file.text, file.mode) == (other[path].text, other[path].mode) for path, file in one.items())
