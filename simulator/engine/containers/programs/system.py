"""Programs about processes: ps, kill, killall, sh, timeout and the like."""

import re

from simulator.engine.containers import regex
from simulator.engine.containers.kernel.execute import (
    Call,
    Missing,
    ProgramStart,
    execute,
    hold_unknown,
    new_shell,
    shell_flavour,
    start_text,
)
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.kernel.presumed_files import file_in_image
from simulator.engine.containers.kernel.proc_files import PAUSE
from simulator.engine.containers.process.frames import TERMINAL, ReadScript
from simulator.engine.containers.process.state import Guard, Shell, Sleeper, Task, command_line
from simulator.engine.containers.programs.basic import run_other
from simulator.engine.containers.shell.kill import kill_words
from simulator.engine.containers.shell.variables import apply_flags
from simulator.engine.containers.signals import TERM, signal_number

_TIME = re.compile(r"([0-9]{1,12})(?:\.([0-9]+))?([smhd]?)")
_UNITS = {"": 1000, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
FOREVER = ("infinity", "inf", "Infinity")


def duration_ms(text: str) -> int | None:
    """Milliseconds of ``5``, ``1.5``, ``2m`` …; None if it is not a time."""
    # ``.5`` has no digit before the point.
    match = _TIME.fullmatch(text) or _TIME.fullmatch("0" + text)
    if match is None:
        return None
    unit = _UNITS[match.group(3)]
    # Integers only: fractions of a millisecond are dropped.
    fraction = (match.group(2) or "")[:6]
    return int(match.group(1)) * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)


def sleep(call: Call) -> "int | ProgramStart":
    """``sleep time …``; ``infinity`` never ends."""
    total = 0
    if len(call.argv) < 2:
        return call.fail("missing operand")
    for word in call.argv[1:]:
        if word in FOREVER:
            return ProgramStart(Sleeper(), "never")
        span = duration_ms(word)
        if span is None:
            return call.fail(f"invalid time interval '{word}'" if call.gnu else f"invalid number '{word}'")
        total += span
    return ProgramStart(Sleeper(), "timer", call.kernel.now_ms + total) if total else 0


def shell(call: Call) -> "int | ProgramStart":
    """``sh``, ``bash``: ``-c script [name parameter …]``, a script file, or standard input."""
    name, words, flags, options = call.name, list(call.argv[1:]), "", []
    if name == "busybox":
        return run_other(call, tuple(words)) if words else 0
    while words and words[0][:1] in ("-", "+") and len(words[0]) > 1:
        word = words.pop(0)
        if word.startswith("--"):
            continue
        flags += word[1:]
        if "o" in word[1:] and words:
            options.append(words.pop(0))
    started = new_shell(shell_flavour(call.kernel, name), call.argv[0], call.env)
    apply_flags(started, flags, options)
    if "c" in flags:
        if not words:
            return call.fail("-c requires an argument", 2)
        started.name, started.params = (words[1] if len(words) > 1 else call.argv[0]), tuple(words[2:])
        return start_text(call.kernel, started, words[0], is_asked=call.is_asked)
    if words:
        started.name, started.params = words[0], tuple(words[1:])
        entry = file_in_image(call.kernel, call.path(words[0]))
        if entry is not None and entry.is_opaque:
            return hold_unknown(call.kernel, f"{words[0]} is a script that is not known", is_asked=call.is_asked)
        if entry is None:
            return call.fail(
                f"can't open '{words[0]}': No such file or directory" if not call.gnu else f"0: cannot open {words[0]}: No such file", 2
            )
        return start_text(call.kernel, started, call.read(words[0]), is_asked=call.is_asked)
    source = call.fds.get(0)
    if source is not None and source.pipe < 0 and source.kind == "pipe":
        # The input of an exec session: a real shell executes each command as it comes.
        started.stack = [ReadScript(source.pipe, prompts=source.path == TERMINAL)]
        return ProgramStart(started, "")
    return start_text(call.kernel, started, call.input(), is_asked=call.is_asked)


def timeout(call: Call) -> "int | ProgramStart":
    """``timeout [-s signal] [-t] time command …``: 124 if it timed out (busybox 1.28: 143)."""
    words, number = list(call.argv[1:]), TERM
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "-s" and words:
            number = signal_number(words.pop(0)) or TERM
        elif word == "-k" and words:
            words.pop(0)
    span = duration_ms(words[0]) if words else None
    if span is None or len(words) < 2:
        return call.fail("invalid time interval", 125)
    return watch(call, tuple(words[1:]), span, number)


