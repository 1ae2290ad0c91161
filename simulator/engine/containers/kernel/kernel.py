"""One turn of a container: its processes run until each of them waits for something.

A ``Kernel`` is a working copy. It begins by copying the stored tasks and ends in ``freeze``, which stores new ones; the
process it began with is never changed.

A turn goes round all processes in pid order, until a round in which none could continue. A
process waits for one thing, named in ``Task.block``: a timer, a child, input, a change of a file, or
nothing that can happen (``never``). A signal is delivered at once; whether it has an effect depends on the body.
PID 1 is special as in Linux: without a handler it ignores every signal from inside its namespace,
even KILL, and from outside everything but KILL. This is why so many containers need the full grace
period to stop.

The container ends with its main process, in the same instant; its children get no more turns. Other
orphans are adopted by the main process. A loop that only sleeps (``Sleeper.repeat_ms``) is not followed round
by round: it needs no turn of its own, and ``_thaw`` moves it to the round it would be in.

There are three ways to spend too much: one call is too big (``Exhausted``, the process is busy for good);
an instant is used up (the rest runs a millisecond later); ``SPINS_MAX`` full instants in a row (whatever
could still continue is given up). All of them leave a note, since a real node would go on computing.
"""

from msgspec.structs import replace

from simulator.engine.containers.effort import HELD_CHARS_MAX, INSTANT, Exhausted, Meter
from simulator.engine.containers.files.filesystem import FileSystem
from simulator.engine.containers.kernel import memory
from simulator.engine.containers.kernel.bodies import handle_signal, has_news, step
from simulator.engine.containers.kernel.proc_files import ProcFiles
from simulator.engine.containers.kernel.streams import Streams
from simulator.engine.containers.kernel.userland import Userland
from simulator.engine.containers.process.frames import NULL, Each, Leave, OutputTarget, RunNode
from simulator.engine.containers.process.state import Body, Holder, Launch, Process, Shell, Sleeper, Task
from simulator.engine.containers.process.turn import Host, LogLine, Sent
from simulator.engine.containers.signals import HARMLESS, KILL
from simulator.engine.model.system import WINDOWS

SPINS_MAX = 5
"""Milliseconds of pure computing after which a process counts as busy until it is stopped."""
SPIN_GAP_MS = 10
"""Two full instants count as consecutive if no more than this lies between them."""
ROUNDS_MAX = 2000
"""How often all processes are checked within one instant before the container counts as busy."""
SCANNED = 256
"""How many characters are searched for a line break per unit."""
NOT_PERMITTED = "Operation not permitted"
SHUTDOWN_NOTE = "ctrl-shutdown"
"""Name of the note that a Windows container was asked to stop."""
SHUTDOWN_WORDS = "The runtime sends CTRL_SHUTDOWN_EVENT to the container's process: Windows has no signals."
CODES_MAX = 256
"""How many exit codes are kept of processes that nothing has waited for; older ones are forgotten."""


