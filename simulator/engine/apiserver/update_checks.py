"""The checks of new and changed documents, as lists of errors."""

from simulator.engine.apiserver.validation import validate_object_update
from simulator.engine.apiserver.validation.change.metadata import metadata_update_errors
from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.release import Release


def check_object_update(old: Json, new: Json, *, release: Release) -> list[FieldError]:
    """The errors of a change of an object other than a pod."""
    changes = list(metadata_update_errors(old, new, release=release))
    return [*changes, *(error for error in validate_object_update(old, new, release=release) if error not in changes)]
