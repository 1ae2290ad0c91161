"""The environment of a container: literal values, ConfigMaps, Secrets and the pod's own fields.

Order: envFrom first, then env, later names replacing earlier ones; a value may use variables defined before it. The
addresses of Services that already exist come last and replace nothing (pkg/kubelet/kubelet_pods.go makeEnvironmentVariables).
"""

import posixpath
import re
from collections import ChainMap
from collections.abc import Mapping

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.containers.arguments import ALL_BYTES_MAX, WORD_BYTES_MAX
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kubelet.pods.containers.expansion import expand
from simulator.engine.kubelet.pods.facts.config_content import config_values, secret_values
from simulator.engine.kubelet.pods.facts.pod_fields import field_text, resource_text
from simulator.engine.kubelet.pods.start.env_file import BadEnvFile, value_in
from simulator.engine.kubelet.pods.volumes.volume_content import volume_key
from simulator.engine.model.container import Container, EnvVar, EnvVarSource, FileKeySelector
from simulator.engine.network.services import service_variables
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

Variables = tuple[tuple[str, str], ...]

RULES = (
    RuleText(
        "ENV-MISSING",
        gettext_noop("A ConfigMap, Secret, file or key that the container’s environment needs does not exist."),
        "pkg/kubelet/kubelet_pods.go makeEnvironmentVariables",
    ),
    RuleText(
        "ENV-INVALID-NAMES",
        gettext_noop("Keys that are not valid environment variable names are skipped; the container starts without them."),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet_pods.go makeEnvironmentVariables",
    ),
)


UNBUILT: Variables = (("_", "x" * WORD_BYTES_MAX),)
"""Stands for an environment that is longer than the kernel accepts: it is rejected like the real one, and costs nothing."""
NAMES_CHARS_MAX = 8 << 20
"""How many characters of names ConfigMaps and Secrets may give one container (our limit); beyond that it counts as too long."""


class _Building:
    """The variables so far, the texts that were looked up for them, and whether they are too long for any program."""

    def __init__(self, fx: Effects, row: PodRow, container: Container) -> None:
        self.fx = fx
        self.row = row
        self.container = container
        self.values: dict[str, str] = {}
        self.services = service_variables(fx, row)
        self.known = ChainMap(self.values, self.services)
        self.is_full = False
        self._texts: dict[tuple[str, str], Mapping[str, str] | None] = {}
        self._chars = 0
        self._names = 0

    def put(self, name: str, text: str, *, last: bool = False) -> None:
        """Set a variable, in its old position or as the last; once all together are too long, nothing more is kept."""
        if self.is_full:
            return
        if name in self.values:
            self._chars -= len(name) + len(self.values[name])
            if last:
                del self.values[name]
        self._chars += len(name) + len(text)
        self.values[name] = text
        self.is_full = self._chars > ALL_BYTES_MAX

    def texts(self, kind: str, name: str) -> Mapping[str, str] | None:
        """The values of a ConfigMap or Secret, read once; None if it does not exist."""
        key = (kind, name)
        if key not in self._texts:
            read = config_values if kind == "configmap" else secret_values
            self._texts[key] = read(self.fx, self.row.namespace, name)
        return self._texts[key]

    def put_all(self, prefix: str, kind: str, name: str, found: Mapping[str, str]) -> None:
        """Set a variable for each key with a valid name."""
        self._names += sum(len(prefix) + len(key) + 1 for key in found)
        self.is_full = self.is_full or self._names > NAMES_CHARS_MAX
        if self.is_full:
            return
        relaxed = self.fx.profile.relaxed_env_names
        refused = []
        for key, text in found.items():
            if is_variable_name(prefix + key, relaxed=relaxed):
                self.put(prefix + key, text)
            else:
                refused.append(prefix + key)
        if refused:
            _emit_refused(self.fx, self.row, sorted(refused), kind, name)

    def variables(self) -> Variables:
        """All variables in order; the addresses of Services last."""
        if self.is_full:
            return UNBUILT
        return (*self.values.items(), *[item for item in self.services.items() if item[0] not in self.values])


