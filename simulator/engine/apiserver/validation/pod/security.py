"""Rules for the security contexts of containers and pods."""

import re
from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.errors import FieldError, duplicate, forbidden, invalid, not_supported, required, too_long
from simulator.engine.apiserver.validation.paths import descending_path_errors
from simulator.engine.apiserver.validation.pod.annotation import APPARMOR_CONTAINER, SECCOMP_CONTAINER, SECCOMP_POD, pod_annotations
from simulator.engine.apiserver.validation.pod_rules import (
    SECURITY,
    SPEC,
    WHOLE,
    Context,
    Fields,
    Place,
    fields,
    items,
    number,
    rule,
    text,
    texts,
    visited,
)
from simulator.engine.apiserver.validation.printed import structure

INT32_MAX = 2_147_483_647
ID_RANGE = f"must be between 0 and {INT32_MAX}, inclusive"
PROFILE_TYPES = ("Localhost", "RuntimeDefault", "Unconfined")
APPARMOR_PATH_MAX = 4095
SYSCTL_MAX = 253
_SEGMENT = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SYSCTL_RULE = f"({_SEGMENT}[\\./])*{_SEGMENT}"
_SYSCTL_RULE_BEFORE = f"({_SEGMENT}\\.)*{_SEGMENT}"
_SYSCTL = re.compile(_SYSCTL_RULE, re.ASCII)
_SYSCTL_BEFORE = re.compile(_SYSCTL_RULE_BEFORE, re.ASCII)
_IPC_SYSCTLS = ("kernel.shm", "kernel.msg", "fs.mqueue.")
_POD = "spec.securityContext"


def id_errors(security: Fields, key: str, path: str) -> Iterator[FieldError]:
    """A user or group id has 31 bits."""
    value = number(security, key)
    if value is not None and not 0 <= value <= INT32_MAX:
        yield invalid(f"{path}.{key}", value, ID_RANGE)


