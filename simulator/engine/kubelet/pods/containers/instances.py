"""Instances of containers in the runtime: processes run, end, write files and logs. The kubelet learns of it only at a relist.

A process is a value. The runtime's interpreter takes it, with what it sees of the node (``Host``), through one turn and
returns a ``Turn``: the process after it, when it wants to continue, what it wrote, which signals it sent, and whether it has
ended. A turn is carried out here: stored, its wake-up queued, and its effects on others applied.

The main process has one wake-up at a time; a turn that asks for another moment replaces it. Execs share the container's process
and files, so a turn of an exec may move the wake-up of the main process or end it. Files written to a volume wake the
containers of the pod that wait for files, in the same millisecond. Signals to another container arrive a millisecond later, or
two processes that answer each other would never let the clock advance.

When a main process ends, the instance is exited at once and everything that waits for it is notified by ``ProcessEnded`` in the
same millisecond; the kubelet itself sees it at its next relist.
"""

from typing import Any

from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers.arguments import TOO_LONG_NOTE
from simulator.engine.containers.files.filesystem import Files
from simulator.engine.containers.kernel.kernel import SHUTDOWN_NOTE
from simulator.engine.containers.kernel.memory import may_grow
from simulator.engine.containers.process.turn import ExecTurn, Host, LogLine, Note, Sent, Turn
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.kubelet.base.beats import mark_dirty
from simulator.engine.kubelet.base.pressure import growth_begins
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.containers.oom_events import OOM_NOTE, report_note
from simulator.engine.network.network import host_for
from simulator.engine.policies.restart_policy import OOM_KILLED
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import PeerSignal, ProcessEnded, ProcessWake
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Instance
from simulator.engine.world.work import TURN

LogRow = tuple[int, Ms, str, str]
"""Attempt, moment, stream, text."""
LOG_LINES_MAX = 400
"""Lines of log kept per container; older ones are dropped, as with a rotated log file."""

LOG_CHARS_MAX = 1 << 16
"""Characters of log kept per container, over all lines."""

RULES = (
    RuleText(
        "BEHAVIOUR-NOTE",
        gettext_noop("This container’s behaviour was not fully understood, so the simulation chose something simple for it."),
        "our choice",
        sure="assumed",
    ),
    RuleText(
        "ARGUMENTS-TOO-LONG",
        gettext_noop(
            "The kernel refuses to start a program whose arguments and environment are too long: the container exits with 1 at once."
        ),
        "Linux fs/exec.c MAX_ARG_STRLEN, prepare_arg_pages; runc 1.1 libcontainer/standard_init_linux.go",
    ),
)

KILLED = 137
_FACTS = StartFacts()
_NOTE_RULES = {TOO_LONG_NOTE: "ARGUMENTS-TOO-LONG", SHUTDOWN_NOTE: "WINDOWS-SHUTDOWN-EVENT"}


def host_of(fx: Effects, pod: Key, container: str) -> Host:
    """What a container's processes see of the node now."""
    return host_for(fx.world, pod, container)


def find_instance(fx: Effects, pod: Key, container: str, attempt: int | None = None) -> Instance | None:
    """The newest instance of a container, or the one of that attempt; None if there is none."""
    for row in fx.tables.instances.get(pod, ()):
        if row.container == container and (attempt is None or row.attempt == attempt):
            return row
    return None


def carry_out(fx: Effects, pod: Key, row: Instance, turn: Turn) -> Instance:
    """Store what a turn of the main process did; end the instance if the process has ended."""
    fx.world.spent += TURN + turn.spent
    row = _settle(fx, pod, row, turn.process, wake_ms=turn.wake_ms, waits_for_files=turn.waits_for_files)
    _side_effects(fx, pod, row, turn.volumes, turn.log, turn.notes)
    if turn.sent:
        _pass_on(fx, pod, turn.sent)
    if turn.exit_code is not None:
        row = end_instance(fx, pod, row, turn.exit_code, oom=turn.oom)
    elif may_grow(turn.process, fx.now):
        growth_begins(fx, fx.tables.pods[pod].node)
    return row


def carry_out_exec(fx: Effects, pod: Key, row: Instance, turn: ExecTurn) -> Instance:
    """Store what a turn of an exec did to its container; it may have ended the main process."""
    fx.world.spent += TURN + turn.spent
    if not row.runs:
        return row
    row = _settle(fx, pod, row, turn.process, wake_ms=turn.main_wake_ms, waits_for_files=turn.waits_for_files)
    _side_effects(fx, pod, row, turn.volumes, turn.log, turn.notes)
    if turn.sent:
        _pass_on(fx, pod, turn.sent)
    if turn.main_exit is not None:
        row = end_instance(fx, pod, row, turn.main_exit, oom=turn.main_oom)
    return row


def _settle(fx: Effects, pod: Key, row: Instance, process: Any, *, wake_ms: Ms | None, waits_for_files: bool) -> Instance:
    handle = row.wake
    if wake_ms != row.wake_ms:
        fx.cancel(handle)
        handle = 0
        if wake_ms is not None:
            wake = ProcessWake(pod, row.container, row.attempt)
            handle = fx.schedule(max(wake_ms, fx.now), Lane.RUNTIME, wake, cause=row.seq)
    return fx.save_instance(pod, replace(row, process=process, wake=handle, wake_ms=wake_ms, waits_for_files=waits_for_files))


