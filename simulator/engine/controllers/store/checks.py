"""The checks of new and changed documents, as lists of what stands against them."""

from simulator.engine.api.validation import validate_object, validate_object_update, validate_pod
from simulator.engine.api.validation.errors import FieldError
from simulator.engine.api.validation.metadata_update import metadata_update_errors
from simulator.engine.controllers.store.edits import Document


def check_new(document: Document, *, minor: int) -> list[FieldError]:
    """What stands against a new object of any kind besides Pod."""
    return [error for rule, error in validate_object(document, minor=minor) if not rule.warning]


def check_new_pod(document: Document, *, minor: int) -> list[FieldError]:
    """What stands against a new pod that has its defaults and what admission adds."""
    return [error for rule, error in validate_pod(document, minor=minor, defaulted=True) if not rule.warning]


def check_object_update(old: Document, new: Document, *, minor: int) -> list[FieldError]:
    """What stands against a change of an object that is no pod."""
    changes = list(metadata_update_errors(old, new, minor=minor))
    return [*changes, *(error for error in validate_object_update(old, new, minor=minor) if error not in changes)]
