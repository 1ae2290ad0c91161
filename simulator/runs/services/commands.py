"""Give commands to runs. The engine is never called here: the run's owner carries them out at its next turn."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import CharField, Max, QuerySet, Sum
from django.db.models.functions import Length
from django.utils.translation import gettext as _

from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.kernel.units import Ms, Seq
from simulator.models import Run, RunCommand
from simulator.runs.log.clock import moment_of, read_again
from simulator.runs.log.statements import RUN, Given, Statement
from simulator.runs.permissions import OWNER, role_of
from simulator.runs.services.errors import LimitReached, NotAllowed
from simulator.runs.services.runs import (
    branch_key_of,
    check_live,
    check_owner,
    check_past,
    encode_command,
    run_adopt,
    run_attend,
    run_branch,
    run_hold,
    wake_later,
)

COMMAND_BYTES_MAX = 1_048_576
TYPED_MAX = 300
"""Characters of a typed line that are kept."""


def command_submit(*, run: Run, owner_key: str, command: AnyCommand, client_key: str, typed: str = "") -> RunCommand:
    """Queue a command at the run's present; ``typed`` is the line it comes from. Repeating a ``client_key`` returns the first row.

    Raises NotAllowed, Refused (the run has ended) or LimitReached.
    """
    check_owner(run, owner_key)
    body = encode_command(command)
    # Before the limits are checked: a form sent twice must get its answer even if the run is full by now.
    known = _KNOWN.first(run=run.id, key=client_key)
    if known is not None:
        return known
    _check_command(command, len(body))
    try:
        return _insert(run, body, client_key, typed)
    except IntegrityError:  # the same key came twice at once; the other request won
        return run.commands.get(client_key=client_key)


def command_submit_by_key(
    *, run: Run, command: AnyCommand, client_key: str, may_write: bool, typed: str = "", given_by: str = ""
) -> RunCommand:
    """Like ``command_submit``, for a client whose API key, named ``given_by``, allows writing.

    Raises NotAllowed, Refused, LimitReached.
    """
    if not may_write or run.is_frozen:
        raise NotAllowed("not_owner", _("Only the owner of this run can do that. Fork it to get your own."))
    body = encode_command(command)
    _check_command(command, len(body))
    return _insert(run, body, client_key, typed, given_by)


def command_submit_at(
    *,
    run: Run,
    owner_key: str,
    command: AnyCommand,
    client_key: str,
    at_ms: Ms | None = None,
    at_seq: Seq | None = None,
    run_to_ms: Ms | None = None,
    address: str = "",
) -> tuple[Run, RunCommand]:
    """Give a command at a moment: by default at the present of ``run``, otherwise on a branch that begins at that moment.

    To give it at ``run_to_ms``, a future moment, the run first goes there and stops, so that the command happens exactly then; a moment
    that has passed meanwhile is treated as one of the past. Somebody who does not own the run also gets a branch, and so does everybody
    if another revision recorded the run and today's rules give a different history. Returns the run that has the command. Idempotent by
    ``client_key``. Raises Refused for a moment in an imported past.
    """
    there, (given,) = commands_submit_at(
        run=run,
        owner_key=owner_key,
        commands=(command,),
        client_key=client_key,
        at_ms=at_ms,
        at_seq=at_seq,
        run_to_ms=run_to_ms,
        address=address,
    )
    return there, given


def commands_submit_at(  # noqa: PLR0913 - all are keyword-only
    *,
    run: Run,
    owner_key: str,
    commands: Sequence[AnyCommand],
    client_key: str,
    at_ms: Ms | None = None,
    at_seq: Seq | None = None,
    run_to_ms: Ms | None = None,
    address: str = "",
    typed: str = "",
) -> tuple[Run, list[RunCommand]]:
    """Give several commands at one moment, in order and all or none; otherwise like ``command_submit_at``. ``typed`` is their line.

    Anything that has to be played for it is played before the transaction: on SQLite nobody else could write meanwhile.
    """
    if run_to_ms is not None and run.commands.filter(client_key=client_key).exists():
        run_to_ms = None  # a repeated request: the run has already gone there
    elif run_to_ms is not None and run_to_ms <= moment_of(run):
        at_ms, run_to_ms = run_to_ms, None
    is_present = at_ms is None and at_seq is None
    # run_adopt may replay the whole run, so it is called outside of any transaction.
    if is_present and role_of(run, owner_key) == OWNER and run_adopt(run=run):
        return run, _submit_here(run, owner_key, commands, client_key, run_to_ms, typed)
    with transaction.atomic():
        branch = run_branch(
            parent=run,
            owner_key=owner_key,
            at_ms=run.head_ms if is_present else at_ms,
            at_seq=at_seq,
            branch_key=client_key,
            address=address,
            stands_ms=run_to_ms or 0,
        )
        check_past(branch)
        return branch, _submit_all(branch, owner_key, commands, client_key, typed)


@transaction.atomic
def _submit_here(
    run: Run, owner_key: str, commands: Sequence[AnyCommand], client_key: str, run_to_ms: Ms | None, typed: str
) -> list[RunCommand]:
    """Give the commands in the run itself, at its present or at ``run_to_ms``, where it first has to go."""
    if run_to_ms is not None and not run.commands.filter(client_key=client_key).exists():  # the same request may have come twice at once
        run_hold(run=run, to_ms=run_to_ms)
    return _submit_all(run, owner_key, commands, client_key, typed)


def command_known(*, run: Run, owner_key: str, client_key: str) -> tuple[Run, RunCommand] | None:
    """The first command given with ``client_key``, and the run that has it, ``run`` or a branch of it; None if there is none.

    For a client that never got the answer and sends an act again: the act's own effects might make the repeat invalid.
    """
    places = [run] if role_of(run, owner_key) == OWNER else []
    places += _BRANCHES.rows(run=run.id, key=branch_key_of(owner_key, client_key))
    found = ((place, _KNOWN.first(run=place.id, key=client_key)) for place in places)
    return next(((place, command) for place, command in found if command is not None), None)


def _submit_all(run: Run, owner_key: str, commands: Sequence[AnyCommand], client_key: str, typed: str) -> list[RunCommand]:
    keys = [client_key, *(f"{client_key}-{number}" for number in range(2, len(commands) + 1))]
    pairs = zip(commands, keys, strict=True)
    return [command_submit(run=run, owner_key=owner_key, command=command, client_key=key, typed=typed) for command, key in pairs]


@transaction.atomic
def _insert(run: Run, body: str, client_key: str, typed: str = "", given_by: str = "") -> RunCommand:
    run_attend(run_id=run.id)  # takes the write lock before the number is read
    read_again(run)
    check_live(run)
    last, size = _TAKEN.first(run=run.id) or (0, 0)
    if last >= settings.SIM_COMMANDS_PER_RUN_MAX:
        limit = settings.SIM_COMMANDS_PER_RUN_MAX
        raise LimitReached("commands", _("A run accepts at most %(limit)d commands.") % {"limit": limit})
    if size + len(body) > settings.SIM_COMMAND_BYTES_PER_RUN_MAX:
        raise LimitReached("size", _("This command is too large."))
    # Under the lock: between this and the insert nobody can move the clock, or make a link that ends at a later moment.
    given_ms = moment_of(run)
    row = RunCommand.objects.create(
        run=run, n=last + 1, client_key=client_key, body=body, given_ms=given_ms, typed=typed, given_by=given_by
    )
    wake_later(run.id)
    return row


_KEY = Given("key", CharField())


def _known() -> QuerySet[RunCommand]:
    return RunCommand.objects.filter(run=RUN, client_key=_KEY).order_by()


def _branches() -> QuerySet[Run]:
    return Run.objects.filter(parent=RUN, branch_key=_KEY).order_by("-created_at")


def _taken() -> "QuerySet[RunCommand, Any]":
    rows = RunCommand.objects.filter(run=RUN).order_by().values("run")
    return rows.annotate(last=Max("n"), size=Sum(Length("body"))).values_list("last", "size")


_KNOWN, _BRANCHES, _TAKEN = Statement(_known), Statement(_branches), Statement(_taken)


def _check_command(command: AnyCommand, size: int) -> None:
    if size > COMMAND_BYTES_MAX:
        raise LimitReached("size", _("This command is too large."))
    if isinstance(command, ApplyManifest) and len(command.documents) > settings.SIM_RUN_PODS_MAX:
        limit = settings.SIM_RUN_PODS_MAX
        raise LimitReached("pods", _("At most %(limit)d objects at once.") % {"limit": limit})
