"""Request sweeps, stop them, open the run of a cell, and delete old ones. No cell is computed here: runners do that.

A sweep that several visitors request is computed once, under its digest (StoredSweep); each visitor has their own request (SweepAsk).
Anything that changes who waits for a work locks its row until the change is written, so that concurrent changes never miss each other.
"""

import secrets
from base64 import b32encode
from collections.abc import Iterable
from datetime import timedelta
from hmac import compare_digest

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _

from simulator.engine.apiserver.wire.catalog import minor_in
from simulator.engine.course.header import renewed
from simulator.engine.kernel.outside_text import one_line
from simulator.headless.sweeps.fields import text_with_value
from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepCell, SweepPlan, encode_sweep, sweep_id
from simulator.models import Run, Scenario, StoredSweep, SweepAsk
from simulator.runs.log.content import SOURCE, Content, Source, decode
from simulator.runs.permissions import hash_key
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused, TooMany
from simulator.runs.services.runs import HEADER_BYTES_MAX, TITLE_MAX, run_create
from simulator.runs.state_notes import state_note

State = StoredSweep.State
OPEN = (State.QUEUED, State.RUNNING)
BY_OWNER = state_note("sweep_stopped")
ID_BYTES = 15
"""Random bytes in an ask's id; base32 encodes this many without padding."""
VOID_KEPT = timedelta(hours=2)
"""How long sweeps that were stopped without any cell are kept."""
SWEEPS_AT_ONCE = 50
"""Old sweeps deleted in one transaction."""


@transaction.atomic
def sweep_ask(
    *,
    sweep: Sweep,
    title: str,
    owner_key: str,
    source: Source | None = None,
    address: str = "",
    run: Run | None = None,
    scenario: Scenario | None = None,
) -> SweepAsk:
    """Make this browser's ask for a sweep, with the cells computed so far, no matter who requested them first.

    The work is queued if it is new, or if it has ended with cells missing. For the same sweep of the same run, scenario and texts, the same
    browser gets the same ask again. Raises BadSweep, which names the part that is wrong, and LimitReached.
    """
    sweep = msgspec.structs.replace(sweep, header=renewed(sweep.header))
    SweepPlan(sweep)
    _check_size(sweep)
    asked = {"run": run, "scenario": scenario, "source_body": msgspec.json.encode(source or Source()).decode()}
    work = _work_of(sweep)
    ask = work.asks.filter(**asked, owner_hash=hash_key(owner_key)).first()
    if ask is None:
        ask = SweepAsk(id=_new_id(), is_wanted=False, owner_hash=hash_key(owner_key), **asked)
    ask.work, ask.title = work, one_line(title, most=TITLE_MAX)
    _want(ask, address)
    ask.save()
    return ask


def _new_id() -> str:
    return b32encode(secrets.token_bytes(ID_BYTES)).decode().lower()


def _work_of(sweep: Sweep) -> StoredSweep:
    """The work of a sweep, locked by this transaction; created as stopped if it is new."""
    work_id = sweep_id(sweep)
    # A loop, because pruning may delete the row between its creation and the lock.
    while (work := _held(work_id)) is None:
        beginning = {"body": encode_sweep(sweep), "size": sweep.size, "state": State.STOPPED}
        StoredSweep.objects.get_or_create(id=work_id, defaults=beginning)
    return work


def _held(work_id: str) -> StoredSweep | None:
    return StoredSweep.objects.select_for_update().filter(id=work_id).first()


def _check_size(sweep: Sweep) -> None:
    most = settings.SIM_SWEEP_CELLS_MAX
    if sweep.size > most:
        values = {"cells": sweep.size, "values": len(sweep.values), "seeds": len(sweep.seeds), "most": most}
        text = _(
            "%(values)d values × %(seeds)d seeds make %(cells)d runs; a sweep can have at most %(most)d. Use a larger step or fewer seeds."
        )
        raise LimitReached("cells", text % values)
    if len(encode_sweep(sweep)) > HEADER_BYTES_MAX:
        raise LimitReached("size", _("This scenario is too large."))


