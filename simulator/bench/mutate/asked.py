"""Who can notice what: which fields of the profile and which rows of the machines a test asks for while it runs."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from typing import Any

from simulator.bench.mutate.mutants import profile_key, row_key
from simulator.engine.machine import Machine
from simulator.engine.profile import FIELDS, Profile


@contextmanager
def noting(note: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, ``note`` is told of every field that is read and every row that is taken, by its key."""
    fields = {field: Profile.__dict__[field] for field in FIELDS}
    pick = Machine.pick
    for field, slot in fields.items():
        setattr(Profile, field, _noted(slot, profile_key(field), note))
    setattr(Machine, "pick", _noted_pick(pick, note))  # noqa: B010 - a method, which mypy lets nobody assign
    try:
        yield
    finally:
        for field, slot in fields.items():
            setattr(Profile, field, slot)
        setattr(Machine, "pick", pick)  # noqa: B010


def caches() -> list[Any]:
    """Every ``lru_cache`` of the process. What a test gets from one it does not ask for, so they are emptied before each."""
    return [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]


def _noted(slot: Any, key: str, note: Callable[[str], None]) -> property:
    def read(profile: Profile) -> Any:
        note(key)
        return slot.__get__(profile)

    return property(read)


def _noted_pick(pick: Callable[..., Any], note: Callable[[str], None]) -> Callable[..., Any]:
    def noted(machine: Machine[Any], *asked: Any) -> Any:
        row = pick(machine, *asked)
        if row is not None:
            note(row_key(machine.name, row))
        return row

    return noted
