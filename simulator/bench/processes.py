"""The descendants of a process, from Linux's /proc."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """Process ids of the living children of a process, of all its threads together.

    Threads and processes come and go meanwhile: one that has ended has no children.
    """
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, path.read_text().split())
    return found


def family_of(pid: int) -> Iterator[int]:
    """The process and all its descendants."""
    yield pid
    for child in children_of(pid):
        yield from family_of(child)
