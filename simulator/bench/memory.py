"""The memory of each process of a site, from Linux's /proc.

The measure is the proportional set size (PSS): a page shared by n processes counts as 1/n for each. Workers are forked from a process that
has imported everything, so their resident sizes (RSS) would count the same pages many times over, and their private pages alone would leave
out what they share. A process that writes to a shared page gets a page of its own, and PSS grows by exactly that. Mapped files are
included.
"""

from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from simulator.bench.processes import family_of

WEB = "web"
KIB_MIB = 1024


class ProcessMemory(Struct, frozen=True):
    """One process: its name, ``web`` for the one that was started, and its memory."""

    name: str
    pss_kib: int


def memory_of(pid: int) -> list[ProcessMemory]:
    """The process and all its descendants, each with its current memory; a process that ends meanwhile is left out.

    ``python`` is any process without a name of its own: in an idle site, the resource tracker of multiprocessing.
    """
    found: list[ProcessMemory] = []
    for each in family_of(pid):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            name = WEB if each == pid else Path(f"/proc/{each}/comm").read_text().strip()
            found.append(ProcessMemory(name, _pss_kib(each)))
    return found


def total_mib(processes: list[ProcessMemory]) -> int:
    """The memory of the processes together, in whole MiB."""
    return sum(each.pss_kib for each in processes) // KIB_MIB


def by_name(processes: list[ProcessMemory]) -> dict[str, list[int]]:
    """The memory of the processes of each name, in whole MiB, the largest first; names in order of appearance."""
    found: dict[str, list[int]] = {}
    for each in processes:
        found.setdefault(each.name, []).append(each.pss_kib // KIB_MIB)
    return {name: sorted(sizes, reverse=True) for name, sizes in found.items()}


def _pss_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
