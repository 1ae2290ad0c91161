"""Values in messages other than plain strings and numbers: JSON from 1.34 on, Go's own notation before.

Source: apimachinery pkg/util/validation/field/errors.go ErrorBody.
"""

from decimal import Decimal
from typing import Any

from simulator.engine.apiserver.validation.errors import Verbatim, go_quoted
from simulator.engine.apiserver.validation.pod_rules import Context


def listed(values: list[str], context: Context) -> Any:
    """A list of strings."""
    if context.facts.values_as_json:
        return values
    return Verbatim("[]string{" + ", ".join(go_quoted(value) for value in values) + "}")


def quantity(value: Any, context: Context) -> Any:
    """A quantity as a structure; Go shows its digits and scale, unless it is written with a binary suffix."""
    written = str(value)
    # Amounts with a binary suffix are shown as written.
    if context.facts.values_as_json or written.endswith("i"):
        return written
    digits, scale = _digits(written)
    amount = f"resource.int64Amount{{value:{digits}, scale:{scale}}}"
    return Verbatim(f'resource.Quantity{{i:{amount}, d:resource.infDecAmount{{Dec:(*inf.Dec)(nil)}}, s:"", Format:"DecimalSI"}}')


# %#v does not follow pointers inside structures.
ADDRESS = "0xc000000000"
"""Stands for the address that Go prints for a pointer: no two servers print the same."""
_TEXT = "string"
_UNSET: dict[str, Any] = {_TEXT: "", "": 0}
"""The Go value of a field that was not set, if it is not null."""
_STRUCTURES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Lifecycle": (("PostStart", "*core.Handler", "postStart"), ("PreStop", "*core.Handler", "preStop")),
    "Handler": (
        ("Exec", "*core.ExecAction", "exec"),
        ("HTTPGet", "*core.HTTPGetAction", "httpGet"),
        ("TCPSocket", "*core.TCPSocketAction", "tcpSocket"),
    ),
    "Probe": (
        ("Handler", "Handler", ""),
        ("InitialDelaySeconds", "", "initialDelaySeconds"),
        ("TimeoutSeconds", "", "timeoutSeconds"),
        ("PeriodSeconds", "", "periodSeconds"),
        ("SuccessThreshold", "", "successThreshold"),
        ("FailureThreshold", "", "failureThreshold"),
    ),
    "SecurityContext": (
        ("Capabilities", "*core.Capabilities", "capabilities"),
        ("Privileged", "*bool", "privileged"),
        ("SELinuxOptions", "*core.SELinuxOptions", "seLinuxOptions"),
        ("WindowsOptions", "*core.WindowsSecurityContextOptions", "windowsOptions"),
        ("RunAsUser", "*int64", "runAsUser"),
        ("RunAsGroup", "*int64", "runAsGroup"),
        ("RunAsNonRoot", "*bool", "runAsNonRoot"),
        ("ReadOnlyRootFilesystem", "*bool", "readOnlyRootFilesystem"),
        ("AllowPrivilegeEscalation", "*bool", "allowPrivilegeEscalation"),
        ("ProcMount", "*core.ProcMountType", "procMount"),
        ("SeccompProfile", "*core.SeccompProfile", "seccompProfile"),
    ),
    "SeccompProfile": (("Type", _TEXT, "type"), ("LocalhostProfile", "*string", "localhostProfile")),
    "Toleration": (
        *((name, _TEXT, name.lower()) for name in ("Key", "Operator", "Value", "Effect")),
        ("TolerationSeconds", "*int64", "tolerationSeconds"),
    ),
    "OwnerReference": (
        *(("APIVersion", _TEXT, "apiVersion"), ("Kind", _TEXT, "kind"), ("Name", _TEXT, "name"), ("UID", _TEXT, "uid")),
        *(("Controller", "*bool", "controller"), ("BlockOwnerDeletion", "*bool", "blockOwnerDeletion")),
    ),
    **dict.fromkeys(("PodIP", "HostIP"), (("IP", _TEXT, "ip"),)),
}
"""Go types of 1.20: field, type ("" for a number), and JSON key ("" for fields of the same map)."""
_OF_EVERY_KIND = ("OwnerReference",)
"""Types that belong to the metadata of any kind."""


def structure(name: str, value: Any, context: Context) -> Any:
    """A structure such as a probe: JSON of the type in the server's memory, or Go's notation of it."""
    if not isinstance(value, dict):
        return value
    if context.facts.values_as_json:
        return _json_structure(name, value)
    return Verbatim(_go_structure(name, value))


def structures(name: str, values: list[dict[str, Any]], context: Context) -> Any:
    """A list of such structures."""
    if context.facts.values_as_json:
        return [_json_structure(name, value) for value in values]
    return Verbatim(f"[]{_qualified(name)}{{{', '.join(_go_structure(name, value) for value in values)}}}")


def _qualified(name: str) -> str:
    return f"{'v1' if name in _OF_EVERY_KIND else 'core'}.{name}"


def _json_structure(name: str, value: dict[str, Any]) -> dict[str, Any]:
    """The fields by their Go names, the only ones that types of the server's memory have; metadata is as it was sent."""
    if name in _OF_EVERY_KIND:
        return value
    plain = {field: (kind, value.get(key)) for field, kind, key in _STRUCTURES[name] if key}
    return {field: _UNSET.get(kind) if found is None else found for field, (kind, found) in plain.items()}


def _go_structure(name: str, value: dict[str, Any]) -> str:
    parts = [f"{field}:{_go_part(kind, value if not key else value.get(key))}" for field, kind, key in _STRUCTURES[name]]
    return f"{_qualified(name)}{{{', '.join(parts)}}}"


def _go_part(kind: str, value: Any) -> str:
    if kind.startswith("*"):
        return f"({kind})({'nil' if value is None else ADDRESS})"
    if kind == _TEXT:
        return go_quoted(value or "")
    return _go_structure(kind, value) if kind else str(value or 0)


_SUFFIXES = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def _digits(written: str) -> tuple[int, int]:
    suffix = _SUFFIXES.get(written[-1:], 0)
    number = Decimal(written[:-1] if suffix else written)
    exponent = min(int(number.as_tuple().exponent), 0)
    return int(number.scaleb(-exponent)), exponent + suffix
