"""What containers do: scripts, known images and declared behaviour, over simulated time.

``start`` returns a ``Process``; every further call takes one and returns the next. A stored ``Process`` never changes, so it
can be kept, forked and resumed any number of times with the same result. Nothing here touches Kubernetes state.

The layers, lowest first. ``process`` is the stored state: tasks, the frames of a shell, and the
types that cross the boundary to the kubelet. ``files`` and ``images`` say what a container finds on
its disk. ``kernel`` runs one turn: it thaws the stored tasks, lets each run until it has to wait, and
freezes the result. ``syntax`` parses scripts; ``shell`` and ``programs`` are the userland, which is
passed to the kernel so that the kernel knows neither. ``turns`` is the public interface: the functions below.

Time stands still during a turn. A program that takes time reports when it is due and the turn ends
with ``wake_ms``; the kubelet's worker queues that moment and calls ``resume``. How much a turn may
compute is bounded by units of work (``effort``), never by the machine's clock, because a container
must end up in the same state wherever a run is replayed.
"""

from simulator.engine.containers.declared import BadBehaviour, Block, parse_block
from simulator.engine.containers.files.filesystem import File, Files, FileSystem, Mount
from simulator.engine.containers.images.known import ImageFacts, image_facts
from simulator.engine.containers.images.reference import Reference, parse_reference, with_default_tag
from simulator.engine.containers.network_access import NO_NETWORK, GrpcAnswer, HttpAnswer, Network
from simulator.engine.containers.process.state import Launch, Process
from simulator.engine.containers.process.turn import ExecState, ExecTurn, Host, LogLine, Neighbour, Note, ProcessRow, Sent, Turn
from simulator.engine.containers.turns.instances import (
    cpu_milli,
    force_exit,
    hang,
    memory_bytes,
    oom_kill,
    process_tree,
    receive,
    resume,
    signal,
    start,
    stop_signal,
    termination_message,
    type_into,
)
from simulator.engine.containers.turns.requests import grpc_check, http_get, is_lasting, tcp_connect
from simulator.engine.containers.turns.sessions import Ends, Typing, exec_input, exec_kill, exec_resume, exec_start, exec_wake_ms

__all__ = [
    "NO_NETWORK",
    "BadBehaviour",
    "Block",
    "Ends",
    "ExecState",
    "ExecTurn",
    "File",
    "FileSystem",
    "Files",
    "GrpcAnswer",
    "Host",
    "HttpAnswer",
    "ImageFacts",
    "Launch",
    "LogLine",
    "Mount",
    "Network",
    "Neighbour",
    "Note",
    "Process",
    "ProcessRow",
    "Reference",
    "Sent",
    "Turn",
    "Typing",
    "exec_input",
    "exec_kill",
    "exec_resume",
    "exec_start",
    "exec_wake_ms",
    "force_exit",
    "grpc_check",
    "hang",
    "http_get",
    "image_facts",
    "is_lasting",
    "cpu_milli",
    "memory_bytes",
    "oom_kill",
    "parse_block",
    "parse_reference",
    "process_tree",
    "receive",
    "resume",
    "signal",
    "start",
    "stop_signal",
    "tcp_connect",
    "termination_message",
    "type_into",
    "with_default_tag",
]
