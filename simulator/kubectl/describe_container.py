"""The part of ``kubectl describe pod`` about one container. Cells are separated by tabs; each level is indented by two spaces."""

from typing import Any

from simulator.engine.apiserver.documents.moments import long_date
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.container import Container, ResourceSelector
from simulator.engine.model.downward import BadField, field_value, resource_value
from simulator.engine.model.pod import Pod
from simulator.engine.projection.probe_texts import handler_text, numbers_text
from simulator.engine.versions.span import Span

_FIELD = "    "
_NESTED = "      "
_THRESHOLDS_NAMED = Span(since=37)
_PROBES = (("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe"))


def container_lines(container: Json, status: Json | None, pod: Pod, *, minor: int) -> list[str]:
    """The lines of one container; without a status entry, the lines that need one are left out."""
    lines = [f"  {container.get('name', '')}:"]
    if status is not None:
        lines.append(f"{_FIELD}Container ID:\t{status.get('containerID', '')}")
    lines.append(f"{_FIELD}Image:\t{container.get('image', '')}")
    if status is not None:
        lines.append(f"{_FIELD}Image ID:\t{status.get('imageID', '')}")
    lines += [
        *_ports(container),
        *_seccomp(container),
        *_words("Command", container.get("command")),
        *_words("Args", container.get("args")),
    ]
    if status is not None:
        lines += _states(status)
    lines += [*_quantities("Limits", container), *_quantities("Requests", container)]
    lines += [f"{_FIELD}{label}:\t{probe_text(container[field], minor=minor)}" for label, field in _PROBES if container.get(field)]
    return [*lines, *_env_from(container), *_env(container, pod), *_mounts(container), *_devices(container)]


def _ports(container: Json) -> list[str]:
    ports = container.get("ports") or []
    inside = ", ".join(f"{port.get('containerPort')}/{port.get('protocol')}" for port in ports)
    outside = ", ".join(f"{port.get('hostPort', 0)}/{port.get('protocol')}" for port in ports)
    plural = "s" if len(ports) > 1 else ""
    return [f"{_FIELD}Port{plural}:\t{inside or '<none>'}", f"{_FIELD}Host Port{plural}:\t{outside or '<none>'}"]


def _seccomp(container: Json) -> list[str]:
    profile = (container.get("securityContext") or {}).get("seccompProfile") or {}
    lines = [f"{_FIELD}SeccompProfile:\t{profile['type']}"] if profile.get("type") else []
    return [*lines, *([f"{_NESTED}LocalhostProfile:\t{profile['localhostProfile']}"] if profile.get("type") == "Localhost" else [])]


def _words(label: str, words: list[str] | None) -> list[str]:
    if not words:
        return []
    return [f"{_FIELD}{label}:", *(f"{_NESTED}{line}" for word in words for line in str(word).split("\n"))]


def _states(status: Json) -> list[str]:
    lines = _state("State", status.get("state") or {})
    if (status.get("lastState") or {}).get("terminated"):
        lines += _state("Last State", status["lastState"])
    ready = "True" if status.get("ready") else "False"
    return [*lines, f"{_FIELD}Ready:\t{ready}", f"{_FIELD}Restart Count:\t{status.get('restartCount', 0)}"]


def _state(label: str, state: Json) -> list[str]:
    if running := state.get("running"):
        return [f"{_FIELD}{label}:\tRunning", f"{_NESTED}Started:\t{_date(running.get('startedAt'))}"]
    if (ended := state.get("terminated")) is not None:
        return [f"{_FIELD}{label}:\tTerminated", *_ended(ended)]
    reason = (state.get("waiting") or {}).get("reason")
    return [f"{_FIELD}{label}:\tWaiting", *([f"{_NESTED}Reason:\t{reason}"] if reason else [])]


def _ended(state: Json) -> list[str]:
    lines = [f"{_NESTED}{label}:\t{state[key]}" for label, key in (("Reason", "reason"), ("Message", "message")) if state.get(key)]
    lines.append(f"{_NESTED}Exit Code:\t{state.get('exitCode', 0)}")
    lines += [f"{_NESTED}Signal:\t{state['signal']}"] if state.get("signal") else []
    return [*lines, f"{_NESTED}Started:\t{_date(state.get('startedAt'))}", f"{_NESTED}Finished:\t{_date(state.get('finishedAt'))}"]


def _date(text: str | None) -> str:
    # Go's zero time: kubectl prints it for a container that never started.
    return long_date(text) if text else "Mon, 01 Jan 0001 00:00:00 +0000"


