"""Random runs, checked for what must never happen in a run: ``manage.py bench fuzz --runs``.

Nothing raises; restart counts do not fall, except where a rule says so; no pod leaves a final phase; each pod that is being deleted goes
away, or there is a reason why it cannot; the queue stays in proportion to the objects; no kubelet mistakes its own write for somebody
else's.
"""

import json
from collections.abc import Iterator
from time import perf_counter

import msgspec
from msgspec import Struct

from simulator.bench.random_runs import LAST_ACT_MS, random_run
from simulator.engine import Course, Record, World
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.world.rows import PodRow

LOOK_MS = 1_000
END_MS = LAST_ACT_MS + 420_000
"""The longest grace period of a random pod, a hanging hook, a node that is found lost and its pods, with time to spare."""
QUEUED_MAX = 60
"""For each pod there has been, and the same again for the cluster."""
PURGES = "SANDBOX-RECREATE"
"""The rule by which a pod's terminated init containers are forgotten, and counted from 0 when they run again."""


RESTORES, FOREIGN = "STATUS-RECONCILED", frozenset({"STATUS-PATCHED", "PODS-NOT-READY"})
"""The rule by which a kubelet restores what somebody else has overwritten, and the rules by which others do so."""


class RunTally(Struct):
    """Counts of the random runs."""

    runs: int = 0
    records: int = 0
    acts: int = 0
    took_s: float = 0.0


class Broken(AssertionError):
    """A random run that did what none may do; the message says which, what, when, and how to play it."""


class Watcher:
    """Compares what a world shows with what it showed before."""

    def __init__(self) -> None:
        self._phases: dict[str, str] = {}
        self._restarts: dict[tuple[str, str], int] = {}
        self._purged: dict[str, None] = {}
        self._is_foreign = False

    def problems(self, world: World, records: list[Record]) -> Iterator[str]:
        """What happened since the last look but must not have; ``records`` are those written since."""
        self._purged |= {record.subject: None for record in records if record.rule == PURGES}
        self._is_foreign |= any(record.rule in FOREIGN for record in records)
        if not self._is_foreign and any(record.rule == RESTORES for record in records):
            yield "a kubelet has written again what nobody else had written"
        for row in world.tables.pods.values():
            yield from self._left_phase(row)
            yield from self._fallen_counts(row)
        queued, most = len(world.queue), QUEUED_MAX * (len(world.tables.pods) + 1)
        if not 0 <= queued <= most:
            yield f"{queued} things are queued, more than {most}"

    def _left_phase(self, row: PodRow) -> Iterator[str]:
        before = self._phases.get(row.uid, "")
        self._phases[row.uid] = row.status.phase
        if before in TERMINAL_PHASES and row.status.phase != before:
            yield f"{row.subject} has left {before} for {row.status.phase}"

    def _fallen_counts(self, row: PodRow) -> Iterator[str]:
        afresh = row.status.init_containers if row.subject in self._purged else ()
        for status in (*row.status.init_containers, *row.status.containers):
            before = self._restarts.get((row.uid, status.name), 0)
            self._restarts[(row.uid, status.name)] = status.restart_count
            if status.restart_count < before and status not in afresh:
                yield f"{row.subject} {status.name} has restarted {before} times, then {status.restart_count}"


def fuzz_runs(count: int, *, first: int = 0) -> RunTally:
    """Play ``count`` random runs from number ``first`` on. Raises Broken for the first violation."""
    tally = RunTally()
    began = perf_counter()
    for number in range(first, first + count):
        play(number, tally)
    tally.took_s = round(perf_counter() - began, 1)
    return tally


def play(number: int, tally: RunTally) -> None:
    """Play one random run to its end, checking it every simulated second."""
    header, commands = random_run(number)
    watcher = Watcher()
    at_ms = 0
    try:
        course = Course(header, commands)
        for at_ms in range(LOOK_MS, END_MS + 1, LOOK_MS):
            records = course.drive(at_ms).records
            tally.records += len(records)
            for problem in watcher.problems(course.world, records):
                raise Broken(problem)
        for problem in stuck(course.world):
            raise Broken(problem)
    except Exception as error:
        raise Broken(_message(number, at_ms, error)) from error
    tally.runs += 1
    tally.acts += len(commands)


def stuck(world: World) -> Iterator[str]:
    """Pods that are being deleted, could be gone by now, and are not."""
    for row in world.tables.pods.values():
        if row.deletion_ms is not None and row.gone_ms is None and not _reason(world, row):
            yield f"{row.subject} is still Terminating; its deletion was due at {row.deletion_ms} ms"


def _reason(world: World, row: PodRow) -> str:
    """Why a pod that is being deleted is still there; empty if nothing keeps it."""
    if (json.loads(row.document).get("metadata") or {}).get("finalizers"):
        return "finalizers"
    node = world.tables.node_life.get(row.node)
    if node is None:
        return ""
    if node.kubelet != "running":
        return f"the kubelet is {node.kubelet}"
    if node.cut_ms is not None:
        return "the node is cut off"
    return "" if node.runtime == "up" else f"the runtime is {node.runtime}"


def _message(number: int, at_ms: int, error: Exception) -> str:
    header, commands = random_run(number)
    acts = "\n".join(f"  {stamped.at_ms} ms {msgspec.json.encode(stamped.command).decode()}" for stamped in commands)
    pods = "\n".join(f"  {manifest}" for manifest in header.manifests)
    again = f"python manage.py bench fuzz --documents 0 --runs 1 --first {number}"
    return f"run {number} (Kubernetes {header.kubernetes}) at {at_ms} ms: {error!r}\n{pods}\n{acts}\nagain: {again}"