def _check_room(owner_hash: str, address: str, *, is_under_way: bool) -> None:
    """Raise LimitReached if this visitor is waiting for too many sweeps, or if this one is not under way and the site has too many."""
    waited_for = SweepAsk.objects.filter(is_wanted=True, work__state__in=OPEN)
    if waited_for.filter(owner_hash=owner_hash).count() >= settings.SIM_SWEEPS_PER_OWNER_MAX:
        most = settings.SIM_SWEEPS_PER_OWNER_MAX
        raise TooMany("owner", _("You have %(most)d sweeps in progress. Wait for one to finish, or stop one.") % {"most": most})
    if address and waited_for.filter(address_hash=address).count() >= settings.SIM_SWEEPS_PER_ADDRESS_MAX:
        raise TooMany("address", _("Too many sweeps are in progress on your network. Try again when one of them is done."))
    if not is_under_way and StoredSweep.objects.filter(state__in=OPEN).count() >= settings.SIM_SWEEPS_OPEN_MAX:
        raise TooMany("open", _("Too many sweeps are queued on this site. Try again in a few minutes."))


def _want(ask: SweepAsk, address: str) -> None:
    """Let an ask, whose work is locked, wait for cells that are missing or failed. The ask is changed but not saved.

    Raises LimitReached. An ask that is already waiting, or whose cells are complete, needs no room.
    """
    cells = ask.work.cells()
    kept = [cell if cell is not None and cell.is_final else None for cell in cells]
    is_whole = ask.work.state == State.DONE and kept == cells
    if not is_whole and not ask.is_open:
        _check_room(ask.owner_hash, address, is_under_way=ask.work.is_open)
        ask.address_hash = address
        if not ask.work.is_open:
            _begin(ask, kept)
    ask.is_wanted, ask.note = True, {}


def _begin(ask: SweepAsk, kept: list[SweepCell | None]) -> None:
    """Queue work that has ended again, keeping the cells in ``kept``. For others who waited for it, it stays ended as they were told."""
    work = ask.work
    work.asks.filter(is_wanted=True).exclude(id=ask.id).update(is_wanted=False, note=work.state_note)
    StoredSweep.objects.filter(id=work.id).update(
        state=State.QUEUED,
        state_note={},
        attempts=0,
        owner="",
        lease_until=None,
        sent_at=None,
        created_at=timezone.now(),  # same precision as new rows: SQLite stores fewer digits for Now(), so the work would sort before itself
        results_body=msgspec.json.encode(kept).decode(),
        done=sum(cell is not None for cell in kept),
    )
    work.refresh_from_db()


@transaction.atomic
def sweep_again(*, row: SweepAsk, owner_key: str, address: str = "") -> SweepAsk:
    """Continue a sweep that was stopped or whose cells failed, or join others who do. Raises NotAllowed, LimitReached, Refused."""
    ask = _own(row, owner_key)
    _want(ask, address)
    ask.save(update_fields=["is_wanted", "note", "address_hash"])
    return ask


@transaction.atomic
def sweep_stop(*, row: SweepAsk, owner_key: str) -> None:
    """Stop waiting for a sweep: its work ends unless another asker is waiting for it, and its cells stay.

    Raises NotAllowed for anybody but its asker, and Refused. A sweep that has ended is left alone.
    """
    ask = _own(row, owner_key)
    if ask.is_open:
        SweepAsk.objects.filter(id=ask.id).update(is_wanted=False, note=BY_OWNER)
        _stop_unwanted([ask.work.id])


def is_asker(row: SweepAsk, owner_key: str | None) -> bool:
    """Whether the browser with that key asked for the sweep; anybody else who has its URL may only look at it."""
    return bool(owner_key and row.owner_hash) and compare_digest(row.owner_hash, hash_key(owner_key or ""))