def watch(call: Call, argv: tuple[str, ...], span_ms: int, number: int) -> "int | ProgramStart":
    """Run a program as a child with a time limit."""
    result = execute(call.kernel, call.task, argv, fds=call.fds, env=call.env)
    if isinstance(result, Missing):
        return call.fail(f"failed to run command '{argv[0]}': No such file or directory", result.code)
    if isinstance(result, int):
        return result
    # The child is not a child of the shell: only the guard that takes this process's place watches it.
    child = call.kernel.spawn(None, argv, result.body, call.fds)
    child.ppid, child.cwd, child.env, child.session = 0, call.cwd, dict(call.env), call.task.session
    child.block, child.until_ms, child.on = result.block, result.until_ms, result.on
    return ProgramStart(Guard(child.pid, number), "any", call.kernel.now_ms + span_ms, (child.pid,))


def kill(call: Call) -> int:
    """``kill`` as a program of its own."""
    return kill_words(call.kernel, call.task, call.argv[1:], call.fail)


def killall(call: Call) -> int:
    """``killall``/``pkill [-signal] name …``."""
    words, number = list(call.argv[1:]), TERM
    exact = call.name == "killall"
    while words and words[0].startswith("-"):
        word = words.pop(0)
        number = (signal_number(word[1:]) if signal_number(word[1:]) is not None else number) or (0 if word == "-0" else number)
        exact = exact and word not in ("-f",)
    status = 0
    for name in words:
        found = _called(call.kernel, name) if exact else matching(call.kernel, name, full="-f" in call.argv)
        found = [task for task in found if task.pid != call.task.pid]
        for task in found:
            call.kernel.strike(task.pid, number)
        if not found:
            status = 1
            if call.name == "killall":
                call.err(f"killall: {name}: no process killed\n")
    return status


def _called(kernel: Kernel, name: str) -> list[Task]:
    """Processes of that name."""
    return [task for task in kernel.everyone() if task.argv[0].rpartition("/")[2] == name]


def matching(kernel: Kernel, text: str, *, full: bool) -> list[Task]:
    """Processes whose name (``full``: whole command line) contains the pattern."""
    try:
        compiled = regex.posix(kernel.meter, text, extended=True)
    except regex.BadPattern:
        return []
    return [
        task for task in kernel.everyone() if compiled.search(kernel.meter, command_line(task) if full else task.argv[0].rpartition("/")[2])
    ]


def pgrep(call: Call) -> int:
    """``pgrep [-f] pattern`` and ``pidof name``."""
    words = [word for word in call.argv[1:] if not word.startswith("-")]
    if not words:
        return 2
    exact = call.name == "pidof" or "-x" in call.argv
    found = _called(call.kernel, words[0]) if exact else matching(call.kernel, words[0], full="-f" in call.argv)
    pids = [str(task.pid) for task in found if task.pid != call.task.pid]
    if pids:
        call.out((" " if call.name == "pidof" else "\n").join(pids) + "\n")
    return 0 if pids else 1


def ps(call: Call) -> int:
    """``ps`` as busybox prints it."""
    lines = [(task.pid, command_line(task)) for task in call.kernel.everyone()]
    if call.kernel.host.pause:
        lines.append((1, PAUSE))
    if isinstance(call.task.body, Shell):
        # ps lists itself; run by a shell it would have had the next pid.
        lines.append((call.kernel.next_pid, " ".join(call.argv)))
    shown = (f"{pid:5d} root      0:00 {command}\n" for pid, command in sorted(lines))
    call.out("PID   USER     TIME  COMMAND\n" + "".join(shown))
    return 0


def passing(call: Call) -> "int | ProgramStart":
    """Programs that only run another: nohup, nice, exec wrappers (tini, dumb-init), docker entrypoint scripts."""
    words = list(call.argv[1:])
    while words and (words[0].startswith("-") or (call.name == "nice" and words[0].isdecimal())):
        words.pop(0)
    return run_other(call, tuple(words)) if words else 0


def as_user(call: Call) -> "int | ProgramStart":
    """``gosu user program …`` and ``su-exec``: run another program; the user is not simulated."""
    return run_other(call, tuple(call.argv[2:])) if len(call.argv) > 2 else 0