def _side_effects(
    fx: Effects, pod: Key, row: Instance, volumes: tuple[tuple[str, Files], ...], log: tuple[LogLine, ...], notes: tuple[Note, ...]
) -> None:
    if log:
        key = (pod, row.container)
        fresh = ((row.attempt, line.at_ms, line.stream, line.text) for line in log[-LOG_LINES_MAX:])
        fx.save_log(key, kept_lines((*fx.tables.logs.get(key, ()), *fresh)[-LOG_LINES_MAX:]))
    for note in notes:
        if note.name == OOM_NOTE:
            report_note(fx, fx.tables.pods[pod].node, note)
            continue
        fx.note(f"container/{pod}/{row.container}", note.name, note.text, rule=_NOTE_RULES.get(note.name, "BEHAVIOUR-NOTE"))
    if volumes:
        fx.save_volumes(volumes)
        for other in fx.tables.instances.get(pod, ()):
            if other.waits_for_files and other.runs and other.container != row.container:
                fx.schedule(fx.now, Lane.RUNTIME, ProcessWake(pod, other.container, other.attempt))


def kept_lines(lines: tuple[LogRow, ...]) -> tuple[LogRow, ...]:
    """The newest lines, LOG_CHARS_MAX characters in all; of the oldest of them only the end may be kept."""
    room = LOG_CHARS_MAX
    for index in range(len(lines) - 1, -1, -1):
        text = lines[index][3]
        if len(text) > room:
            cut = (*lines[index][:3], text[len(text) - room :])
            return (cut, *lines[index + 1 :]) if room else lines[index + 1 :]
        room -= len(text)
    return lines


def process_wake(fx: Effects, event: ProcessWake) -> None:
    """Continue a process."""
    row = find_instance(fx, event.pod, event.container, event.attempt)
    if row is None or not row.runs or row.process is None:
        return
    process = row.process
    fx.cause = row.seq
    if row.wake_ms is not None and row.wake_ms <= fx.now:
        row = replace(row, wake=0, wake_ms=None)
    carry_out(fx, event.pod, row, behaviour.resume(process, host_of(fx, event.pod, row.container)))


def _pass_on(fx: Effects, pod: Key, sent: tuple[Sent, ...]) -> None:
    """Send signals to processes of other containers; they arrive a millisecond later, so that an endless exchange takes time."""
    for item in sent:
        row = find_instance(fx, pod, item.container)
        if row is not None and row.runs:
            fx.schedule(fx.now + 1, Lane.RUNTIME, PeerSignal(pod, item.container, row.attempt, item.pid, item.number))


def peer_signal(fx: Effects, event: PeerSignal) -> None:
    """Deliver a signal from another container of the same process namespace."""
    row = find_instance(fx, event.pod, event.container, event.attempt)
    if row is not None and row.runs and row.process is not None:
        carry_out(fx, event.pod, row, behaviour.receive(row.process, event.pid, event.number, host_of(fx, event.pod, row.container)))


def signal_instance(fx: Effects, pod: Key, row: Instance, number: int) -> Instance:
    """Deliver a signal to the main process."""
    if not row.runs or row.process is None:
        return row
    return carry_out(fx, pod, row, behaviour.signal(row.process, number, host_of(fx, pod, row.container)))


def end_instance(
    fx: Effects, pod: Key, row: Instance, exit_code: int, *, oom: bool = False, reason: str = "", message: str = ""
) -> Instance:
    """The main process has ended: the instance is exited, its execs end with it, and the next relist will see it."""
    fx.cancel(row.wake)
    trigger = "process_exited" if not oom else "oom_killed" if exit_code == KILLED else "oom_outlived"
    data = (("instance", row.attempt), ("exit_code", exit_code), ("group", row.group))
    reason = reason or (OOM_KILLED if oom else "Completed" if exit_code == 0 else "Error")
    message = message or _termination_message(fx, pod, row, exit_code)
    ended, _, fx.cause = fx.become(
        CONTAINER, pod, row, trigger, _FACTS, data=data, finished_ms=fx.now, exit_code=exit_code, reason=reason, message=message,
        wake=0, wake_ms=None, waits_for_files=False,
    )  # fmt: skip
    mark_dirty(fx, fx.tables.pods[pod].node, pod)
    fx.schedule(fx.now, Lane.RUNTIME, ProcessEnded(pod, row.container, row.attempt))
    return ended


def _termination_message(fx: Effects, pod: Key, row: Instance, exit_code: int) -> str:
    """The text of the termination message file, or the end of the log if the policy falls back to it."""
    spec = fx.tables.pods[pod].pod.spec
    for container in (*spec.containers, *spec.init_containers, *spec.ephemeral_containers):
        if container.name == row.container:
            break
    else:
        return ""
    profile = fx.profile
    text = ""
    if row.process is not None:
        path = container.termination_message_path or "/dev/termination-log"
        text = behaviour.termination_message(row.process, path)[-profile.termination_message_bytes :]
    if not text and exit_code != 0 and container.termination_message_policy == "FallbackToLogsOnError":
        lines = [line[3] for line in fx.tables.logs.get((pod, row.container), ()) if line[0] == row.attempt]
        text = "".join(f"{line}\n" for line in lines[-profile.termination_log_lines :])[-profile.termination_log_bytes :]
    count = len(spec.containers) + len(spec.init_containers) + len(spec.ephemeral_containers)
    return text[: profile.termination_messages_pod_bytes // max(count, 1)]