def _own(row: SweepAsk, owner_key: str) -> SweepAsk:
    """The current ask, its work locked. Raises NotAllowed for anybody but its asker, Refused if it was deleted meanwhile."""
    if not is_asker(row, owner_key):
        raise NotAllowed("not_owner", _("Only the browser that started this sweep can stop or continue it."))
    work = _held(row.work_id)
    ask = SweepAsk.objects.filter(id=row.id).first()
    if work is None or ask is None:
        raise Refused("forgotten", _("This sweep has been deleted. Start it again."))
    ask.work = work
    return ask


def _stop_unwanted(work_ids: Iterable[str]) -> None:
    """End those works, all of them locked, that no asker is waiting for."""
    wanted = SweepAsk.objects.filter(work=OuterRef("id"), is_wanted=True)
    unwanted = StoredSweep.objects.filter(~Exists(wanted), id__in=work_ids, state__in=OPEN)
    unwanted.update(state=State.STOPPED, state_note={}, owner="", lease_until=None)


@transaction.atomic
def cell_open(*, row: SweepAsk, number: int, owner_key: str, address: str = "") -> tuple[Run, SweepCell | None]:
    """The run of a cell, paused at the moment of its outcome, or at the end of the sweep's time if there is none; and the cell.

    The same browser gets the same run again as long as nobody has acted in it. Raises Refused if the run cannot begin.
    """
    sweep = row.work.sweep()
    try:
        plan = SweepPlan(sweep)
    except BadSweep as error:  # it was requested under other rules
        raise Refused("plan", str(error)) from None
    if not 0 <= number < sweep.size:
        raise Refused("no_cell", _("This sweep does not have that cell."))
    value, seed = list(plan.places())[number]
    refused = plan.refusal(value)
    if refused:
        raise Refused("refused", refused)
    cell = row.work.cells()[number]
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


def _source(row: SweepAsk, plan: SweepPlan, value: int | str) -> Source:
    """The author's texts with the value inserted; empty if it cannot be inserted, because they would describe another run."""
    source = decode(row.source_body, SOURCE)
    if not source.manifests:
        return source
    changed = text_with_value(source.manifests, plan.field, value, minor=minor_in(plan.sweep.header.kubernetes))
    return msgspec.structs.replace(source, manifests=changed or "")


def sweep_seen(*, row: SweepAsk) -> None:
    """Note that somebody is looking at a sweep, so that it is kept. At most one update an hour."""
    SweepAsk.objects.filter(Q(seen_at__lt=Now() - timedelta(hours=1)), id=row.id).update(seen_at=Now())


def sweeps_prune(*, days: int | None = None, limit: int = SWEEPS_AT_ONCE) -> int:
    """Delete at most ``limit`` asks that nobody has looked at for ``days``, or that ended without a cell; return how many.

    ``days`` defaults to SIM_KEEP_DAYS; 0 keeps everything. Asks that are waiting for cells are kept.
    """
    days = settings.SIM_KEEP_DAYS if days is None else days
    if days <= 0:
        return 0
    is_void = Q(work__done=0, seen_at__lt=Now() - VOID_KEPT)
    is_open = Q(is_wanted=True, work__state__in=OPEN)
    old = SweepAsk.objects.filter(is_void | Q(seen_at__lt=Now() - timedelta(days=days))).exclude(is_open)
    ids = list(old.order_by("seen_at").values_list("id", flat=True)[:limit])
    return asks_forget(old.filter(id__in=ids)) if ids else 0


@transaction.atomic
def asks_forget(asks: QuerySet[SweepAsk]) -> int:
    """Delete asks, and works left without one; return how many asks. Works that no other asker is waiting for end."""
    work_ids = sorted(set(asks.order_by().values_list("work_id", flat=True)))
    held = StoredSweep.objects.select_for_update().filter(id__in=work_ids)
    # Locked in order of id, so that two such transactions cannot deadlock.
    list(held.order_by("id").values_list("id"))
    count, _by_model = asks.delete()
    StoredSweep.objects.filter(id__in=work_ids, asks__isnull=True).delete()
    _stop_unwanted(work_ids)
    return count
