"""Carrying out commands: each is checked at its moment, recorded, and executed, or refused by a record that says why.

A stored command was valid when a user issued it, but it is applied after every event
that is due before it, and a changed run may be different by then: the pod may be gone, the budget used
up. So nothing that the page knew is relied upon. A replay of the run comes to the same decision, since
the check reads nothing but the tables.

The order for one command: resolve what it refers to (a role may mean several pods), check each of
them, write one record of acceptance, then execute them one after the other. If a single check fails the
command is refused as a whole, with that refusal; nothing has been changed yet. While several are executed
each is checked again, because earlier ones may have changed the answer (a disruption budget
allows one eviction, not two). A refusal at that point cannot undo the others and becomes a note
about the pod.

The record of a command has cause 0: a chain of causes begins with a user.
"""

from typing import Any

from simulator.engine.acts import all_acts
from simulator.engine.acts.act import Act, recorded_fields
from simulator.engine.acts.roles import BadRole
from simulator.engine.acts.targets import ResolvedCommand, resolve_targets, role_in
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.managed.writes import written_by
from simulator.engine.apiserver.refusal import Doing, Refusal, refusal_of
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Seq, Subject
from simulator.engine.world.effects import Effects

RULES = (RuleText("COMMAND", gettext_noop("You did this."), "a command of the run"),)

NOT_DONE = "act-refused"
"""The note about one of several pods for which an act was refused, although it was carried out for others."""


def carry_out_command(fx: Effects, command: Command) -> None:
    """Carry out one command at this instant; the record of its acceptance is the cause of everything that follows.

    It writes one record of the command, whose data names the role by which it was addressed. For several pods at once (``all``) it is
    refused as a whole if any of them refuses it; a refusal that arises only after earlier pods were changed becomes a note.
    """
    act = all_acts.ACTS.of(command)
    try:
        resolved = resolve_targets(fx.tables, command)
    except Refusal as refusal:
        _refused(fx, act, _about(act, command), _role(command), refusal)
        return
    for each in resolved.commands:
        try:
            # The result is discarded here: the check is repeated right before each one is executed.
            _checked(fx, act, each)
        except Refusal as refusal:
            _refused(fx, act, act.subject(each), _role(command), refusal)
            return
    fx.cause = _accepted(fx, act, resolved)
    for each in fx.each(resolved.commands):
        _do(fx, act, each)


def _checked(fx: Effects, act: Act[Any], command: Command) -> Doing:
    """What the command does. Raises Refusal."""
    try:
        return act.handler(fx, command)
    except ApiError as error:
        raise refusal_of(error) from None


def _accepted(fx: Effects, act: Act[Any], resolved: ResolvedCommand) -> Seq:
    # One record stands for all of them, worded after the first.
    first, role = resolved.commands[0], resolved.role
    subject = act.subject(first)
    data: Data = (("do", act.do), *recorded_fields(act, first))
    if role is not None:
        data = (*data, ("role", role.text))
    if role is not None and len(resolved.commands) > 1:
        subject, data = role.subject, (*data, *_several(act, resolved.commands))
    return _record(fx, subject, "accepted", "COMMAND", data)


def _several(act: Act[Any], commands: tuple[Command, ...]) -> Data:
    """The names that an act was carried out for, and the container, which the subject then does not name."""
    names = ", ".join(act.subject(each).split("/")[2].partition("#")[0] for each in commands)
    container = getattr(commands[0], "container", "")
    return (("pods", names), *((("container", container),) if container else ()))


def _do(fx: Effects, act: Act[Any], command: Command) -> None:
    """Check it again and execute it: what was done for earlier pods may forbid it now, as a budget does."""
    writer = act.writer(fx, command) if act.writer is not None else None
    try:
        doing = _checked(fx, act, command)
        with written_by(fx, writer):
            doing()
    except Refusal as refusal:
        fx.note_step(act.subject(command), NOT_DONE, rule=refusal.rule, data=(("do", act.do), *refusal.data))


def _refused(fx: Effects, act: Act[Any], subject: Subject, role: Data, refusal: Refusal) -> None:
    _record(fx, subject, "refused", refusal.rule, (("do", act.do), *role, *refusal.data))


def _record(fx: Effects, subject: Subject, target: str, rule: str, data: Data) -> Seq:
    return fx.record(kind=RecordKind.COMMAND.value, subject=subject, machine="command", target=target, rule=rule, data=data, cause=0)


def _about(act: Act[Any], command: Command) -> Subject:
    """The subject for refusing a command whose target does not exist: the owner that its role names, else the run."""
    try:
        role = role_in(command)
    except BadRole:
        return "run"
    return role.subject if role is not None else act.subject(command)


def _role(command: Command) -> Data:
    try:
        role = role_in(command)
    except BadRole:
        return ()
    return (("role", role.text),) if role is not None else ()
