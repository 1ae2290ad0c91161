"""Carrying out commands. A command that is impossible at its moment is refused by a record that says why."""

from simulator.engine.acts import registry
from simulator.engine.acts.act import told_of
from simulator.engine.acts.meant import with_pod_meant
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.refusal import Refusal, refusal_of
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.world.effects import Effects

RULES = (RuleText("COMMAND", gettext_noop("You did this."), "a command of the run"),)


def carry_out_command(fx: Effects, command: Command) -> None:
    """Carry out one command at this instant; the record of its acceptance is the cause of all that follows."""
    act = registry.ACTS.of(command)
    command = with_pod_meant(fx, command)
    kind, subject = RecordKind.COMMAND.value, act.subject(command)
    try:
        doing = act.handler(fx, command)
    except (Refusal, ApiError) as error:
        refusal = refusal_of(error) if isinstance(error, ApiError) else error
        data = (("do", act.do), *refusal.data)
        fx.record(kind=kind, subject=subject, machine="command", target="refused", rule=refusal.rule, data=data, cause=0)
        return
    data = (("do", act.do), *told_of(act, command))
    fx.cause = fx.record(kind=kind, subject=subject, machine="command", target="accepted", rule="COMMAND", data=data, cause=0)
    doing()
