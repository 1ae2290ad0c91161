"""Asking for sweeps, stopping them, opening the run of a cell, and forgetting old ones. No cell is computed here: runners do that."""

from datetime import timedelta

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from simulator.engine.apiserver.wire.catalog import minor_in
from simulator.engine.course.header import renewed
from simulator.headless.sweeps.fields import text_with_value
from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepCell, SweepPlan, encode_sweep, sweep_id
from simulator.models import Run, Scenario, StoredSweep
from simulator.runs.content import SOURCE, Content, Source, decode
from simulator.runs.permissions import hash_key
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from simulator.runs.services.runs import HEADER_BYTES_MAX, run_create

State = StoredSweep.State
OPEN = (State.QUEUED, State.RUNNING)
BY_OWNER = gettext_noop("It was stopped by whoever asked for it. What is there is shown.")
VOID_KEPT = timedelta(hours=2)
"""Sweeps that were stopped before there was a cell are of use to nobody for longer."""
SWEEPS_AT_ONCE = 50
"""So many old sweeps are forgotten in one transaction."""


def sweep_ask(
    *,
    sweep: Sweep,
    title: str,
    owner_key: str,
    source: Source | None = None,
    address: str = "",
    run: Run | None = None,
    scenario: Scenario | None = None,
) -> StoredSweep:
    """The sweep with its cells as far as they are there; it is put into the queue where it was never asked, or where cells are missing.

    Raises BadSweep, which names the part that is wrong, and LimitReached.
    """
    sweep = msgspec.structs.replace(sweep, header=renewed(sweep.header))
    SweepPlan(sweep)
    _check_size(sweep)
    found = StoredSweep.objects.filter(id=sweep_id(sweep)).first()
    if found is not None:
        return _asked_again(found, owner_key, address)
    _check_room(owner_key, address)
    row, _is_new = StoredSweep.objects.get_or_create(
        id=sweep_id(sweep),
        defaults={
            "title": title[:120],
            "run": run,
            "scenario": scenario,
            "body": encode_sweep(sweep),
            "source_body": msgspec.json.encode(source or Source()).decode(),
            "owner_hash": hash_key(owner_key),
            "address_hash": address,
            "size": sweep.size,
        },
    )
    return row


def _check_size(sweep: Sweep) -> None:
    most = settings.SIM_SWEEP_CELLS_MAX
    if sweep.size > most:
        values = {"cells": sweep.size, "values": len(sweep.values), "seeds": len(sweep.seeds), "most": most}
        text = _("%(values)d values × %(seeds)d seeds are %(cells)d runs; a sweep has at most %(most)d. Take a larger step or fewer seeds.")
        raise LimitReached("cells", text % values)
    if len(encode_sweep(sweep)) > HEADER_BYTES_MAX:
        raise LimitReached("size", _("This scenario is too large."))


def _check_room(owner_key: str, address: str) -> None:
    rows = StoredSweep.objects.filter(state__in=OPEN)
    if rows.filter(owner_hash=hash_key(owner_key)).count() >= settings.SIM_SWEEPS_PER_OWNER_MAX:
        most = settings.SIM_SWEEPS_PER_OWNER_MAX
        raise LimitReached("owner", _("You have %(most)d sweeps under way. Wait until one is done, or stop one.") % {"most": most})
    if address and rows.filter(address_hash=address).count() >= settings.SIM_SWEEPS_PER_ADDRESS_MAX:
        raise LimitReached("address", _("Too many sweeps from your network are under way. Try again when one of them is done."))
    if rows.count() >= settings.SIM_SWEEPS_OPEN_MAX:
        raise LimitReached("open", _("Too many sweeps wait on this site. Try again in a few minutes."))


def _asked_again(row: StoredSweep, owner_key: str, address: str) -> StoredSweep:
    """Put a sweep back into the queue where cells are missing or could not be worked out; they alone are worked on."""
    cells = row.cells()
    kept = [cell if cell is not None and cell.is_final else None for cell in cells]
    if row.is_open or (row.state == State.DONE and kept == cells):
        return row
    _check_room(owner_key, address)
    StoredSweep.objects.filter(id=row.id, state=row.state).update(
        state=State.QUEUED,
        state_note="",
        attempts=0,
        owner="",
        lease_until=None,
        sent_at=None,
        created_at=Now(),
        owner_hash=hash_key(owner_key),
        address_hash=address,
        results_body=msgspec.json.encode(kept).decode(),
        done=sum(cell is not None for cell in kept),
    )
    row.refresh_from_db()
    return row


