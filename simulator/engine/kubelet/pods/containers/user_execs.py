"""Commands that a user runs in a container (kubectl exec): their end is told by a note with exit code and output."""

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers.execs import Finished
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Exec

RULES = (RuleText("EXEC-DONE", gettext_noop("The command you ran in the container has finished."), "a command of the run"),)


def user_exec_ended(fx: Effects, row: Exec, finished: Finished) -> None:
    """A command that a user ran has ended."""
    tell(fx, row.pod, row.container, finished)


def tell(fx: Effects, pod: Key, container: str, finished: Finished) -> None:
    """Write the note."""
    text = finished.error or finished.output
    fx.record(
        kind="note",
        subject=f"container/{pod}/{container}",
        machine="note",
        target="exec",
        rule="EXEC-DONE",
        data=(("exit_code", finished.exit_code), ("text", text[:2000])),
    )
