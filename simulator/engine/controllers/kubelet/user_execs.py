"""Commands that a user runs in a container (kubectl exec): their end is told by a note with exit code and output."""

from simulator.engine.controllers.kubelet.execs import Finished
from simulator.engine.effects import Effects
from simulator.engine.rows import Exec
from simulator.engine.rules.text import RuleText, gettext_noop
from simulator.engine.units import Key

RULES = (RuleText("EXEC-DONE", gettext_noop("The command you ran in the container has ended."), "a command of the run"),)


def exec_over(fx: Effects, row: Exec, finished: Finished) -> None:
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
