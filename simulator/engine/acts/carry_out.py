"""Carrying out commands: each is checked at its moment, recorded, and done, or refused by a record that says why.

A stored command was valid when a user gave it, but it takes its place in the run after every event
that was due before it, and a changed run may differ by then: the pod may be gone, the budget used
up. So nothing that the page knew is relied upon. Replaying the run comes to the same decision, as
the check reads nothing but the tables.

The order for one command: find what it means (a role may mean several pods), check every one of
them, write one record of acceptance, then do them one after the other. If a single check fails the
command is refused as a whole, with that refusal; nothing was changed yet. While several are done
each is checked once more, because the ones before may have changed the answer (a disruption budget
allows one eviction, not two). A refusal at that point cannot undo the others and becomes a note
about the pod.

The record of a command has cause 0: a user is where a chain of causes begins.
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
"""The note about a pod of several for which an act was refused, though it was carried out for others."""


def carry_out_command(fx: Effects, command: Command) -> None:
    """Carry out one command at this instant; the record of its acceptance is the cause of all that follows.

    It writes one record of the command, whose data names the role by which it was given. For several pods at once (``all``) it is
    refused as a whole where any of them refuses it; what is refused only once the pods before have had their turn is a note.
    """
    act = all_acts.ACTS.of(command)
    try:
        resolved = resolve_targets(fx.tables, command)
    except Refusal as refusal:
        _refused(fx, act, _about(act, command), _role(command), refusal)
        return
    for each in resolved.commands:
        try:
            # The result is thrown away here: the check is repeated right before each is done.
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
    # One record stands for all of them, worded by the first.
    first, role = resolved.commands[0], resolved.role
    subject = act.subject(first)
    data: Data = (("do", act.do), *recorded_fields(act, first))
    if role is not None:
        data = (*data, ("role", role.text))
    if role is not None and len(resolved.commands) > 1:
        subject, data = role.subject, (*data, *_several(act, resolved.commands))
    return _record(fx, subject, "accepted", "COMMAND", data)


def _several(act: Act[Any], commands: tuple[Command, ...]) -> Data:
    """The names of what an act was given for, and the container that the subject does not name then."""
    names = ", ".join(act.subject(each).split("/")[2].partition("#")[0] for each in commands)
    container = getattr(commands[0], "container", "")
    return (("pods", names), *((("container", container),) if container else ()))


def _do(fx: Effects, act: Act[Any], command: Command) -> None:
    """Check it once more and do it: what was done for the pods before may forbid it now, as a budget does."""
    writer = act.writer(fx, command) if act.writer is not None else None
    try:
        doing = _checked(fx, act, command)
        with written_by(fx, writer):
            doing()
    except Refusal as refusal:
        fx.tell_step(act.subject(command), NOT_DONE, rule=refusal.rule, data=(("do", act.do), *refusal.data))


def _refused(fx: Effects, act: Act[Any], subject: Subject, role: Data, refusal: Refusal) -> None:
    _record(fx, subject, "refused", refusal.rule, (("do", act.do), *role, *refusal.data))


def _record(fx: Effects, subject: Subject, target: str, rule: str, data: Data) -> Seq:
    return fx.record(kind=RecordKind.COMMAND.value, subject=subject, machine="command", target=target, rule=rule, data=data, cause=0)


def _about(act: Act[Any], command: Command) -> Subject:
    """What the refusal of a command is about that means nothing: the owner that its role names, else the run."""
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
