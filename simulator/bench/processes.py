"""The processes below a process, as Linux tells them."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def children_of(pid: int) -> list[int]:
    """Process ids of what a process has started and that is there, all its threads' together.

    Threads and processes come and go meanwhile: whatever has ended has none.
    """
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, path.read_text().split())
    return found


def family_of(pid: int) -> Iterator[int]:
    """The process and all below it."""
    yield pid
    for child in children_of(pid):
        yield from family_of(child)
