"""The API server's messages about an object that differs from a valid one in a few fields."""

import copy
from collections.abc import Callable

import pytest

from simulator.engine.apiserver.validation import validate_object, validate_object_update
from simulator.engine.versions.release import Release

NEWEST = 35


def changed(document: dict, changes: dict) -> dict:
    """The document with values at dotted paths (numbers are indexes) set, or removed by None."""
    found = copy.deepcopy(document)
    for path, value in changes.items():
        *steps, last = path.split(".")
        place = found
        for step in steps:
            place = place[int(step)] if isinstance(place, list) else place.setdefault(step, {})
        if value is None:
            place.pop(last)
        else:
            place[int(last) if isinstance(place, list) else last] = value
    return found


@pytest.fixture(scope="session")
def said() -> Callable[..., list[str]]:
    """Errors of a new object, ``field: message`` each."""

    def say(document: dict, changes: dict, minor: int = NEWEST) -> list[str]:
        found = validate_object(changed(document, changes), release=Release(minor))
        return [f"{error.field}: {error.message}" for rule, error in found if not rule.warning]

    return say


@pytest.fixture(scope="session")
def warned() -> Callable[..., list[str]]:
    """Warnings about a new object."""

    def warn(document: dict, changes: dict, minor: int = NEWEST) -> list[str]:
        found = validate_object(changed(document, changes), release=Release(minor))
        return [f"{error.field}: {error.message}" for rule, error in found if rule.warning]

    return warn


@pytest.fixture(scope="session")
def refused() -> Callable[..., list[str]]:
    """Errors of an update; ``before`` are changes to the valid object, ``after`` those on top of them."""

    def refuse(document: dict, before: dict, after: dict, minor: int = NEWEST) -> list[str]:
        old = changed(document, before)
        found = validate_object_update(old, changed(old, after), release=Release(minor))
        return [f"{error.field}: {error.message}" for error in found]

    return refuse