def _quantities(label: str, container: Json) -> list[str]:
    values = (container.get("resources") or {}).get(label.lower()) or {}
    return [f"{_FIELD}{label}:", *(f"{_NESTED}{name}:\t{values[name]}" for name in sorted(values))] if values else []


def probe_text(probe: Json, *, minor: int) -> str:
    """``exec [cat /tmp/healthy] delay=5s timeout=1s period=5s #success=1 #failure=3``; since 1.37 the thresholds have their field names."""
    numbers = numbers_text(probe)
    if _THRESHOLDS_NAMED.holds_for(minor):
        numbers = numbers.replace("#success=", "successThreshold=").replace("#failure=", "failureThreshold=")
    return f"{handler_text(probe)} {numbers}"


def _env_from(container: Json) -> list[str]:
    sources = container.get("envFrom") or []
    lines = [f"{_FIELD}Environment Variables from:"] if sources else []
    for source in sources:
        kind, body = ("ConfigMap", source["configMapRef"]) if source.get("configMapRef") else ("Secret", source.get("secretRef") or {})
        prefix = f" with prefix '{source['prefix']}'" if source.get("prefix") else ""
        lines.append(f"{_NESTED}{body.get('name', '')}\t{kind}{prefix}\tOptional: {_bool(body.get('optional'))}")
    return lines


def _bool(value: Any) -> str:
    return "true" if value else "false"


def _env(container: Json, pod: Pod) -> list[str]:
    entries = container.get("env") or []
    if not entries:
        return [f"{_FIELD}Environment:\t<none>"]
    return [f"{_FIELD}Environment:", *(line for entry in entries for line in _variable(entry, container, pod))]


def _variable(entry: Json, container: Json, pod: Pod) -> list[str]:
    name, source = entry.get("name", ""), entry.get("valueFrom")
    if not source:
        first, *rest = str(entry.get("value", "")).split("\n")
        return [f"{_NESTED}{name}:\t{first}", *(f"{_NESTED}\t{line}" for line in rest)]
    if field := source.get("fieldRef"):
        return [f"{_NESTED}{name}:\t{_field(pod, field['fieldPath'])} ({field.get('apiVersion', 'v1')}:{field['fieldPath']})"]
    if resource := source.get("resourceFieldRef"):
        return [f"{_NESTED}{name}:\t{_resource(pod, container, resource)} ({resource.get('resource')})"]
    for key, text in (("secretKeyRef", "in secret"), ("configMapKeyRef", "of config map")):
        if selector := source.get(key):
            value = f"<set to the key '{selector.get('key')}' {text} '{selector.get('name')}'>"
            return [f"{_NESTED}{name}:\t{value}\tOptional: {_bool(selector.get('optional'))}"]
    return [f"{_NESTED}{name}:\t"]


def _field(pod: Pod, path: str) -> str:
    """The value of a metadata field; fields that only the node knows are left empty."""
    try:
        return field_value(pod, path)
    except BadField:
        return ""


def _resource(pod: Pod, container: Json, selector: Json) -> str:
    name = selector.get("containerName") or container.get("name")
    wanted: Container | None = next((item for item in (*pod.spec.containers, *pod.spec.init_containers) if item.name == name), None)
    if wanted is None:
        return ""
    resource = str(selector.get("resource"))
    try:
        value = resource_value(wanted, ResourceSelector(resource=resource, divisor=selector.get("divisor", "0")))
    except BadField:
        return ""
    return "node allocatable" if value == "0" and resource in ("limits.cpu", "limits.memory") else value


def _mounts(container: Json) -> list[str]:
    mounts = sorted(container.get("volumeMounts") or [], key=lambda mount: str(mount.get("mountPath", "")))
    if not mounts:
        return [f"{_FIELD}Mounts:\t<none>"]
    lines = []
    for mount in mounts:
        flags = "ro" if mount.get("readOnly") else "rw"
        flags += f',path="{mount["subPath"]}"' if mount.get("subPath") else ""
        lines.append(f"{_NESTED}{mount.get('mountPath')} from {mount.get('name')} ({flags})")
    return [f"{_FIELD}Mounts:", *lines]


def _devices(container: Json) -> list[str]:
    devices = sorted(container.get("volumeDevices") or [], key=lambda device: str(device.get("devicePath", "")))
    return [f"{_FIELD}Devices:", *(f"{_NESTED}{item.get('devicePath')} from {item.get('name')}" for item in devices)] if devices else []
