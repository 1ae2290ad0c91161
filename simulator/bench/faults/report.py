"""The table of faults that ``manage.py bench faults`` prints."""

import tempfile
from collections.abc import Iterator, Sequence
from math import inf
from pathlib import Path

from simulator.bench.faults.deal import Dealt, deal, faults_of
from simulator.bench.faults.plant import LEASE_MS, Alone, Apart, Plant

FAULTS = 200
SITES: dict[str, type[Plant]] = {"alone": Alone, "apart": Apart}
LOST_LEASE = "belongs to another process now"
"""The log message for a returning owner whose append was refused."""
REPLAYED_S = 3.0
"""Time after the lease by which the next owner must be there: runners look twice a second, and replay the run."""
TRACEBACK = "Traceback (most recent call last)"


def report(number: int = FAULTS, *, seed: int = 1, sites: Sequence[str] = tuple(SITES), seconds: float = inf) -> Iterator[str]:
    """Inject ``number`` faults, equally many per kind of site, and report the outcome. Some seconds each;
    no more are injected after ``seconds``.

    Ends with AssertionError if anything was lost, duplicated, or accepted from a stale owner, if a run was taken over late, or if a log
    contains a traceback. Raises NotInstalled.
    """
    everything: list[Dealt] = []
    tracebacks = 0
    share = number // len(sites)
    for kind in (SITES[name] for name in sites):
        with tempfile.TemporaryDirectory(prefix="podscope-faults-") as folder, kind(Path(folder)) as plant:
            yield f"faults    {share} to {plant.kind}, a lease of {LEASE_MS / 1000:.0f} s, seed {seed}"
            dealt = list(deal(plant, share, seed=seed, seconds=seconds / len(sites)))
            yield from lines_of(dealt, list(faults_of(plant)))
            late_owners, found = plant.log_lines_with(LOST_LEASE), plant.log_lines_with(TRACEBACK)
            yield f"faults    in the logs: {late_owners} owners that came back too late, {found} tracebacks"
            everything += dealt
            tracebacks += found
    yield total_of(everything)
    wrong = [f"{each.name}: {words}" for each in everything for words in (*each.wrong, *late(each))]
    wrong += [f"{tracebacks} tracebacks in the logs"] * bool(tracebacks)
    if wrong:
        raise AssertionError("\n".join(wrong))


def late(dealt: Dealt) -> Iterator[str]:
    """What is wrong with the time until the next owner had the run: more than the lease, plus the time to notice and to replay."""
    if dealt.taken_s is not None and dealt.taken_s > LEASE_MS / 1000 + REPLAYED_S:
        yield f"another owner had it after {dealt.taken_s:.1f} s"


def lines_of(dealt: list[Dealt], names: list[str]) -> Iterator[str]:
    """A line for each kind of fault."""
    for name in names:
        these = [each for each in dealt if each.name == name]
        if not these:
            continue
        settled = sorted(each.settled_s for each in these)
        taken = sorted(each.taken_s for each in these if each.taken_s is not None)
        line = f"faults    {name:34} × {len(these):3}: wrong {sum(bool(each.wrong) for each in these)}, "
        line += f"all is well again after {settled[len(settled) // 2]:.1f} s (worst {settled[-1]:.1f} s)"
        yield line + (f", another owner after {taken[len(taken) // 2]:.1f} s (worst {taken[-1]:.1f} s)" if taken else "")


def total_of(dealt: list[Dealt]) -> str:
    """The line below the table."""
    if not dealt:
        return "faults    none in all"
    tried, refused = sum(each.tried for each in dealt), sum(each.refused for each in dealt)
    return (
        f"faults    {len(dealt)} in all: {sum(bool(each.wrong) for each in dealt)} with anything lost, doubled or missing; "
        f"{refused:,} of {tried:,} stale appends refused; up to {max(each.acts for each in dealt)} acts and "
        f"{max(each.records for each in dealt):,} records of a run, and up to {max(each.links for each in dealt)} links to it, judged "
        "after each fault"
    )
