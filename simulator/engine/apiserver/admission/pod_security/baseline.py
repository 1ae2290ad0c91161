"""The controls of the level baseline, which block known ways for a pod to break out of its containers.

Source: staging/src/k8s.io/pod-security-admission/policy/check_*.go.
"""

from collections.abc import Callable, Collection
from typing import Any

from simulator.engine.apiserver.admission.pod_security.findings import (
    Violation,
    container_words,
    named_containers,
    plural,
    quoted_list,
    security,
    setters,
)
from simulator.engine.apiserver.validation.errors import go_quoted
from simulator.engine.kernel.json_text import Json

Check = Callable[[Json, Json], Violation | None]
"""A control: maps the metadata and spec of a pod to what is wrong with them."""
_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
_SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
_CAPABILITIES = frozenset({
    "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP",
    "SETUID", "SYS_CHROOT",
})  # fmt: skip
_HOST_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
SECCOMP = ("Localhost", "RuntimeDefault")
_SELINUX = ("", "container_t", "container_init_t", "container_kvm_t")
_SYSCTLS = (
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
)
_SYSCTLS_1_27 = (*_SYSCTLS, "net.ipv4.ip_local_reserved_ports")
_SYSCTLS_1_29 = (
    *_SYSCTLS_1_27,
    *(f"net.ipv4.tcp_{name}" for name in ("keepalive_time", "fin_timeout", "keepalive_intvl", "keepalive_probes")),
)
_SYSCTLS_1_32 = (*_SYSCTLS_1_29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem")


def _annotated(metadata: Json) -> list[str]:
    """The annotations with an AppArmor profile that is not allowed."""
    found = []
    for key, value in (metadata.get("annotations") or {}).items():
        if key.startswith(_APPARMOR) and value and value != "runtime/default" and not value.startswith("localhost/"):
            found.append(f"{key}={go_quoted(value)}")
    return sorted(found)


def _apparmor_reason(values: list[str]) -> str:
    return plural("forbidden AppArmor profile", "forbidden AppArmor profiles", values)


def apparmor_annotations(metadata: Json, spec: Json) -> Violation | None:
    """AppArmor for servers that only know the annotations."""
    values = _annotated(metadata)
    return Violation(_apparmor_reason(values), ", ".join(values)) if values else None


def _profile(owner: Json, key: str) -> str | None:
    """The type of a profile in the security context; None if there is no profile."""
    held = security(owner).get(key)
    return None if held is None else str(held.get("type") or "")


def apparmor(metadata: Json, spec: Json) -> Violation | None:
    """AppArmor is not disabled, by field or by annotation."""
    found = [(name, kind) for name, item in named_containers(spec) if (kind := _profile(item, "appArmorProfile")) not in (None, *SECCOMP)]
    of_pod = _profile(spec, "appArmorProfile")
    is_bad = of_pod not in (None, *SECCOMP)
    values = sorted({str(kind) for _, kind in found} | ({str(of_pod)} if is_bad else set()))
    who = [setters(is_bad, [name for name, _ in found])] if is_bad or found else []
    if annotated := _annotated(metadata):
        values += annotated
        who.append(plural("annotation", "annotations", annotated))
    if not who:
        return None
    return Violation(_apparmor_reason(values), f"{' and '.join(who)} must not set AppArmor profile type to {quoted_list(values)}")


def added(spec: Json, allowed: Collection[str]) -> tuple[list[str], list[str]]:
    """Containers that add other capabilities, and these capabilities."""
    names: list[str] = []
    others: set[str] = set()
    for name, container in named_containers(spec):
        found = [item for item in (security(container).get("capabilities") or {}).get("add") or () if item not in allowed]
        if found:
            names.append(name)
            others.update(found)
    return names, sorted(others)


def capabilities(metadata: Json, spec: Json) -> Violation | None:
    """No capabilities are added beyond those that runtimes grant by default."""
    names, others = added(spec, _CAPABILITIES)
    detail = f"{container_words(names)} must not include {quoted_list(others)} in securityContext.capabilities.add"
    return Violation("non-default capabilities", detail) if names else None


def host_namespaces(metadata: Json, spec: Json) -> Violation | None:
    """The pod shares no namespace of the node."""
    found = [f"{key}=true" for key in _HOST_NAMESPACES if spec.get(key)]
    return Violation("host namespaces", ", ".join(found)) if found else None


def host_path(metadata: Json, spec: Json) -> Violation | None:
    """The pod mounts no directory of the node."""
    names = [str(volume.get("name")) for volume in spec.get("volumes") or () if volume.get("hostPath") is not None]
    return Violation("hostPath volumes", f"{plural('volume', 'volumes', names)} {quoted_list(names)}") if names else None


def host_ports(metadata: Json, spec: Json) -> Violation | None:
    """The pod uses no port of the node."""
    names: list[str] = []
    ports: set[str] = set()
    for name, container in named_containers(spec):
        found = [str(port["hostPort"]) for port in container.get("ports") or () if port.get("hostPort")]
        if found:
            names.append(name)
            ports.update(found)
    if not names:
        return None
    use, word = plural("uses", "use", names), plural("hostPort", "hostPorts", ports)
    return Violation("hostPort", f"{container_words(names)} {use} {word} {', '.join(sorted(ports))}")


def probe_hosts(metadata: Json, spec: Json) -> Violation | None:
    """Probes and hooks connect to the pod itself and to no other host."""
    names: set[str] = set()
    hosts: set[str] = set()
    for name, container in named_containers(spec):
        lifecycle = container.get("lifecycle") or {}
        handlers = [*(container.get(key) or {} for key in _PROBES), *(lifecycle.get(key) or {} for key in _HOOKS)]
        found = [host for handler in handlers for kind in ("httpGet", "tcpSocket") if (host := (handler.get(kind) or {}).get("host"))]
        if found:
            names.add(name)
            hosts.update(found)
    if not names:
        return None
    use, word = plural("uses", "use", names), plural("probe or lifecycle host", "probe or lifecycle hosts", hosts)
    return Violation("probe or lifecycle host", f"{container_words(sorted(names))} {use} {word} {quoted_list(sorted(hosts))}")


def privileged(metadata: Json, spec: Json) -> Violation | None:
    """No container is privileged."""
    names = [name for name, container in named_containers(spec) if security(container).get("privileged")]
    return Violation("privileged", f"{container_words(names)} must not set securityContext.privileged=true") if names else None


def proc_mount(metadata: Json, spec: Json) -> Violation | None:
    """/proc keeps its masks."""
    found = [
        (name, str(kind)) for name, item in named_containers(spec) if (kind := security(item).get("procMount")) not in (None, "Default")
    ]
    values = sorted({kind for _, kind in found})
    detail = f"{container_words([name for name, _ in found])} must not set securityContext.procMount to {quoted_list(values)}"
    return Violation("procMount", detail) if found else None


def unless_mapped(check: Check) -> Check:
    """The same control, from which a pod is exempt whose users are mapped to other users of the node."""
    return lambda metadata, spec: None if spec.get("hostUsers") is False else check(metadata, spec)


def _selinux(types: Collection[str]) -> Check:
    def check(metadata: Json, spec: Json) -> Violation | None:
        """SELinux options may only name the container types, and no user or role."""
        bad_types: set[str] = set()
        set_keys: set[str] = set()

        def is_bad(owner: Json) -> bool:
            options: dict[str, Any] = security(owner).get("seLinuxOptions") or {}
            kind = options.get("type") or ""
            keys = {key for key in ("user", "role") if options.get(key)}
            if kind not in types:
                bad_types.add(kind)
            set_keys.update(keys)
            return bool(keys) or kind not in types

        of_pod = is_bad(spec)
        names = [name for name, container in named_containers(spec) if is_bad(container)]
        if not of_pod and not names:
            return None
        data = [f"{plural('type', 'types', bad_types)} {quoted_list(sorted(bad_types))}"] if bad_types else []
        data += [f"{key} may not be set" for key in ("user", "role") if key in set_keys]
        return Violation("seLinuxOptions", f"{setters(of_pod, names)} set forbidden securityContext.seLinuxOptions: {'; '.join(data)}")

    return check


selinux = _selinux(_SELINUX)
selinux_1_31 = _selinux((*_SELINUX, "container_engine_t"))


def seccomp_annotations(metadata: Json, spec: Json) -> Violation | None:
    """Seccomp by annotations, for policies older than the field."""
    annotations = metadata.get("annotations") or {}
    # Only annotations for containers that exist count.
    keys = (_SECCOMP_POD, *(f"{_SECCOMP_CONTAINER}{name}" for name, _ in named_containers(spec)))
    found = sorted(f"{key}={go_quoted(annotations[key])}" for key in dict.fromkeys(keys) if _is_no_profile(annotations.get(key)))
    return Violation("seccompProfile", f"forbidden {plural('annotation', 'annotations', found)} {', '.join(found)}") if found else None


def _is_no_profile(value: str | None) -> bool:
    return value is not None and value not in ("runtime/default", "docker/default") and not value.startswith("localhost/")


def seccomp_set_badly(spec: Json) -> Violation | None:
    """Seccomp profiles that are set but not allowed."""
    found = [(name, kind) for name, item in named_containers(spec) if (kind := _profile(item, "seccompProfile")) not in (None, *SECCOMP)]
    of_pod = _profile(spec, "seccompProfile")
    is_bad = of_pod not in (None, *SECCOMP)
    if not found and not is_bad:
        return None
    values = sorted({str(kind) for _, kind in found} | ({str(of_pod)} if is_bad else set()))
    who = setters(is_bad, [name for name, _ in found])
    return Violation("seccompProfile", f"{who} must not set securityContext.seccompProfile.type to {quoted_list(values)}")


def seccomp(metadata: Json, spec: Json) -> Violation | None:
    """Seccomp is not disabled."""
    return seccomp_set_badly(spec)


def _sysctls(allowed: Collection[str]) -> Check:
    def check(metadata: Json, spec: Json) -> Violation | None:
        """The pod only sets kernel parameters that stay within the pod."""
        found = [name for item in security(spec).get("sysctls") or () if (name := str(item.get("name") or "")) not in allowed]
        return Violation("forbidden sysctls", ", ".join(found)) if found else None

    return check


sysctls, sysctls_1_27, sysctls_1_29, sysctls_1_32 = map(_sysctls, (_SYSCTLS, _SYSCTLS_1_27, _SYSCTLS_1_29, _SYSCTLS_1_32))


def host_process(metadata: Json, spec: Json) -> Violation | None:
    """No container runs as a HostProcess container on a Windows node."""

    def is_asked(owner: Json) -> bool:
        return bool((security(owner).get("windowsOptions") or {}).get("hostProcess"))

    of_pod, names = is_asked(spec), [name for name, container in named_containers(spec) if is_asked(container)]
    detail = f"{setters(of_pod, names)} must not set securityContext.windowsOptions.hostProcess=true"
    return Violation("hostProcess", detail) if of_pod or names else None