def sweep_again(*, row: StoredSweep, owner_key: str, address: str = "") -> StoredSweep:
    """Go on with a sweep that was stopped or whose cells failed. Raises LimitReached."""
    return _asked_again(row, owner_key, address)


def sweep_stop(*, row: StoredSweep, owner_key: str) -> None:
    """Stop a sweep; its cells stay. Raises NotAllowed for anybody but the one who asked. A sweep that has ended is left alone."""
    if row.owner_hash != hash_key(owner_key):
        raise NotAllowed("not_owner", _("Only whoever asked for this sweep can stop it."))
    StoredSweep.objects.filter(id=row.id, state__in=OPEN).update(state=State.STOPPED, state_note=BY_OWNER, owner="", lease_until=None)


@transaction.atomic
def cell_open(*, row: StoredSweep, number: int, owner_key: str, address: str = "") -> tuple[Run, SweepCell | None]:
    """The run of a cell, paused at the moment of its outcome, or at the end of the sweep's time where there is none; and the cell.

    The same browser gets the same run again as long as nothing was done to it. Raises Refused where the run cannot begin.
    """
    sweep = row.sweep()
    try:
        plan = SweepPlan(sweep)
    except BadSweep as error:  # it was asked with other rules
        raise Refused("plan", str(error)) from None
    if not 0 <= number < sweep.size:
        raise Refused("no_cell", _("This sweep has no such cell."))
    value, seed = list(plan.places())[number]
    refused = plan.refusal(value)
    if refused:
        raise Refused("refused", refused)
    cell = row.cells()[number]
    key = hash_key(f"{owner_key} sweep {row.id} {number}")
    known = Run.objects.filter(parent=None, branch_key=key, owner_hash=hash_key(owner_key), state=Run.State.LIVE).first()
    if known is not None and known.commands.count() == len(sweep.commands):
        return known, cell
    at_ms = sweep.until_ms if cell is None or cell.at_ms is None else cell.at_ms
    content = Content(header=plan.header(value, seed), source=_source(row, plan, value), commands=sweep.commands, until_ms=at_ms)
    title = f"{row.title}: {plan.field.path.rpartition('.')[2]} {value}, seed {seed}"
    run = run_create(content=content, title=title, owner_key=owner_key, scenario=row.scenario, paused=True, address=address)
    Run.objects.filter(id=run.id).update(branch_key=key)
    return run, cell


def _source(row: StoredSweep, plan: SweepPlan, value: int | str) -> Source:
    """The author's texts with the value in them; none where it cannot be put there, for they would show another run."""
    source = decode(row.source_body, SOURCE)
    if not source.manifests:
        return source
    changed = text_with_value(source.manifests, plan.field, value, minor=minor_in(plan.sweep.header.kubernetes))
    return msgspec.structs.replace(source, manifests=changed or "")


def sweep_seen(*, row: StoredSweep) -> None:
    """Note that somebody looks at a sweep, so that it is kept. At most one update an hour."""
    StoredSweep.objects.filter(Q(seen_at__lt=Now() - timedelta(hours=1)), id=row.id).update(seen_at=Now())


def sweeps_prune(*, days: int | None = None, limit: int = SWEEPS_AT_ONCE) -> int:
    """Delete at most ``limit`` sweeps that nobody has looked at for ``days``, or that ended without a cell; how many it were.

    ``days`` is the site's SIM_KEEP_DAYS unless given; 0 keeps everything.
    """
    days = settings.SIM_KEEP_DAYS if days is None else days
    if days <= 0:
        return 0
    is_void = Q(done=0, seen_at__lt=Now() - VOID_KEPT)
    old = StoredSweep.objects.filter(is_void | Q(seen_at__lt=Now() - timedelta(days=days))).exclude(state__in=OPEN)
    ids = list(old.order_by("seen_at").values_list("id", flat=True)[:limit])
    return old.filter(id__in=ids).delete()[0]