def environment(fx: Effects, row: PodRow, container: Container) -> tuple[Variables, str]:
    """The variables in order, or the configuration error that keeps the container from being created.

    What the kernel would reject for its length is not built in full. O(names + ALL_BYTES_MAX).
    """
    building = _Building(fx, row, container)
    for source in container.env_from:
        kind, ref = ("configmap", source.config_map_ref) if source.config_map_ref else ("secret", source.secret_ref)
        if ref is None:
            continue
        found = building.texts(kind, ref.name)
        if found is not None:
            building.put_all(source.prefix, kind, ref.name, found)
        elif not ref.optional:
            return (), f'{kind} "{ref.name}" not found'
    for variable in container.env:
        text, problem = _value(building, variable)
        if problem:
            return (), problem
        if text is not None:
            building.put(variable.name, text, last=True)
    return building.variables(), ""


def is_variable_name(name: str, *, relaxed: bool) -> bool:
    """Whether a key is a valid variable name: letters, digits, ``-._``, no leading digit; or (relaxed) printable ASCII except ``=``."""
    if relaxed:
        return _PRINTABLE.fullmatch(name) is not None
    return _VARIABLE.fullmatch(name) is not None and name not in (".", "..")


_PRINTABLE = re.compile(r"[ -<>-~]+")
_VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


def _emit_refused(fx: Effects, row: PodRow, refused: list[str], kind: str, name: str) -> None:
    label = "configMap" if kind == "configmap" else "secret"
    text = (
        f"Keys [{', '.join(refused)}] from the EnvFrom {label} {row.namespace}/{name} were skipped since they are considered invalid "
        "environment variable names."
    )
    emit(fx, row, severity="Warning", reason="InvalidEnvironmentVariableNames", message=text, rule="ENV-INVALID-NAMES")


def _value(building: _Building, variable: EnvVar) -> tuple[str | None, str]:
    source = variable.value_from
    if source is None:
        return ("" if building.is_full else expand(variable.value, building.known)), ""
    if source.field_ref is not None:
        return field_text(building.fx.tables, building.row, source.field_ref.field_path), ""
    if source.resource_field_ref is not None:
        return resource_text(building.fx.tables, building.row, building.container, source.resource_field_ref), ""
    if source.file_key_ref is not None:
        return _from_file(building, source.file_key_ref)
    return _keyed(building, source)


def _from_file(building: _Building, ref: FileKeySelector) -> tuple[str | None, str]:
    """A key of a file in one of the pod's volumes; None without a problem if it is optional and missing."""
    fx, row = building.fx, building.row
    volume = next((item for item in row.pod.spec.volumes if item.name == ref.volume_name), None)
    if volume is None:
        return None, f'cannot find the volume "{ref.volume_name}" referenced by FileKeyRef'
    file = fx.tables.volumes.get(volume_key(row, volume), {}).get(posixpath.normpath(ref.path))
    if file is None or file.is_directory:
        return None, "" if ref.optional else _UNREADABLE
    try:
        text = value_in(file.text, ref.key, quoted=fx.profile.env_file_quotes)
    except BadEnvFile:
        return None, _UNREADABLE
    if len(text.encode("utf-8", "surrogateescape")) > FILE_VALUE_BYTES_MAX:
        return None, f'environment variable value for key "{ref.key}" exceeds maximum size of 32KB'
    if text:
        return text, ""
    return None, "" if ref.optional else f'environment variable key "{ref.key}" not found in file "{ref.path}"'


_UNREADABLE = "couldn't parse env file"
FILE_VALUE_BYTES_MAX = 32 * 1024
"""Limit of a single value in an environment file (pkg/kubelet/kubelet_pods.go)."""


def _keyed(building: _Building, source: EnvVarSource) -> tuple[str | None, str]:
    """A key of a ConfigMap or Secret; None without a problem if it is optional and missing."""
    if source.config_map_key_ref is not None:
        ref, kind, label = source.config_map_key_ref, "configmap", "ConfigMap"
    elif source.secret_key_ref is not None:
        ref, kind, label = source.secret_key_ref, "secret", "Secret"
    else:
        return None, ""
    found = building.texts(kind, ref.name)
    if found is not None and ref.key in found:
        return found[ref.key], ""
    if ref.optional:
        return None, ""
    if found is None:
        return None, f'{kind} "{ref.name}" not found'
    return None, f"couldn't find key {ref.key} in {label} {building.row.namespace}/{ref.name}"
