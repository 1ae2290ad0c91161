"""Rules for the annotations that have a meaning for pods."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, go_quoted, invalid
from simulator.engine.apiserver.validation.paths import descending_path_errors
from simulator.engine.apiserver.validation.pod_rules import ANNOTATIONS, Context, Place, fields, rule, text, visited
from simulator.engine.model.meta import MIRROR

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR_CONTAINER = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_PLAIN = ("runtime/default", "docker/default", "unconfined")
_PATH = "metadata.annotations"
_INT32 = range(-(2**31), 2**31)


def pod_annotations(context: Context) -> dict[str, str]:
    """The annotations of the pod."""
    found = fields(fields(context.pod, "metadata"), "annotations")
    return {key: value for key, value in found.items() if isinstance(value, str)}


@rule("MIRROR-NEEDS-NODE", ANNOTATIONS, of="annotations")
def mirror_needs_node(place: Place, context: Context) -> Iterator[FieldError]:
    """A mirror of a static pod has a node."""
    annotations = pod_annotations(context)
    if MIRROR in annotations and not text(context.spec, "nodeName"):
        yield invalid(f"{_PATH}[{MIRROR}]", annotations[MIRROR], "must set spec.nodeName if mirror pod annotation is set")


@rule("DELETION-COST", ANNOTATIONS, since=22, of="annotations")
def deletion_cost(place: Place, context: Context) -> Iterator[FieldError]:
    """The cost of deletion is a 32-bit number without a plus or leading zeros."""
    written = pod_annotations(context).get(DELETION_COST)
    if written is not None and not _is_int32(written):
        yield invalid(f"{_PATH}[{DELETION_COST}]", written, "must be a 32bit integer")


def _is_int32(written: str) -> bool:
    digits = written.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 11):
        return False
    # "-0" and "-01" pass: upstream looks at the first character alone.
    starts_well = written == "0" or written[0] in "-123456789"
    return starts_well and int(written) in _INT32


@rule("SECCOMP-ANNOTATIONS", ANNOTATIONS, of="annotations")
def seccomp_annotations(place: Place, context: Context) -> Iterator[FieldError]:
    """The old way to set a seccomp profile: a known word or a path below the node's profiles."""
    annotations = pod_annotations(context)
    if SECCOMP_POD in annotations:
        yield from _seccomp_errors(annotations[SECCOMP_POD], f"{_PATH}.{SECCOMP_POD}")
    for key, value in annotations.items():
        if key.startswith(SECCOMP_CONTAINER):
            yield from _seccomp_errors(value, f"{_PATH}.{key}")


def _seccomp_errors(profile: str, field: str) -> Iterator[FieldError]:
    if profile.startswith("localhost/"):
        yield from descending_path_errors(profile.removeprefix("localhost/"), field)
    elif profile not in _SECCOMP_PLAIN:
        yield invalid(field, profile, "must be a valid seccomp profile")


@rule("APPARMOR-ANNOTATIONS", ANNOTATIONS, of="annotations")
def apparmor_annotations(place: Place, context: Context) -> Iterator[FieldError]:
    """The old way to set an AppArmor profile: for a container of the pod, a known word or a profile of the node."""
    for key, value in pod_annotations(context).items():
        if not key.startswith(APPARMOR_CONTAINER):
            continue
        name = key.removeprefix(APPARMOR_CONTAINER)
        if all(text(container.value, "name") != name for container in visited(context.spec)):
            yield invalid(f"{_PATH}[{key}]", name, "container not found")
        if value not in ("", "runtime/default", "unconfined") and not value.startswith("localhost/"):
            yield invalid(f"{_PATH}[{key}]", value, f"invalid AppArmor profile name: {go_quoted(value)}")
