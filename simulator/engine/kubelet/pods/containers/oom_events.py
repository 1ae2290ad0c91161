"""The kubelet's Event about a process that the kernel killed for lack of memory (observed on a 1.20.2 node)."""

from simulator.engine import containers as behaviour
from simulator.engine.apiserver.nodes.events import emit_node
from simulator.engine.containers.process.turn import Note
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Instance

OOM_NOTE = "oom-kill"
"""Name of the note in which a container reports a kill: … ended COMMAND (pid N)."""

RULES = (
    RuleText(
        "SYSTEM-OOM",
        gettext_noop("The kernel killed a process for lack of memory, and the kubelet reports that as an Event on the node."),
        "observed on a 1.20.2 node; pkg/kubelet/oom/oom_watcher_linux.go",
    ),
)


def report_main(fx: Effects, node: str, item: Instance) -> None:
    """Report that a container's main process was killed."""
    rows = behaviour.process_tree(item.process) if item.process is not None else ()
    _report(fx, node, rows[0].command if rows else item.container, rows[0].pid if rows else 1)


def report_note(fx: Effects, node: str, note: Note) -> None:
    """Report the kill described by a note."""
    command, _, rest = note.text.rpartition("ended ")[2].rpartition(" (pid ")
    _report(fx, node, command, int(rest.partition(")")[0] or 0))


def _report(fx: Effects, node: str, command: str, pid: int) -> None:
    victim = command.split(" ", 1)[0].rpartition("/")[2]
    text = f"System OOM encountered, victim process: {victim}, pid: {pid}"
    emit_node(fx, node, component="kubelet", severity="Warning", reason="SystemOOM", message=text, rule="SYSTEM-OOM")
