"""Which tests can notice what: the profile's fields, the facts and the targets of machines' rows that a test reads while it runs."""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper, partial
from typing import Any

from simulator.bench.mutate.mutants import profile_key, row_key
from simulator.engine.kernel.machine import Row
from simulator.engine.rules.machine_tables import ALL
from simulator.engine.versions import FIELDS, Profile
from simulator.engine.versions.facts import FACTS, Facts


@contextmanager
def noting(note: Callable[[str], None]) -> Iterator[None]:
    """While the block runs, ``note`` is called with the key of every field and every target that is read."""
    slots = [(holder, field, holder.__dict__[field]) for holder, fields in ((Profile, FIELDS), (Facts, FACTS)) for field in fields]
    target = Row.__dict__["target"]
    keys = {id(row): row_key(machine.name, row) for machine in ALL for row in machine.rows}
    for holder, field, slot in slots:
        setattr(holder, field, _noted(slot, partial(_same, profile_key(field)), note))
    setattr(Row, "target", _noted(target, lambda row: keys.get(id(row), ""), note))  # noqa: B010 - mypy lets nobody assign it
    try:
        yield
    finally:
        setattr(Row, "target", target)  # noqa: B010
        for holder, field, slot in slots:
            setattr(holder, field, slot)


def caches() -> list[Any]:
    """Every ``lru_cache`` of the process. A cached value is not read by the test that gets it, so they are emptied before each test."""
    # By exact type: isinstance() looks at __class__, for which a lazy object reads the database.
    return [each for each in gc.get_objects() if type(each) is _lru_cache_wrapper]


def _same(key: str, _: Profile | Facts) -> str:
    return key


def _noted(slot: Any, key_of: Callable[[Any], str], note: Callable[[str], None]) -> property:
    """The field of a struct; each read is noted under its key."""

    def read(holder: Any) -> Any:
        note(key_of(holder))
        return slot.__get__(holder)

    return property(read)