@rule("RUN-AS", SECURITY)
def run_as(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's user and group have 31 bits."""
    yield from id_errors(place.value, "runAsUser", place.path)
    yield from id_errors(place.value, "runAsGroup", place.path)


@rule("PROC-MOUNT", SECURITY, since=33)
def proc_mount(place: Place, context: Context) -> Iterator[FieldError]:
    """The whole of /proc is only exposed to pods with a user namespace of their own."""
    value, field = place.value.get("procMount"), f"{place.path}.procMount"
    if value not in (None, "Default", "Unmasked"):
        yield not_supported(field, value, ("Default", "Unmasked"))
    if value == "Unmasked" and context.spec.get("hostUsers") is not False:
        yield invalid(field, value, "`hostUsers` must be false to use `Unmasked`")


def seccomp_errors(profile: Any, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with a seccomp profile; None is no profile."""
    if not isinstance(profile, dict):
        return
    kind, local = text(profile, "type"), profile.get("localhostProfile")
    if not kind:
        yield required(f"{path}.type", "type is required when seccompProfile is set")
    elif kind not in PROFILE_TYPES:
        yield not_supported(f"{path}.type", kind, PROFILE_TYPES)
    if kind != "Localhost":
        if local is not None:
            shown = structure("SeccompProfile", profile, context)
            yield invalid(f"{path}.localhostProfile", shown, "can only be set when seccomp type is Localhost")
    elif local is None:
        yield required(f"{path}.localhostProfile", "must be set when seccomp type is Localhost")
    else:
        yield from descending_path_errors(str(local), f"{path}.localhostProfile")


@rule("SECCOMP", SECURITY)
def seccomp(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's seccomp profile is of a known type; a local one has a path."""
    return seccomp_errors(place.value.get("seccompProfile"), f"{place.path}.seccompProfile", context)


@rule("PRIVILEGE-ESCALATION", SECURITY)
def privilege_escalation(place: Place, context: Context) -> Iterator[FieldError]:
    """A privileged container, or one with CAP_SYS_ADMIN, cannot forbid privilege escalation."""
    if place.value.get("allowPrivilegeEscalation") is not False:
        return
    if place.value.get("privileged") is True:
        shown = structure("SecurityContext", place.value, context)
        yield invalid(place.path, shown, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
    for capability in texts(fields(place.value, "capabilities"), "add"):
        # With the prefix: SYS_ADMIN, as manifests write it, is not caught upstream either.
        if capability == "CAP_SYS_ADMIN":
            detail = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            yield invalid(place.path, structure("SecurityContext", place.value, context), detail)


def apparmor_errors(profile: Any, path: str) -> Iterator[FieldError]:
    """What is wrong with an AppArmor profile; None is no profile."""
    if not isinstance(profile, dict):
        return
    kind, local, field = text(profile, "type"), profile.get("localhostProfile"), f"{path}.localhostProfile"
    if not kind:
        yield required(f"{path}.type", "type is required when appArmorProfile is set")
    elif kind not in PROFILE_TYPES:
        yield not_supported(f"{path}.type", kind, PROFILE_TYPES)
    elif kind != "Localhost":
        if local is not None:
            yield invalid(field, local, "can only be set when AppArmor type is Localhost")
    elif isinstance(local, str) and local != local.strip():
        yield invalid(field, local, "must not be padded with whitespace")
    elif not local:
        yield required(field, "must be set when AppArmor type is Localhost")
    if kind == "Localhost" and isinstance(local, str) and len(local.encode()) > APPARMOR_PATH_MAX:
        yield too_long(field, f"may not be more than {APPARMOR_PATH_MAX} bytes")


@rule("APPARMOR", SECURITY, since=30)
def apparmor(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's AppArmor profile is of a known type; a local one has a name."""
    return apparmor_errors(place.value.get("appArmorProfile"), f"{place.path}.appArmorProfile")


@rule("POD-IDS", SPEC, of="securityContext")
def pod_ids(place: Place, context: Context) -> Iterator[FieldError]:
    """The pod's user and groups have 31 bits."""
    security = fields(context.spec, "securityContext")
    for key in ("fsGroup", "runAsUser", "runAsGroup"):
        yield from id_errors(security, key, _POD)
    groups = security.get("supplementalGroups")
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if isinstance(group, int) and not 0 <= group <= INT32_MAX:
            yield invalid(f"{_POD}.supplementalGroups[{index}]", group, ID_RANGE)


def _sysctls(context: Context, pattern: re.Pattern[str], shown: str) -> Iterator[FieldError]:
    seen: set[str] = set()
    for index, item in items(fields(context.spec, "securityContext"), "sysctls"):
        name, field = text(item, "name"), f"{_POD}.sysctls[{index}].name"
        if not name:
            yield required(field)
        elif len(name) > SYSCTL_MAX or not pattern.fullmatch(name):
            yield invalid(field, name, f"must have at most {SYSCTL_MAX} characters and match regex {shown}")
        elif name in seen:
            yield duplicate(field, name)
        seen.add(name)


@rule("SYSCTLS", SPEC, since=23, of="securityContext")
def sysctls(place: Place, context: Context) -> Iterator[FieldError]:
    """A kernel parameter has a well-formed name, with dots or slashes, and is set once."""
    return _sysctls(context, _SYSCTL, f"^{_SYSCTL_RULE}$")


@rule("SYSCTLS-1.22", SPEC, until=22, of="securityContext")
def sysctls_before(place: Place, context: Context) -> Iterator[FieldError]:
    """A kernel parameter has a well-formed name with dots, and is set once."""
    return _sysctls(context, _SYSCTL_BEFORE, _SYSCTL_RULE_BEFORE)


@rule("SYSCTLS-OF-HOST", SPEC, since=28, of="securityContext")
def sysctls_of_host(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod does not set parameters of a namespace that it shares with the node."""
    for index, item in items(fields(context.spec, "securityContext"), "sysctls"):
        name, field = text(item, "name"), f"{_POD}.sysctls[{index}].name"
        # Both spellings name the same parameter.
        dotted = name.replace("/", ".")
        if context.spec.get("hostNetwork") is True and dotted.startswith("net."):
            yield invalid(field, name, "may not be specified when 'hostNetwork' is true")
        elif context.spec.get("hostIPC") is True and (dotted.startswith(_IPC_SYSCTLS) or dotted == "kernel.sem"):
            yield invalid(field, name, "may not be specified when 'hostIPC' is true")


@rule("FS-GROUP-CHANGE-POLICY", SPEC, of="securityContext")
def fs_group_change_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The group of volumes is changed always, or only if their root has another group."""
    policy = fields(context.spec, "securityContext").get("fsGroupChangePolicy")
    if policy is not None and policy not in ("Always", "OnRootMismatch"):
        yield not_supported(f"{_POD}.fsGroupChangePolicy", policy, ("Always", "OnRootMismatch"))


@rule("POD-SECCOMP", SPEC, of="securityContext")
def pod_seccomp(place: Place, context: Context) -> Iterator[FieldError]:
    """The pod's seccomp profile is of a known type; a local one has a path."""
    return seccomp_errors(fields(context.spec, "securityContext").get("seccompProfile"), f"{_POD}.seccompProfile", context)


@rule("POD-APPARMOR", SPEC, since=30, of="securityContext")
def pod_apparmor(place: Place, context: Context) -> Iterator[FieldError]:
    """The pod's AppArmor profile is of a known type; a local one has a name."""
    return apparmor_errors(fields(context.spec, "securityContext").get("appArmorProfile"), f"{_POD}.appArmorProfile")


@rule("SUPPLEMENTAL-GROUPS-POLICY", SPEC, since_gate="SupplementalGroupsPolicy", of="securityContext")
def supplemental_groups_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """The policy for groups that the image defines is Merge or Strict."""
    policy = fields(context.spec, "securityContext").get("supplementalGroupsPolicy")
    if policy is not None and policy not in ("Merge", "Strict"):
        yield not_supported(f"{_POD}.supplementalGroupsPolicy", policy, ("Merge", "Strict"))


@rule("SELINUX-CHANGE-POLICY", SPEC, since=33, of="securityContext")
def selinux_change_policy(place: Place, context: Context) -> Iterator[FieldError]:
    """Volumes get their SELinux label file by file or with the mount."""
    policy = fields(context.spec, "securityContext").get("seLinuxChangePolicy")
    if policy is not None and policy not in ("MountOption", "Recursive"):
        yield not_supported(f"{_POD}.seLinuxChangePolicy", policy, ("MountOption", "Recursive"))


@rule("SECCOMP-MATCHES", WHOLE)
def seccomp_matches(place: Place, context: Context) -> Iterator[FieldError]:
    """If annotation and field both set a seccomp profile, they set the same."""
    annotations = pod_annotations(context)
    if not annotations:
        return
    profile = fields(fields(context.spec, "securityContext"), "seccompProfile")
    if profile and SECCOMP_POD in annotations:
        yield from _seccomp_mismatch(annotations[SECCOMP_POD], profile, f"{_POD}.seccompProfile")
    for container in visited(context.spec):
        profile = fields(fields(container.value, "securityContext"), "seccompProfile")
        written = annotations.get(f"{SECCOMP_CONTAINER}{text(container.value, 'name')}")
        if profile and written is not None:
            yield from _seccomp_mismatch(written, profile, f"{container.path}.securityContext.seccompProfile")


def _seccomp_mismatch(written: str, profile: Fields, path: str) -> Iterator[FieldError]:
    kind = text(profile, "type")
    allowed = {"Unconfined": ("unconfined",), "RuntimeDefault": ("runtime/default", "docker/default")}
    if (kind in allowed and written not in allowed[kind]) or (kind == "Localhost" and not written.startswith("localhost/")):
        yield forbidden(f"{path}.type", "seccomp type in annotation and field must match")
    elif kind == "Localhost" and written.removeprefix("localhost/") != text(profile, "localhostProfile"):
        yield forbidden(f"{path}.localhostProfile", "seccomp profile in annotation and field must match")


@rule("APPARMOR-MATCHES", WHOLE, pods_only=True, since=30)
def apparmor_matches(place: Place, context: Context) -> Iterator[FieldError]:
    """If annotation and field both set an AppArmor profile, they set the same."""
    annotations = pod_annotations(context)
    if not annotations or text(fields(context.spec, "os"), "name") == "windows":
        return
    of_pod = fields(fields(context.spec, "securityContext"), "appArmorProfile")
    for container in visited(context.spec):
        profile = fields(fields(container.value, "securityContext"), "appArmorProfile") or of_pod
        written = annotations.get(f"{APPARMOR_CONTAINER}{text(container.value, 'name')}")
        if profile and written is not None:
            yield from _apparmor_mismatch(written, profile, f"{container.path}.securityContext.appArmorProfile")


def _apparmor_mismatch(written: str, profile: Fields, path: str) -> Iterator[FieldError]:
    kind = text(profile, "type")
    word = {"Unconfined": "unconfined", "RuntimeDefault": "runtime/default"}.get(kind)
    if (word is not None and written != word) or (kind == "Localhost" and not written.startswith("localhost/")):
        yield forbidden(f"{path}.type", "apparmor type in annotation and field must match")
    elif kind == "Localhost" and written.removeprefix("localhost/") != text(profile, "localhostProfile"):
        yield forbidden(f"{path}.localhostProfile", "apparmor profile in annotation and field must match")
