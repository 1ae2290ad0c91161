"""``kill``, which is a builtin of the shell and a program of its own."""

import re
from collections.abc import Callable

from simulator.engine.containers.effort import STEP
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process.state import Task
from simulator.engine.containers.signals import TERM, signal_number


def kill_words(kernel: Kernel, task: Task, words: tuple[str, ...], complain: Callable[[str], int]) -> int:
    """``kill [-signal] pid …``: 1 if a process does not exist."""
    number: int | None = TERM
    targets = list(words)
    if targets and targets[0] in ("-l", "-L"):
        return 0
    if targets and targets[0] in ("-s", "-n") and len(targets) > 1:
        number = signal_number(targets[1])
        targets = targets[2:]
    elif targets and targets[0].startswith("-") and targets[0] != "--":
        number = signal_number(targets.pop(0)[1:])
    if number is None:
        return complain("bad signal name")
    status = 0
    kernel.meter.charge(STEP * len(targets))
    for word in targets:
        if word == "--":
            continue
        if not re.fullmatch(r"-?[0-9]{1,18}", word):
            status = complain(f"invalid number '{word}'")
            continue
        if int(word) in (0, -1):
            _kill_group(kernel, task, number, everyone=int(word) == -1)
            continue
        # A process group is represented by its leader: groups are not modelled.
        problem = kernel.strike(abs(int(word)), number)
        if problem:
            status = complain(f"can't kill pid {word}: {problem}")
    return status


def _kill_group(kernel: Kernel, task: Task, number: int, *, everyone: bool) -> None:
    kernel.meter.charge(STEP * len(kernel.tasks))
    for other in list(kernel.tasks.values()):
        # -1 spares PID 1 and the caller; 0 takes the caller last, since it may end it.
        skip = other is task or (everyone and other.pid == kernel.root)
        if not skip and other.pid in kernel.tasks:
            kernel.deliver(other, number)
    if not everyone and task.code is None:
        kernel.deliver(task, number)