class Kernel(Streams):
    """The running processes of one container during one turn."""

    __slots__ = ("codes", "depth", "died", "is_late", "nesting", "next_pid", "oom", "pays", "requests", "root", "sent", "userland")

    def __init__(self, process: Process, host: Host, userland: Userland, meter: Meter | None = None) -> None:
        """``meter`` is the requester's if this is a copy of a container that answers a request."""
        super().__init__(process, host, meter)
        self.userland = userland
        self.pays = meter is None
        self.root = process.root
        self.next_pid = process.next_pid
        self.codes = process.codes
        self.oom = process.oom
        self.died: int | None = process.exit_code
        self.depth = 0
        self.is_late = False
        self.nesting = 0
        self.requests = 0
        self.sent: list[Sent] = []
        self.fs.proc = ProcFiles(self)
        for task in process.tasks:
            self.tasks[task.pid] = _thaw(task, host.now_ms)
        for other in host.neighbours:
            self.next_pid = max(self.next_pid, other.process.next_pid)  # a namespace uses each pid once

    def files_of(self, process: Process) -> FileSystem:
        """The files as a container of the namespace sees them."""
        return self.fs if process is self.process else Kernel(process, self.host, self.userland, self.meter).fs

    def let_go(self) -> None:
        """End the turn; nothing below /proc is accessed any more.

        Dropping the reference cycle frees the kernel at once; otherwise each turn would wait for the garbage collector.
        """
        self.fs.proc = None

    def freeze(self) -> Process:
        """The state after this turn."""
        before = self.process
        grown = before.grown + self.meter.spent
        # Counting all texts costs O(texts), so it is done once per this much work, not every turn.
        if grown > INSTANT and self.died is None:
            self._bound_texts()
            grown = 0
        noted, is_over = before.noted, self.meter.is_over
        if self.notes:
            # Kept so that each note is written once per instance; the oldest may be repeated.
            noted = (*noted, *(f"{note.name}: {note.text}" for note in self.notes))[-32:]
        if self.died is None and self.pipes:
            self.drop_unused_pipes()
        return Process(
            before.launch,
            before.started_ms,
            self.root,
            tuple(self.tasks.values()) if self.died is None else (),
            self.next_pid,
            self.next_pipe,
            self.pipes,
            self.fs.private,
            self.partial,
            self.codes,
            self.died,
            # A signal to a container that has ended must not change when it ended.
            before.ended_ms if before.exit_code is not None else self.now_ms,
            self.oom,
            before.hung,
            before.held,
            noted,
            before.spins + 1 if is_over else before.spins if self.now_ms - before.spun_ms <= SPIN_GAP_MS else 0,
            self.now_ms if is_over else before.spun_ms,
            grown,
        )

    def _bound_texts(self) -> None:
        """End the shell that holds the most if the processes hold more text than the simulation keeps for one container."""
        held = {task.pid: _chars_of(task.body) for task in self.tasks.values() if isinstance(task.body, Shell)}
        if not held or sum(held.values()) + sum(map(len, self.pipes.values())) <= HELD_CHARS_MAX:
            return
        pid = max(held, key=lambda number: held[number])
        self.note("out-of-memory", f"The simulation keeps no more than {HELD_CHARS_MAX} characters of a container's shells; one ended.")
        self.finish(self.tasks[pid], 2)

    def spawn(self, parent: Task | None, argv: tuple[str, ...], body: Body, fds: dict[int, OutputTarget]) -> Task:
        """A new process; it inherits directory, environment and ignored signals from its parent."""
        pid = self.next_pid
        self.next_pid = pid + 1
        if parent is None:
            cwd = self.launch.working_dir or self.facts.working_dir
            task = Task(pid, 0, argv, body, fds, cwd, base_environment(self.launch))
        else:
            task = Task(pid, parent.pid, argv, body, fds, parent.cwd, parent.env, parent.ignored, session=parent.session)
        self.tasks[pid] = task
        return task

    def finish(self, task: Task, code: int) -> None:
        """End the process. The container ends with its main process."""
        if task.code is not None:
            return
        task.code = self.system.exit_code(code)
        if task.pid == self.root:
            self._end(task.code)
            return
        del self.tasks[task.pid]
        self.meter.spent += len(self.tasks)  # an end is never refused
        parent = self.tasks.get(task.ppid)
        # A shell collects its children itself (``wait``); other parents never ask, so the kernel keeps their exit codes.
        if parent is not None and isinstance(parent.body, Shell):
            done = {**parent.body.done, task.pid: task.code}
            parent.body.done = done if len(done) <= 64 else dict(list(done.items())[-64:])
        else:
            self.codes = dict([*self.codes.items(), (task.pid, task.code)][-CODES_MAX:])
        for other in self.tasks.values():
            # Orphans are adopted by PID 1 of the container.
            if other.ppid == task.pid:
                other.ppid = self.root

    def _end(self, code: int) -> None:
        for stream, left in zip(("stdout", "stderr"), self.partial, strict=True):
            if left:
                self.log.append(LogLine(self.now_ms, stream, left, partial=True))
        self.partial = ("", "")
        self.died = code

    def shell_pid(self, task: Task) -> int:
        """``$$``: the pid of the shell that was started, not of its copies."""
        while isinstance(task.body, Shell) and task.body.forked and task.ppid in self.tasks:
            task = self.tasks[task.ppid]
        return task.pid

    def wake_loop(self, pid: int) -> None:
        """From now on follow a sleeping loop round by round: its effects may become visible."""
        for task in self.tasks.values():
            if (task.ppid == pid or task.pid == pid) and isinstance(task.body, Sleeper) and task.body.repeat_ms:
                task.body = Sleeper()

    def deliver(self, task: Task, number: int, *, inside: bool = True) -> None:
        """Send a signal. From ``inside`` the container even KILL does nothing to its PID 1."""
        if number == 0 or task.code is not None:
            return
        system = self.system
        protected = task.pid == self.root and self.launch.is_pid1 and system.protects_first
        # The phase of a sleeping loop now matters: a trap waits for the end of the current sleep.
        self.wake_loop(task.pid)
        if number == KILL:
            if not (protected and inside):
                self.finish(task, system.ended_by(KILL))
            return
        if number in task.ignored:
            return
        if system.stop_code and not inside:
            self.note(SHUTDOWN_NOTE, SHUTDOWN_WORDS)
        if handle_signal(self, task, number) or protected or number in HARMLESS:
            return
        self.finish(task, system.ended_by(number))

    def everyone(self) -> list[Task]:
        """The live processes of the namespace: the container's own, then its neighbours', which must not be changed."""
        mine = [task for task in self.tasks.values() if task.code is None and task.argv]
        theirs = (task for other in self.host.neighbours for task in other.process.tasks)
        return [*mine, *(task for task in theirs if task.code is None and task.argv)]

    def strike(self, pid: int, number: int) -> str:
        """Send a signal to any process of the namespace; returns why that is impossible, empty if it is possible."""
        task = self.tasks.get(pid)
        if task is not None and task.code is None:
            self.deliver(task, number)
            return ""
        # pause, PID 1 of a shared namespace, ignores the signal; only root may send it one.
        if pid == 1 and self.host.pause:
            return "" if not self.launch.uid else NOT_PERMITTED
        for other in self.host.neighbours:
            if any(task.pid == pid and task.code is None for task in other.process.tasks):
                if self.launch.uid not in (0, other.process.launch.uid):
                    return NOT_PERMITTED
                if number:
                    # Another container's state must not change in this turn: the kubelet delivers the signal.
                    self.sent.append(Sent(other.container, pid, number))
                return ""
        return "No such process"

    def kill_session(self, session: int) -> None:
        """KILL every process of an exec session."""
        for task in list(self.tasks.values()):
            if task.session == session:
                self.finish(task, self.system.ended_by(KILL))

    def ready(self, task: Task) -> bool:
        """Whether the process can continue."""
        block = task.block
        if not block:
            return True
        if block == "timer":
            body = task.body
            return task.until_ms <= self.now_ms and not (type(body) is Sleeper and body.repeat_ms)
        if block == "never":
            return False
        return self._ready_otherwise(task)

    def _ready_otherwise(self, task: Task) -> bool:
        if task.until_ms and task.until_ms <= self.now_ms:
            return True
        self.meter.charge(len(task.on))
        if task.block in ("child", "jobs"):
            body = task.body
            done = body.done if isinstance(body, Shell) else self.codes
            if task.block == "child":
                return task.on[0] in done
            return all(pid in done or pid not in self.tasks for pid in task.on)
        if task.block == "any":
            return any(pid not in self.tasks for pid in task.on)
        if task.block in ("line", "eof"):
            pipe = task.on[0]
            self.meter.charge(len(self.pipes.get(pipe, "")) // SCANNED)
            if task.block == "line" and "\n" in self.pipes.get(pipe, ""):
                return True
            if task.block == "eof" and len(task.on) > 1 and self.pipes.get(pipe, "").count("\n") >= task.on[1]:
                return True
            return not self.has_writer(pipe)
        return has_news(self, task)

    def run(self) -> None:
        """Run all processes until each waits, the container ends, or the instant is used up: the rest runs a millisecond later."""
        for _ in range(ROUNDS_MAX):
            # Before each round: a process that just grew may be killed before others continue.
            memory.check(self)
            progressed = False
            # A copy of the pids: a step may start or end processes.
            for pid in list(self.tasks):
                task = self.tasks.get(pid)
                try:
                    if task is not None and task.code is None and self.ready(task):
                        progressed = True
                        step(self, task)
                except Exhausted:
                    assert task is not None
                    self.give_up(task)
                if self.died is not None:
                    return
                if self.meter.is_over:
                    self._break_off()
                    return
            if not progressed:
                return
        self.note("busy", "The processes of this container never wait for anything; they count as busy forever.")
        for task in self.tasks.values():
            if not task.block:
                task.block = "never"

    def wake_ms(self, *, session: int | None = None) -> int | None:
        """When something is due next; with ``session`` only what concerns that exec session."""
        best: int | None = self.now_ms + 1 if self.is_late else None
        for task in self.tasks.values():
            if session is not None and task.session != session:
                continue
            if task.until_ms and task.block not in ("never", ""):
                body = task.body
                if type(body) is Sleeper and body.repeat_ms:
                    continue
                if best is None or task.until_ms < best:
                    best = task.until_ms
        if session is None:
            over = memory.next_oom_ms(self)
            if over is not None and (best is None or over < best):
                best = over
        return best

    def _break_off(self) -> None:
        """The instant is used up. If several in a row were, whatever could still continue is given up."""
        if self.pays:
            self.meter.spent = min(self.meter.spent, 2 * INSTANT)  # checking costs a little, too
        ready = [task for task in self.tasks.values() if task.code is None and self.ready(task)]
        self.is_late = bool(ready) and self.process.spins < SPINS_MAX
        if self.process.spins >= SPINS_MAX:
            for task in ready:
                self.give_up(task)

    def give_up(self, task: Task) -> None:
        """Give up a process that wants to do more at once than the simulation can follow: it is busy until it is stopped.

        What it did not begin is not charged, but the instant is over for all processes.
        """
        self.note("busy", "A process computes more at once than the simulation works out; it counts as busy until it is stopped.")
        task.block, task.until_ms, task.on = "never", 0, ()
        self.end_instant()

    def end_instant(self) -> None:
        """Make all processes wait for the next millisecond. When answering a request, ending the instant is left to the requester."""
        if self.pays:
            self.meter.spent = INSTANT + 1

    def waits_for_files(self) -> bool:
        """Whether a process follows a file."""
        return "file" in [task.block for task in self.tasks.values()]

    def find(self, name: str) -> list[Task]:
        """Live processes whose program has this name."""
        return [t for t in self.tasks.values() if t.code is None and t.argv and t.argv[0].rpartition("/")[2] == name]

    def holders(self) -> list[tuple[Task, Holder]]:
        """Live processes that run until stopped, with their bodies."""
        return [(t, t.body) for t in self.tasks.values() if t.code is None and isinstance(t.body, Holder)]


def _chars_of(shell: Shell) -> int:
    """How many characters a shell holds, in variables, parameters, traps and its stack. O(all of them)."""
    held = 64 * (len(shell.variables) + len(shell.exported)) + sum(map(len, shell.params)) + sum(map(len, shell.traps.values()))
    for value in shell.variables.values():
        held += len(value) if isinstance(value, str) else sum(64 + len(item) for item in value.values())
    for frame in shell.stack:
        if isinstance(frame, Leave):
            held += sum(map(len, frame.params)) + sum(len(before or "") for _, before in frame.saved)
        elif isinstance(frame, Each):
            held += sum(map(len, frame.values))
        elif isinstance(frame, RunNode):
            held += sum(map(len, frame.memo))
    return held


WINDOWS_PATH = r"C:\Windows\system32;C:\Windows;C:\Windows\System32\Wbem"
NET_BIOS_CHARS = 15
"""How much of a host name Windows keeps as the computer name."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def base_environment(launch: Launch) -> dict[str, str]:
    """Environment of a container's processes: what the runtime sets, then what the container declares."""
    if launch.os == WINDOWS:
        return {"PATH": WINDOWS_PATH, "COMPUTERNAME": launch.naming.hostname.upper()[:NET_BIOS_CHARS], **dict(launch.env)}
    env = {"PATH": PATH, "HOSTNAME": launch.naming.kernel_name}
    env.update(launch.env)
    env.setdefault("HOME", "/root")
    return env


def null_fds() -> dict[int, OutputTarget]:
    """Standard streams of a container's main process: no input, output to the log."""
    return {0: NULL, 1: OutputTarget("stdout"), 2: OutputTarget("stderr")}


def _thaw(task: Task, now_ms: int) -> Task:
    """A working copy of a stored process; a loop that only sleeps is moved to its current round."""
    twin = replace(task)
    body = task.body
    if isinstance(body, Shell):
        twin.body = replace(body, stack=body.stack.copy(), variables=body.variables.copy())
    elif isinstance(body, Sleeper) and body.repeat_ms and task.until_ms <= now_ms:
        twin.until_ms += ((now_ms - task.until_ms) // body.repeat_ms + 1) * body.repeat_ms
    return twin
