"""Commands that a user runs in a container (kubectl exec): their end is reported by a note with exit code and output."""

from simulator.engine.kernel.outside_text import storable
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Seq
from simulator.engine.kubelet.pods.containers.execs import Finished
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Exec, ExecAnswer

RULES = (RuleText("EXEC-DONE", gettext_noop("The command you ran in the container has finished."), "a command of the run"),)


def user_exec_ended(fx: Effects, row: Exec, finished: Finished) -> None:
    """Report that a user's command has ended."""
    note_finished(fx, row.pod, row.container, finished, row.seq)


def note_finished(fx: Effects, pod: Key, container: str, finished: Finished, seq: Seq) -> None:
    """Write the note, and keep the full output: ``seq`` is the record of the command."""
    text = finished.error or finished.output
    printed = finished.output if finished.printed is None else finished.printed
    fx.save_answer(seq, ExecAnswer(finished.outcome, finished.exit_code, printed, finished.errors, finished.error))
    if finished.printed is not None:
        text = storable(text)  # what a client sends and receives need not be text
    fx.record(
        kind="note",
        subject=f"container/{pod}/{container}",
        machine="note",
        target="exec",
        rule="EXEC-DONE",
        data=(("exit_code", finished.exit_code), ("text", text[:2000])),
    )
