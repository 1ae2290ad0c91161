"""How much memory each process of a site takes, as Linux tells it.

What counts is the proportional set size (PSS): a page that several processes share counts for each as one part of as many. Workers are
forked from a process that has imported everything, so their resident sizes (RSS) would count the same pages many times over, and their
private pages alone would leave out what they share. A process that writes to a page it has shared takes a page of its own; PSS grows
by just that. The files that a process has mapped are part of it.
"""

from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from simulator.bench.processes import family_of

WEB = "web"
KIB_MIB = 1024


class ProcessMemory(Struct, frozen=True):
    """One process: its name, ``web`` for the one that was started, and what it takes."""

    name: str
    pss_kib: int


def memory_of(pid: int) -> list[ProcessMemory]:
    """The process and all below it, each with what it takes now; a process that ends meanwhile is left out.

    ``python`` is what goes by no name of its own, in a site that does nothing the resource tracker of multiprocessing.
    """
    found: list[ProcessMemory] = []
    for each in family_of(pid):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            name = WEB if each == pid else Path(f"/proc/{each}/comm").read_text().strip()
            found.append(ProcessMemory(name, _pss_kib(each)))
    return found


def total_mib(processes: list[ProcessMemory]) -> int:
    """What the processes take together, in whole MiB."""
    return sum(each.pss_kib for each in processes) // KIB_MIB


def by_name(processes: list[ProcessMemory]) -> dict[str, list[int]]:
    """What the processes of each name take, in whole MiB, the largest first; names in the order in which they come."""
    found: dict[str, list[int]] = {}
    for each in processes:
        found.setdefault(each.name, []).append(each.pss_kib // KIB_MIB)
    return {name: sorted(sizes, reverse=True) for name, sizes in found.items()}


def _pss_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
