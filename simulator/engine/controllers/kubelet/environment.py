"""The environment of a container: literal values, ConfigMaps, Secrets and the pod's own fields.

Order: envFrom first, then env, later names replacing earlier ones; a value may use variables that stand before it. The
addresses of Services that exist by then come last and replace nothing (pkg/kubelet/kubelet_pods.go makeEnvironmentVariables).
"""

import re
from collections import ChainMap
from collections.abc import Callable, Mapping

from simulator.engine.api.container import Container, EnvVar, EnvVarSource
from simulator.engine.controllers.k8s_events import emit
from simulator.engine.controllers.kubelet.objects import config_values, secret_values
from simulator.engine.controllers.kubelet.self_fields import field_text, resource_text
from simulator.engine.controllers.services import service_variables
from simulator.engine.effects import Effects
from simulator.engine.rows import PodRow
from simulator.engine.rules.text import RuleText, gettext_noop

Expand = Callable[[str, Mapping[str, str]], str]

RULES = (
    RuleText(
        "ENV-MISSING",
        gettext_noop("A ConfigMap, Secret or key that the container's environment needs does not exist."),
        "pkg/kubelet/kubelet_pods.go makeEnvironmentVariables",
    ),
    RuleText(
        "ENV-INVALID-NAMES",
        gettext_noop("Keys that are no names of environment variables are left out; the container starts without them."),
        "observed on a 1.20.2 node; pkg/kubelet/kubelet_pods.go makeEnvironmentVariables",
    ),
)


def environment(fx: Effects, row: PodRow, container: Container, expand: Expand) -> tuple[tuple[tuple[str, str], ...], str]:
    """The variables in order, or the configuration error that keeps the container from being created."""
    values: dict[str, str] = {}
    services = service_variables(fx, row)
    for source in container.env_from:
        kind, ref = ("configmap", source.config_map_ref) if source.config_map_ref else ("secret", source.secret_ref)
        if ref is None:
            continue
        found = config_values(fx, row.namespace, ref.name) if kind == "configmap" else secret_values(fx, row.namespace, ref.name)
        if found is None:
            if ref.optional:
                continue
            return (), f'{kind} "{ref.name}" not found'
        named = {source.prefix + key: text for key, text in found.items()}
        refused = sorted(name for name in named if not is_variable_name(name, relaxed=fx.profile.relaxed_env_names))
        values.update({name: text for name, text in named.items() if name not in refused})
        if refused:
            _tell_refused(fx, row, refused, kind, ref.name)
    for variable in container.env:
        text, problem = _value(fx, row, container, variable, ChainMap(values, services), expand)
        if problem:
            return (), problem
        if text is not None:
            values.pop(variable.name, None)
            values[variable.name] = text
    return (*values.items(), *((name, text) for name, text in services.items() if name not in values)), ""


def is_variable_name(name: str, *, relaxed: bool) -> bool:
    """Whether a key may become a variable: letters, digits, ``-._`` without a leading digit, or (relaxed) printable ASCII but ``=``."""
    if relaxed:
        return bool(name) and all(" " <= char <= "~" and char != "=" for char in name)
    return _VARIABLE.fullmatch(name) is not None and name not in (".", "..")


_VARIABLE = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")


def _tell_refused(fx: Effects, row: PodRow, refused: list[str], kind: str, name: str) -> None:
    label = "configMap" if kind == "configmap" else "secret"
    text = (
        f"Keys [{', '.join(refused)}] from the EnvFrom {label} {row.namespace}/{name} were skipped since they are considered invalid "
        "environment variable names."
    )
    emit(fx, row, severity="Warning", reason="InvalidEnvironmentVariableNames", message=text, rule="ENV-INVALID-NAMES")


def _value(
    fx: Effects, row: PodRow, container: Container, variable: EnvVar, values: Mapping[str, str], expand: Expand
) -> tuple[str | None, str]:
    source = variable.value_from
    if source is None:
        return expand(variable.value, values), ""
    if source.field_ref is not None:
        return field_text(fx.tables, row, source.field_ref.field_path), ""
    if source.resource_field_ref is not None:
        return resource_text(fx.tables, row, container, source.resource_field_ref), ""
    return _keyed(fx, row, source)


def _keyed(fx: Effects, row: PodRow, source: EnvVarSource) -> tuple[str | None, str]:
    """A key of a ConfigMap or Secret; None without a problem when it is optional and missing."""
    if source.config_map_key_ref is not None:
        ref, kind, label = source.config_map_key_ref, "configmap", "ConfigMap"
        found = config_values(fx, row.namespace, ref.name)
    elif source.secret_key_ref is not None:
        ref, kind, label = source.secret_key_ref, "secret", "Secret"
        found = secret_values(fx, row.namespace, ref.name)
    else:
        return None, ""
    if found is not None and ref.key in found:
        return found[ref.key], ""
    if ref.optional:
        return None, ""
    if found is None:
        return None, f'{kind} "{ref.name}" not found'
    return None, f"couldn't find key {ref.key} in {label} {row.namespace}/{ref.name}"
