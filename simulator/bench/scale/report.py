"""The output of ``manage.py bench scale``: the capacity of one, two and four machines, by the CPU time of each. Some minutes per line."""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import msgspec

from simulator.bench.faults.servers import driver, program
from simulator.bench.load.report import troubles_text
from simulator.bench.scale.arithmetic import BARS, SharedWork, shared_work, times
from simulator.bench.scale.machines import COORDINATOR
from simulator.bench.scale.network import BenchNetwork, namespaces, processes_alone, why_not
from simulator.bench.scale.scenes import SCALE_TRIAL, ScaleShare, ScaleSight, ScaleTrial
from simulator.bench.site import ROOT

SIZES = (1, 2, 4)
SHARE = ScaleShare()
KINDS = {
    "runs": "runs at {rate:g}×",
    "viewers": "frames to viewers a second",
    "pages": "pages a second",
    "sweeps": "cells of sweeps a second",
}
"""The kinds of work, and the unit in which the site's capacity with one core per machine and one for the coordinator is given."""
SERVED = ("web", "redis")
"""For viewers only these parts count: the work of runners and PostgreSQL for the runs is the same however many watch."""


class TrialFailed(Exception):
    """The site did not start, or the visitors could not be played."""


def report(sizes: Sequence[int] = SIZES, *, share: ScaleShare = SHARE) -> Iterator[str]:
    """The lines of each size as soon as they are known. Raises NotInstalled and TrialFailed."""
    refuse_without_servers()
    why = why_not()
    yield (
        "scale     each machine has a web process, a runner and a process for sweeps, the coordinator PostgreSQL and Redis; "
        + (
            f"{why}, so they are processes of this machine, on ports of their own, and nothing crosses a network"
            if why
            else "each is a network namespace with a host name of its own"
        )
    )
    alone: dict[str, SharedWork] = {}
    fixed_ms = 0.0
    for size in sizes:
        seen = tried(processes_alone(size) if why else namespaces(size), share)
        fixed_ms = fixed_ms or seen.idle.fixed_ms
        yield machines_line(size, seen, fixed_ms)
        for kind, what in KINDS.items():
            sight: ScaleSight = getattr(seen, kind)
            work = shared(sight, fixed_ms, parts=SERVED if kind == "viewers" else ())
            yield work_line(
                size, f"{kind:7} {work.capacity:,.0f} {what.format(rate=share.rate / 1000)}", work, alone.setdefault(kind, work)
            )
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    yield f"scale     figures are for one core for each machine and one for the coordinator; load {load} on {os.cpu_count()} processors"


def refuse_without_servers() -> None:
    """Raises NotInstalled if PostgreSQL, Redis or psycopg is missing."""
    program("postgres", "postgresql")
    program("redis-server", "redis-server")
    driver()


def tried(network: AbstractContextManager[BenchNetwork] | BenchNetwork, share: ScaleShare) -> ScaleTrial:
    """Start this many machines, have visitors use them, and return the measurements. Raises TrialFailed."""
    with nullcontext(network) if isinstance(network, BenchNetwork) else network as machines:
        command = [*machines.words, sys.executable, "-m", "simulator.bench.scale.scenes"]
        playing = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            seen, _ = playing.communicate(msgspec.json.encode((machines, share)))
        finally:  # if interrupted: it ends what it has started
            playing.terminate()
            playing.wait()
    if playing.returncode:
        raise TrialFailed(f"{command[-1]} ended with {playing.returncode}")
    return SCALE_TRIAL.from_json(seen)


def shared(sight: ScaleSight, fixed_ms: float, *, parts: Sequence[str] = ()) -> SharedWork:
    """The work, and its cost for machines and coordinator, in seconds of a core at the speed at which fixed work took ``fixed_ms``.

    ``parts`` of each count, or all of them.
    """
    took_s = {name: sum(each for part, each in cpu_s.items() if not parts or part in parts) for name, cpu_s in sight.cpu_s.items()}
    coordinator_s = took_s.pop(COORDINATOR)
    return shared_work(sight.units, [*took_s.values()], coordinator_s, slowness=sight.fixed_ms / fixed_ms)


def machines_line(size: int, seen: ScaleTrial, fixed_ms: float) -> str:
    """The memory of unused machines, how runs were distributed, and the errors that visitors met."""
    idle, seconds = shared(seen.idle, fixed_ms), seen.idle.seconds
    slowness = ", ".join(f"{getattr(seen, kind).fixed_ms / fixed_ms:.2f}" for kind in KINDS)
    owned = ", ".join(map(str, seen.owned))
    return (
        f"scale     {size} {'machine' if size == 1 else 'machines'}: unused, one takes {max(idle.machines_s) / seconds:.1%} of a core "
        f"and the coordinator {idle.coordinator_s / seconds:.1%}; {sum(seen.owned)} runs are dealt {owned}, with which one takes up to "
        f"{max(seen.memory_mib):,} MiB; visitors computed {seen.generator_s:.0f} s, and fixed work took {slowness} × as long as at "
        f"first; {troubles_text({'troubles': seen.troubles})}"
    )


def work_line(size: int, what: str, work: SharedWork, alone: SharedWork) -> str:
    """The capacity of this many machines for a kind of work, as a multiple of one machine's, and its cost."""
    growth = work.coordinator_unit_ms / alone.coordinator_unit_ms if alone.coordinator_unit_ms else 1.0
    grown = "" if work is alone else f", {growth:.2f} × as much as with one"
    return (
        f"scale     {size}: {what}{ratio_text(size, times(work, alone))}; each takes {work.unit_ms:.2f} ms of a machine and "
        f"{work.coordinator_unit_ms:.2f} ms of the coordinator ({work.coordinator_share:.0%} of both{grown}); dealt {work.evenness:.0%} "
        f"even; {work.machines_a_coordinator:.1f} machines fill the coordinator"
    )


def ratio_text(size: int, ratio: float) -> str:
    """The multiple of one machine, with its bar if it is below that."""
    if size == 1:
        return ""
    bar = BARS.get(size, 0.0)
    return f", {ratio:.2f} ×" + (f" (below {bar:.1f} ×)" if ratio < bar else "")
