"""Rules for pods of one operating system."""

import re
from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, forbidden, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import subdomain_problems
from simulator.engine.apiserver.validation.pod_rules import SECURITY, SPEC, Context, Fields, Place, fields, rule, text, visited

SYSTEMS = ("linux", "windows")
CREDENTIAL_KIB_MAX = 64
DOMAIN_MAX = 256
USER_MAX = 104
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NET_BIOS = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}')
_DNS_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_DNS = re.compile(rf"{_DNS_LABEL}(?:\.{_DNS_LABEL})*", re.ASCII)
_BAD_USER = re.compile(r'["/\\:;|=,+*?<>@\[\]]')
_NO_WINDOWS = "windows options cannot be set for a linux pod"
_NO_LINUX = "cannot be set for a windows pod"
_NO_HOST_PROCESS = "pod must not contain Windows hostProcess containers when feature gate 'WindowsHostProcessContainers' is not enabled"
_POD_BANS = (
    *("securityContext.appArmorProfile", "securityContext.seLinuxOptions", "hostUsers", "hostPID", "hostIPC"),
    *("securityContext.seccompProfile", "securityContext.fsGroup", "securityContext.fsGroupChangePolicy", "securityContext.sysctls"),
    *("shareProcessNamespace", "securityContext.runAsUser", "securityContext.runAsGroup", "securityContext.supplementalGroups"),
    *("securityContext.supplementalGroupsPolicy", "securityContext.seLinuxChangePolicy"),
)
_CONTAINER_BANS = (
    *("appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities", "readOnlyRootFilesystem", "privileged"),
    *("allowPrivilegeEscalation", "procMount", "runAsUser", "runAsGroup"),
)
_PLAIN_FLAGS = ("hostPID", "hostIPC")


def options_errors(options: Fields, path: str) -> Iterator[FieldError]:
    """What is wrong with the Windows options of a security context."""
    name, credential = options.get("gmsaCredentialSpecName"), options.get("gmsaCredentialSpec")
    if isinstance(name, str):
        yield from (invalid(f"{path}.gmsaCredentialSpecName", name, problem) for problem in subdomain_problems(name))
    if credential == "":
        yield invalid(f"{path}.gmsaCredentialSpec", credential, "gmsaCredentialSpec cannot be an empty string")
    elif isinstance(credential, str) and len(credential.encode()) > CREDENTIAL_KIB_MAX * 1024:
        detail = f"gmsaCredentialSpec size must be under {CREDENTIAL_KIB_MAX} KiB"
        yield invalid(f"{path}.gmsaCredentialSpec", credential, detail)
    user = options.get("runAsUserName")
    if isinstance(user, str):
        yield from (invalid(f"{path}.runAsUserName", user, problem) for problem in _user_problems(user))


def _user_problems(written: str) -> Iterator[str]:
    if not written:
        yield "runAsUserName cannot be an empty string"
    elif _CONTROL.search(written):
        yield "runAsUserName cannot contain control characters"
    elif written.count("\\") > 1:
        yield "runAsUserName cannot contain more than one backslash"
    else:
        domain, backslash, user = written.rpartition("\\")
        if len(domain) >= DOMAIN_MAX:
            yield f"runAsUserName's Domain length must be under {DOMAIN_MAX} characters"
        if backslash and not (_NET_BIOS.fullmatch(domain) or _DNS.fullmatch(domain)):
            yield "runAsUserName's Domain doesn't match the NetBios nor the DNS format"
        if not user:
            yield "runAsUserName's User cannot be empty"
        elif len(user) > USER_MAX:
            yield f"runAsUserName's User length must not be longer than {USER_MAX} characters"
        if user and not user.strip(". "):
            yield "runAsUserName's User cannot contain only periods or spaces"
        if _BAD_USER.search(user):
            yield "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"


