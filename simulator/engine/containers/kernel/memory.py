"""Memory of a container over time, and the kernel's OOM killer.

Only programs made to use memory grow (``tail /dev/zero``, ``stress``, a declared curve); everything else counts with a
fixed size. A container over its limit loses its biggest process, or all of them in one instant (``Launch.dies_as_one``).

The moment at which the limit will be exceeded is computed in advance, so that a run need not check a container every
millisecond: between two bends of a curve memory is monotonic, and the moment is found by bisection.
Before 1.28 the OOM killer takes one process; from 1.28 on (cgroup v2) the kubelet sets
``memory.oom.group`` and all go at once: ``oom_kills_whole_container`` of the profile, in ``Launch``.
"""

from typing import TYPE_CHECKING

from simulator.engine.containers.declared import memory_at, memory_turns, parse_block
from simulator.engine.containers.process.state import Holder, Process, Shell, Task

if TYPE_CHECKING:
    from simulator.engine.containers.kernel.kernel import Kernel

MIB = 1 << 20
_SHELL_BYTES = MIB // 2
_SMALL_BYTES = MIB // 4
HORIZON_MS = 1 << 40


def task_bytes(task: Task, now_ms: int, started_ms: int, block_text: str) -> int:
    """Memory of one process."""
    body = task.body
    if isinstance(body, Holder):
        if body.declared:
            return memory_at(parse_block(block_text), now_ms - started_ms)
        if not body.memory_rate:
            return body.memory_bytes or _SMALL_BYTES
        grown = max(now_ms - body.memory_since_ms, 0) * body.memory_rate // 1000
        return min(grown, body.memory_bytes) if body.memory_bytes else grown
    return _SHELL_BYTES if isinstance(body, Shell) else _SMALL_BYTES


def block_text_of(kernel: "Kernel") -> str:
    """Behaviour block that drives the main program."""
    return kernel.launch.behaviour or kernel.launch.stand_in


def total_bytes(kernel: "Kernel", now_ms: int) -> int:
    """Memory of the container."""
    text = block_text_of(kernel)
    return sum(task_bytes(task, now_ms, kernel.started_ms, text) for task in kernel.tasks.values())


def _grows(task: Task) -> bool:
    body = task.body
    return isinstance(body, Holder) and (body.memory_rate > 0 or body.declared)


def may_grow(process: Process, now_ms: int) -> bool:
    """Whether any process of a container will use more memory than now if nothing intervenes."""
    holders = [task.body for task in process.tasks if isinstance(task.body, Holder)]
    return any(_has_more_to_come(process, body, now_ms) for body in holders if body.declared or body.memory_rate)


def _has_more_to_come(process: Process, body: Holder, now_ms: int) -> bool:
    if body.declared:
        turns = memory_turns(parse_block(process.launch.behaviour or process.launch.stand_in))
        return bool(turns) and process.started_ms + turns[-1] > now_ms
    if not body.memory_rate:
        return False
    return not body.memory_bytes or (now_ms - body.memory_since_ms) * body.memory_rate // 1000 < body.memory_bytes


def check(kernel: "Kernel") -> None:
    """Kill the biggest process if the container is over its limit, and all others with it if the container dies as one."""
    limit = kernel.launch.memory_limit_bytes
    if limit is None or not any(_grows(task) for task in kernel.tasks.values()):
        return
    if total_bytes(kernel, kernel.now_ms) <= limit:
        return
    text = block_text_of(kernel)
    # The first of the biggest: max is stable, and tasks are in pid order.
    victim = max(kernel.tasks.values(), key=lambda task: task_bytes(task, kernel.now_ms, kernel.started_ms, text))
    kernel.oom = True
    kernel.note("oom-kill", f"The OOM killer ended {' '.join(victim.argv)[:80]} (pid {victim.pid}).")
    kernel.finish(kernel.tasks[kernel.root] if kernel.launch.dies_as_one else victim, 137)


def next_oom_ms(kernel: "Kernel") -> int | None:
    """When the container will go over its limit if nothing else happens. O(processes × log time)."""
    limit = kernel.launch.memory_limit_bytes
    if limit is None or kernel.died is not None or not any(_grows(task) for task in kernel.tasks.values()):
        return None
    low = kernel.now_ms
    turns = memory_turns(parse_block(block_text_of(kernel))) if block_text_of(kernel) else ()
    stops = [kernel.started_ms + at for at in turns if kernel.started_ms + at > low]
    for high in [*stops, low + HORIZON_MS]:
        if total_bytes(kernel, high) > limit:
            while high - low > 1:
                middle = (low + high) // 2
                if total_bytes(kernel, middle) > limit:
                    high = middle
                else:
                    low = middle
            return high
        low = high
    return None
