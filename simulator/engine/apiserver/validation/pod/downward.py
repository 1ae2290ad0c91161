"""What the downward API may refer to, from variables and from files.

A ``fieldRef`` is checked twice, as in the API server: its path is first converted for the ``apiVersion``, which knows more paths than
any use may name, and then must be one that this use may name. So ``status.phase`` passes the first check and is refused by the second,
and ``spec.host`` comes out of the first as ``spec.nodeName``.

Source: pkg/apis/core/validation/validation.go validateObjectFieldSelector, validateContainerResourceFieldSelector,
validateContainerResourceDivisor; pkg/apis/core/pods/helpers.go ConvertDownwardAPIFieldLabel.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid, not_supported, required
from simulator.engine.apiserver.validation.names import qualified_name_problems
from simulator.engine.apiserver.validation.pod_rules import Context, Fields, text
from simulator.engine.model.quantity import BadQuantity, canonical, parse

_FILE_PATHS = ("metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid")
_ENV_PATHS = (
    *("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName"),
    *("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"),
)
_CONVERTIBLE = frozenset((*_FILE_PATHS, *_ENV_PATHS, "spec.restartPolicy", "spec.schedulerName", "status.phase"))
"""Paths that ConvertDownwardAPIFieldLabel knows: more than a file or a variable may name."""
_SUBSCRIPTED = ("metadata.annotations", "metadata.labels")
_RESOURCES = (
    *("limits.cpu", "limits.ephemeral-storage", "limits.memory"),
    *("requests.cpu", "requests.ephemeral-storage", "requests.memory"),
)
_HUGE_PAGES = ("requests.hugepages-", "limits.hugepages-")
_SIZES = ("1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei")
"""Divisors of a size in bytes, as the message lists them."""
_SIZE_NAMES = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}


def file_field_errors(reference: Fields, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with the ``fieldRef`` of a file in a downwardAPI volume."""
    return _field_errors(reference, path, context, _FILE_PATHS)


def env_field_errors(reference: Fields, path: str, context: Context) -> Iterator[FieldError]:
    """What is wrong with the ``fieldRef`` of an environment variable."""
    return _field_errors(reference, path, context, _ENV_PATHS)


def _field_errors(reference: Fields, path: str, context: Context, allowed: tuple[str, ...]) -> Iterator[FieldError]:
    version, written = text(reference, "apiVersion") or "v1", text(reference, "fieldPath")
    if not written:
        yield required(f"{path}.fieldPath")
        return
    problem = _conversion_problem(version, written, context)
    if problem:
        yield invalid(f"{path}.fieldPath", written, f"error converting fieldPath: {problem}")
        return
    # spec.host is an old name that conversion still accepts.
    known = "spec.nodeName" if written == "spec.host" else written
    base, subscript = split_subscript(known)
    if subscript is not None:
        name = subscript.lower() if base == "metadata.annotations" else subscript
        yield from (invalid(path, subscript, found) for found in qualified_name_problems(name))
    elif known not in allowed or _is_too_new(known, context):
        names = tuple(name for name in allowed if not _is_too_new(name, context))
        yield not_supported(f"{path}.fieldPath", known, names)


def _conversion_problem(version: str, written: str, context: Context) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    base, subscript = split_subscript(written)
    if subscript is not None:
        return "" if base in _SUBSCRIPTED else f"field label does not support subscript: {written}"
    if (written in _CONVERTIBLE or written == "spec.host") and not _is_too_new(written, context):
        return ""
    return f"field label not supported: {written}"


def _is_too_new(field_path: str, context: Context) -> bool:
    return field_path == "status.hostIPs" and not context.facts.host_ips


def split_subscript(field_path: str) -> tuple[str, str | None]:
    """``metadata.labels['k']`` as ``("metadata.labels", "k")``; None for a path without a subscript."""
    if not field_path.endswith("']"):
        return field_path, None
    base, found, rest = field_path[:-2].partition("['")
    return (base, rest) if found and base else (field_path, None)


def resource_field_errors(reference: Fields, path: str, context: Context, *, in_file: bool) -> Iterator[FieldError]:
    """What is wrong with a ``resourceFieldRef``. A file has to name its container; a variable belongs to one."""
    resource = text(reference, "resource")
    if in_file and not text(reference, "containerName"):
        yield required(f"{path}.containerName")
    elif not resource:
        yield required(f"{path}.resource")
    elif resource not in _RESOURCES and not (resource.startswith(_HUGE_PAGES) and context.facts.downward_huge_pages):
        yield not_supported(f"{path}.resource", resource, _RESOURCES)
    yield from _divisor_errors(reference, path)


def _divisor_errors(reference: Fields, path: str) -> Iterator[FieldError]:
    resource, written = text(reference, "resource"), reference.get("divisor")
    if written is None or not resource:
        return
    try:
        divisor = parse(written)
    except BadQuantity:
        return
    # A zero divisor counts as unset.
    if divisor.nano == 0:
        return
    _, _, name = resource.partition(".")
    # Upstream shows the resource as the value, not the divisor.
    if name == "cpu" and canonical(divisor) not in ("1m", "1"):
        yield invalid(f"{path}.divisor", resource, "only divisor's values 1m and 1 are supported with the cpu resource")
    kind = "hugepages" if resource.startswith(_HUGE_PAGES) else _SIZE_NAMES.get(name)
    if kind and canonical(divisor) not in _SIZES:
        yield invalid(f"{path}.divisor", resource, f"only divisor's values {', '.join(_SIZES)} are supported with the {kind} resource")
