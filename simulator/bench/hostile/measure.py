"""Each hostile script in a process of its own, so that one that hangs or crashes its interpreter is a figure like any other.

``python -m simulator.bench.hostile.measure script NAME`` (or ``text NAME``) measures one and prints JSON.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import process_time

import django
from msgspec import Struct

from simulator.bench.hostile import SCRIPTS, TEXTS
from simulator.bench.hostile.play import play

KILLED_AFTER_S = 20
MEMORY_MAX_BYTES = 4 << 30
SHOWN = 10


class AttackCost(Struct, frozen=True, kw_only=True):
    """The cost of one attack: the longest turn and all of them in ms of CPU, the growth of peak memory in MB. ``end``: how it ended."""

    name: str
    end: str
    turns: int = 0
    longest_ms: float = 0
    total_ms: float = 0
    memory_mb: float = 0


def peak_mb() -> float:
    """The peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_script(name: str) -> AttackCost:
    """Play a script in this process. Raises KeyError for an unknown name."""
    script = {item.name: item for item in SCRIPTS}[name]
    before = peak_mb()
    took: list[float] = []
    end = ""
    for step in play(script, process_time):
        took.append(step.took_ms)
        noted = ", ".join(note.text for note in step.notes)
        end = f"ended with {step.exit_code}" if step.exit_code is not None else f"{noted[:80]}" or end
    return AttackCost(
        name=name,
        end=end,
        turns=len(took),
        longest_ms=round(max(took), 1),
        total_ms=round(sum(took), 1),
        memory_mb=round(peak_mb() - before, 1),
    )


def measure_text(name: str) -> AttackCost:
    """Feed a text to its entry point, after an empty one to warm up. Raises KeyError for an unknown name."""
    from simulator.bench.hostile.doors import DOORS

    item = {text.name: text for text in TEXTS}[name]
    door = DOORS[item.door]
    door("")
    text = item.build()
    before = peak_mb()
    began = process_time()
    door(text)
    took = (process_time() - began) * 1000
    return AttackCost(
        name=name, end="", turns=1, longest_ms=round(took, 1), total_ms=round(took, 1), memory_mb=round(peak_mb() - before, 1)
    )


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX_BYTES, MEMORY_MAX_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def measure_apart(kind: str, name: str) -> AttackCost:
    """Measure in a process of its own, limited to KILLED_AFTER_S seconds and MEMORY_MAX_BYTES; never raises, whatever it does."""
    command = [sys.executable, "-m", __name__, kind, name]
    try:
        done = subprocess.run(command, capture_output=True, timeout=KILLED_AFTER_S, text=True, preexec_fn=_limited, check=False)
    except subprocess.TimeoutExpired:
        return AttackCost(
            name=name, end=f"KILLED after {KILLED_AFTER_S} s", longest_ms=KILLED_AFTER_S * 1000, total_ms=KILLED_AFTER_S * 1000
        )
    if done.returncode != 0:
        reason = done.stderr.strip().rpartition("\n")[2][:100] or f"status {done.returncode}"
        return AttackCost(name=name, end=f"CRASHED: {reason}", longest_ms=KILLED_AFTER_S * 1000, total_ms=KILLED_AFTER_S * 1000)
    return AttackCost(**json.loads(done.stdout))


def report() -> Iterator[str]:
    """The worst turns of the scripts and the worst texts, one line each, and totals. Takes minutes; times are CPU time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for kind, names in (("script", [item.name for item in SCRIPTS]), ("text", [item.name for item in TEXTS])):
            yield from _lines(kind, list(pool.map(partial(measure_apart, kind), names)))


def _lines(kind: str, measured: Sequence[AttackCost]) -> Iterator[str]:
    failed = sum(item.end.startswith(("KILLED", "CRASHED")) for item in measured)
    worst = sorted(measured, key=lambda item: (-item.longest_ms, item.name))
    most = max(measured, key=lambda item: item.memory_mb)
    total_s = sum(item.total_ms for item in measured) / 1000
    yield (
        f"hostile   {len(measured)} {kind}s: {failed} killed or crashed; the longest {'turn' if kind == 'script' else 'answer'} took "
        f"{worst[0].longest_ms} ms, all together {total_s:.1f} s; most memory {most.memory_mb} MB ({most.name})"
    )
    for item in worst[:SHOWN]:
        yield f"hostile   {item.longest_ms:9.1f} ms  {item.name:32} {item.turns:4} turns, {item.memory_mb:7.1f} MB  {item.end}"


def main(kind: str, name: str) -> None:
    """Measure one attack and print it as JSON."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lifecycle_site.settings")
    django.setup()
    measured = measure_script(name) if kind == "script" else measure_text(name)
    sys.stdout.write(json.dumps({field: getattr(measured, field) for field in measured.__struct_fields__}))


if __name__ == "__main__":
    main(*sys.argv[1:])
