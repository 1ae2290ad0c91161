"""Effects of creating or changing ConfigMaps and Secrets.

Pods read them in two ways. Files follow a change with the kubelet's next syncs, except for subPath mounts, which are
copies. Variables are fixed when the container starts. A pod that was waiting for a missing object starts when it is
created.
"""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from simulator.engine.world.rows import PodRow
from simulator.manifests.editor.preview.effects.effect_rules import Change, effect
from simulator.manifests.editor.preview.outcome import Effect

_NAMES_MAX = 5


def _mounted(row: PodRow, kind: str, name: str) -> bool:
    """Whether a file of it follows changes; one mounted by subPath does not."""
    key = "name" if kind == "ConfigMap" else "secretName"
    containers = (*row.pod.spec.init_containers, *row.pod.spec.containers)
    followed = {mount.name for container in containers for mount in container.volume_mounts if not (mount.sub_path or mount.sub_path_expr)}
    for volume in row.pod.spec.volumes:
        # A volume that no container mounts still counts: its files are kept up to date.
        if volume.name not in followed and any(mount.name == volume.name for item in containers for mount in item.volume_mounts):
            continue
        source = volume.config_map if kind == "ConfigMap" else volume.secret
        parts = (volume.projected or {}).get("sources") or ()
        inner = "configMap" if kind == "ConfigMap" else "secret"
        if (source or {}).get(key) == name or any((part.get(inner) or {}).get("name") == name for part in parts):
            return True
    return False


def _in_variables(row: PodRow, kind: str, name: str) -> bool:
    for container in (*row.pod.spec.init_containers, *row.pod.spec.containers):
        whole = (item.config_map_ref if kind == "ConfigMap" else item.secret_ref for item in container.env_from)
        sources = (item.value_from for item in container.env if item.value_from is not None)
        keys = (item.config_map_key_ref if kind == "ConfigMap" else item.secret_key_ref for item in sources)
        if any(item is not None and item.name == name for item in (*whole, *keys)):
            return True
    return False


def _names(rows: list[PodRow]) -> str:
    names = [row.name for row in rows]
    return ", ".join(names[:_NAMES_MAX]) + (" …" if len(names) > _NAMES_MAX else "")


@effect("ConfigMap", "Secret")
def readers(change: Change) -> Iterator[Effect]:
    """Pods that read the object: files follow a change, variables do not."""
    kind, name = change.kind, change.new.name
    mounted = [row for row in change.pods() if _mounted(row, kind, name)]
    named = [row for row in change.pods() if _in_variables(row, kind, name)]
    if change.old is None:
        waiting = list(dict.fromkeys(row.name for row in (*mounted, *named) if row.status.phase == "Pending"))
        if waiting:
            yield Effect(text=_("pods that wait for it can start: %s") % ", ".join(waiting[:_NAMES_MAX]), rule="config-found", tone="good")
        return
    if mounted:
        message = _("files in %s are updated on the kubelet’s next syncs, within about a minute and a half") % _names(mounted)
        yield Effect(text=message, rule="config-files", path="data")
    if named:
        message = _("variables of %s keep their values until their containers restart") % _names(named)
        yield Effect(text=message, rule="config-variables", path="data", tone="warn")