@rule("WINDOWS-OPTIONS", SECURITY)
def windows_options(place: Place, context: Context) -> Iterator[FieldError]:
    """A container's Windows user and credentials are well formed."""
    return options_errors(fields(place.value, "windowsOptions"), f"{place.path}.windowsOptions")


@rule("POD-WINDOWS-OPTIONS", SPEC, of="securityContext")
def pod_windows_options(place: Place, context: Context) -> Iterator[FieldError]:
    """The pod's Windows user and credentials are well formed."""
    options = fields(fields(context.spec, "securityContext"), "windowsOptions")
    return options_errors(options, "spec.securityContext.windowsOptions")


def _host_process(owner: Fields) -> bool | None:
    found = fields(fields(owner, "securityContext"), "windowsOptions").get("hostProcess")
    return found if isinstance(found, bool) else None


@rule("HOST-PROCESS-GATE", SPEC, since=22, until_gate="WindowsHostProcessContainers")
def host_process_gate(place: Place, context: Context) -> Iterator[FieldError]:
    """No container is a HostProcess container while the feature is off (pull request 99576; no release was checked for the wording)."""
    of_pod = _host_process(context.spec)
    if any(own is True or (own is None and of_pod is True) for item in visited(context.spec) for own in (_host_process(item.value),)):
        yield forbidden("spec", _NO_HOST_PROCESS)


@rule("HOST-PROCESS", SPEC, since=22)
def host_process(place: Place, context: Context) -> Iterator[FieldError]:
    """Either all containers of a pod are HostProcess containers, on the node's network, or none is."""
    of_pod, count, total = _host_process(context.spec), 0, 0
    for container in visited(context.spec):
        own = _host_process(container.value)
        total += 1
        if of_pod is not None and own is not None and of_pod != own:
            field = f"{container.path}.securityContext.windowsOptions.hostProcess"
            yield invalid(field, own, f"pod hostProcess value must be identical if both are specified, was {str(of_pod).lower()}")
        # The pod's setting counts if the container has none.
        count += own is True or (own is None and of_pod is True)
    if not count:
        return
    if count != total:
        yield invalid("spec", "", "If pod contains any hostProcess containers then all containers must be HostProcess containers")
    if context.spec.get("hostNetwork") is not True:
        yield invalid("spec.hostNetwork", False, "hostNetwork must be true if pod contains any hostProcess containers")


@rule("OS-NAME", SPEC, since=24)
def os_name(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod is for linux or windows."""
    system = context.spec.get("os")
    if isinstance(system, dict):
        name = text(system, "name")
        if not name:
            yield required("spec.os.name", "cannot be empty")
        elif name not in SYSTEMS:
            yield not_supported("spec.os", name, SYSTEMS)


@rule("OS-LINUX", SPEC, since=24, of="os")
def linux(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod for linux has no options for windows."""
    if text(fields(context.spec, "os"), "name") != "linux":
        return
    for path, owner in (("spec", context.spec), *((item.path, item.value) for item in visited(context.spec))):
        if fields(owner, "securityContext").get("windowsOptions") is not None:
            yield forbidden(f"{path}.securityContext.windowsOptions", _NO_WINDOWS)


@rule("OS-WINDOWS", SPEC, since=24, of="os")
def windows(place: Place, context: Context) -> Iterator[FieldError]:
    """A pod for windows has no fields that only apply to linux."""
    if text(fields(context.spec, "os"), "name") != "windows":
        return
    for key in _POD_BANS:
        parent, _, last = key.rpartition(".")
        value = (fields(context.spec, parent) if parent else context.spec).get(last)
        # hostPID and hostIPC are not pointers: false is the same as unset.
        if value is not None and value != [] and not (last in _PLAIN_FLAGS and value is False):
            yield forbidden(f"spec.{key}", _NO_LINUX)
    for container in visited(context.spec):
        security = fields(container.value, "securityContext")
        for key in _CONTAINER_BANS:
            if security.get(key) is not None:
                yield forbidden(f"{container.path}.securityContext.{key}", _NO_LINUX)
