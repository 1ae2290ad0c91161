"""Rules for the change of any object: the parts of metadata that clients may not change.

Source: apimachinery pkg/api/validation/objectmeta.go ValidateObjectMetaAccessorUpdate; checked against answers recorded from a 1.20 server.
"""

from collections.abc import Iterator

from simulator.engine.apiserver.validation import validate_metadata
from simulator.engine.apiserver.validation.errors import FieldError, Verbatim, forbidden, invalid
from simulator.engine.apiserver.validation.pod_rules import Fields, fields
from simulator.engine.model.times import format_time, parse_time
from simulator.engine.versions.release import Release

IMMUTABLE = "field is immutable"
_IDENTITY = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
_TIMES = ("creationTimestamp", "deletionTimestamp")
_REVALIDATED = ("metadata.labels", "metadata.annotations", "metadata.ownerReferences")


def common_update_errors(old: Fields, new: Fields, *, release: Release) -> Iterator[FieldError]:
    """The errors that the generic layer finds in a change before the kind's own rules: in the new metadata, then in its changes."""
    yield from (error for rule, error in validate_metadata(new, release=release) if not rule.warning)
    yield from metadata_update_errors(old, new, release=release)


def metadata_update_errors(old: Fields, new: Fields, *, release: Release) -> Iterator[FieldError]:
    """The rules for a change of metadata; every kind's own rules run them once more, and the causes show it."""
    stored, sent = fields(old, "metadata"), fields(new, "metadata")
    if stored.get("deletionTimestamp"):
        yield from _new_finalizers(stored, sent)
    for key in _IDENTITY:
        if _settled(stored, key) != _settled(sent, key):
            yield invalid(f"metadata.{key}", _shown(key, sent.get(key)), IMMUTABLE)
    for rule, error in validate_metadata(new, release=release):
        if error.field.startswith(_REVALIDATED) and not rule.warning:
            yield error


def _new_finalizers(stored: Fields, sent: Fields) -> Iterator[FieldError]:
    added = sorted(set(sent.get("finalizers") or ()) - set(stored.get("finalizers") or ()))
    if added:
        listed = ", ".join(f'"{name}"' for name in added)
        detail = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{listed}}}"
        yield forbidden("metadata.finalizers", detail)


def _settled(metadata: Fields, key: str) -> object:
    value = metadata.get(key)
    return value if value != "" else None


def _shown(key: str, value: object) -> object:
    """The value as the message prints it: a time as Go does."""
    if key in _TIMES and isinstance(value, str):
        return Verbatim(go_time(value))
    if value is None and key not in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        return ""
    return value


def go_time(moment: str) -> str:
    """An RFC 3339 time as Go prints it: ``2030-01-01 00:00:00 +0000 UTC``; a string that is not a time stays."""
    try:
        settled = format_time(parse_time(moment))
    except ValueError:
        return moment
    return f"{settled[:10]} {settled[11:19]} +0000 UTC"
