"""Whether the API server would let a pod be changed: through the pod itself or one of its subresources, by version.

Almost nothing in a pod's spec may change. The server checks the few allowed changes by separate
rules (``rules``), then undoes everything allowed and compares: whatever still
differs is refused in one error that prints the difference (``allowed``, ``go_diff``). So a field
that nobody thought of is immutable by default.

Errors come in the order in which the server finds them: metadata of the new object, what changed in
metadata and the new pod as a whole (which of the two comes first depends on the version,
``new_pod_judged_first``), guarded annotations, the rules for changes, the comparison. Metadata is
validated by both the generic layer and the pod's own function, and the repeated causes show it.

A rule that ``stops`` ends the list, as the functions after it assume what it checks: containers are
compared by index once their number is known to be the same.

Source: pkg/apis/core/validation ValidatePodUpdate, ValidatePodStatusUpdate,
ValidatePodEphemeralContainersUpdate and ValidatePodResize; pkg/registry/core/pod/strategy.go;
checked against answers recorded from a 1.20 server.
"""

from collections.abc import Callable, Iterator

from msgspec import Struct

from simulator.engine.apiserver.validation import validate_pod
from simulator.engine.apiserver.validation.change.allowed import with_allowed_undone
from simulator.engine.apiserver.validation.change.metadata import common_update_errors, metadata_update_errors
from simulator.engine.apiserver.validation.change.resize import resize_errors
from simulator.engine.apiserver.validation.change.rules import SpecChange, rule_errors
from simulator.engine.apiserver.validation.change.status import status_errors
from simulator.engine.apiserver.validation.errors import FieldError, forbidden
from simulator.engine.apiserver.validation.go_diff import object_diff
from simulator.engine.apiserver.validation.pod_rules import Fields, fields, items, text
from simulator.engine.apiserver.validation.semantic import same
from simulator.engine.model.meta import MIRROR
from simulator.engine.versions.facts import facts_of
from simulator.engine.versions.release import Release

_GUARDED_ANNOTATIONS = (("container.apparmor.security.beta.kubernetes.io/", "AppArmor annotations"), (MIRROR, "mirror pod annotation"))
_ONLY_ON_CREATE = (
    "cannot be set on create",
    "cannot be set until all schedulingGates have been cleared",
    "in annotation and field must match",
)
_OF_ANNOTATIONS = ("metadata.annotations[", "metadata.annotations.")


class Versions(Struct, frozen=True):
    """The pod before and after, complete and with defaults, and the release that checks the change."""

    old: Fields
    new: Fields
    release: Release

    @property
    def minor(self) -> int:
        """The minor version that checks the change."""
        return self.release.minor


def validate_pod_update(old: Fields, new: Fields, *, release: Release, subresource: str = "") -> list[FieldError]:
    """All errors of the change, in the order of the causes; empty when it is accepted.

    ``new`` has gone through ``before_update`` and, for a subresource, only differs in what that may change. Includes the rules
    common to all kinds and the rules for the new pod as a whole. Raises KeyError for an unknown subresource.
    """
    pods = Versions(old, new, release)
    found = list(common_update_errors(old, new, release=release))
    return [*found, *_BY_SUBRESOURCE[subresource](pods)]


def _update(pods: Versions) -> Iterator[FieldError]:
    yield from _whole(pods)
    old, new = fields(pods.old, "spec"), fields(pods.new, "spec")
    found, stopped = rule_errors(SpecChange(old, new, pods.minor))
    yield from found
    kept = all(error.field != "spec.tolerations" for error in found)
    yield from (error for error in _new_pod_errors(pods) if kept and not stopped and error.field.startswith("spec.tolerations"))
    if not stopped:
        yield from _rest(old, new, pods.minor)


def _rest(old: Fields, new: Fields, minor: int) -> Iterator[FieldError]:
    """One error for everything that must not change, with the difference."""
    undone, facts = with_allowed_undone(old, new, minor=minor), facts_of(minor)
    if same(undone, old):
        return
    # The side that "-" stands for changed between versions.
    one, other = (undone, old) if facts.diff_starts_with_new else (old, undone)
    if difference := object_diff("PodSpec", one, other, minor=minor):
        yield forbidden("spec", f"{facts.pod_update_text}\n{difference}")


def _whole(pods: Versions) -> Iterator[FieldError]:
    """The changes in metadata and the new pod as a whole, in the order of the version; then guarded annotations."""
    changes = list(metadata_update_errors(pods.old, pods.new, release=pods.release))
    found_in_new = list(_new_pod_errors(pods))
    yield from (*found_in_new, *changes) if pods.release.facts.new_pod_judged_first else (*changes, *found_in_new)
    yield from _annotation_changes(pods, found_in_new)


def _new_pod_errors(pods: Versions) -> Iterator[FieldError]:
    """The errors of the new pod by the rules for pods, except those for creation alone."""
    for rule, error in validate_pod(pods.new, release=pods.release, defaulted=True):
        if not rule.warning and not error.detail.endswith(_ONLY_ON_CREATE):
            yield error


def _annotation_changes(pods: Versions, found_in_new: list[FieldError]) -> Iterator[FieldError]:
    old = fields(fields(pods.old, "metadata"), "annotations")
    new = fields(fields(pods.new, "metadata"), "annotations")
    for prefix, words in _GUARDED_ANNOTATIONS:
        for key in old:
            if key.startswith(prefix) and new.get(key) != old[key]:
                yield forbidden(f"metadata.annotations[{key}]", f"may not remove or update {words}")
        for key in new:
            if key.startswith(prefix) and key not in old:
                yield forbidden(f"metadata.annotations[{key}]", f"may not add {words}")
    yield from (error for error in found_in_new if error.field.startswith(_OF_ANNOTATIONS))


def _status(pods: Versions) -> Iterator[FieldError]:
    yield from metadata_update_errors(pods.old, pods.new, release=pods.release)
    yield from _annotation_changes(pods, list(_new_pod_errors(pods)))
    yield from status_errors(pods.old, pods.new, minor=pods.minor)


def _ephemeral(pods: Versions) -> Iterator[FieldError]:
    if _is_mirror(pods.old) and pods.release.facts.static_pods_refuse_debug:
        yield forbidden("", "static pods do not support ephemeral containers")
        return
    yield from _whole(pods)
    after = {text(item, "name"): item for _, item in items(fields(pods.new, "spec"), "ephemeralContainers")}
    for _, before in items(fields(pods.old, "spec"), "ephemeralContainers"):
        name = text(before, "name")
        if name not in after:
            yield forbidden("spec.ephemeralContainers", f'existing ephemeral containers "{name}" may not be removed\n')
        elif not same(before, after[name]):
            shown = object_diff("EphemeralContainer", before, after[name], minor=pods.minor)
            yield forbidden("spec.ephemeralContainers", f'existing ephemeral containers "{name}" may not be changed\n{shown}')


def _resize(pods: Versions) -> Iterator[FieldError]:
    found = [*metadata_update_errors(pods.old, pods.new, release=pods.release), *_new_pod_errors(pods)]
    yield from resize_errors(pods.old, pods.new, found=found, minor=pods.minor, is_mirror=_is_mirror(pods.old))


def _is_mirror(pod: Fields) -> bool:
    return MIRROR in fields(fields(pod, "metadata"), "annotations")


_BY_SUBRESOURCE: dict[str, Callable[[Versions], Iterator[FieldError]]] = {
    "": _update,
    "status": _status,
    "ephemeralcontainers": _ephemeral,
    "resize": _resize,
}
