"""Links that never change: a content is stored once, permanently, under an id derived from it and from the words shown with it."""

import msgspec
from django.db import transaction
from django.db.models import CharField

from simulator.engine.acts.all_acts import Applied
from simulator.engine.course.header import REVISION, renewed
from simulator.engine.kernel.outside_text import one_line
from simulator.engine.kernel.records import Record, digest_of
from simulator.engine.kernel.units import Seq
from simulator.models import Run, Scenario, SharedScenario
from simulator.runs.log import timemachine
from simulator.runs.log.content import Content, content_id, decode_content, encode_content
from simulator.runs.log.so_far import SoFar, given_by, so_far, so_far_recorded
from simulator.runs.log.statements import Given, Statement
from simulator.runs.log.storage import Addition, append
from simulator.runs.services.runs import TITLE_MAX, run_create

ID_LENGTH = 10
ID_LENGTH_MAX = 52


def share_create(*, run: Run, title: str | None = None) -> SharedScenario:
    """Make a link to ``run`` so far: its header, every command given and the moment it has reached.

    The records up to there are copied, so that they last whatever happens to the run and the engine. Everything belongs to one head of the
    log: what happens during the copying is not in the link. O(records).
    """
    if run.is_frozen and run.share is not None:
        return run.share
    past = so_far(run)
    head, content = past.run, _content(past)
    share = share_content(content=content, title=title or head.title, parent=head.share, scenario=head.scenario, run=head)
    # Records are read outside the transaction, and the check is repeated inside: if two share at once, the second finds the run.
    if head.head_seq and _frozen_run(share) is None:
        records = timemachine.log(head, after=0, limit=head.head_seq)
        with transaction.atomic():
            SharedScenario.objects.select_for_update().get(id=share.id)
            if _frozen_run(share) is None:
                _copied_run(share, past, records)
    return share


def content_so_far(run: Run) -> Content:
    """The content of ``run`` so far: its beginning, every command given and the moment up to which that is recorded; for a link's run, the
    shared content. Changes nothing."""
    return run.share.content() if run.is_frozen and run.share is not None else _content(so_far_recorded(run))


def _content(past: SoFar) -> Content:
    base = past.run.content()
    return Content(header=base.header, source=base.source, commands=past.commands, until_ms=past.until_ms)


@transaction.atomic
def share_content(
    *, content: Content, title: str, parent: SharedScenario | None = None, scenario: Scenario | None = None, run: Run | None = None
) -> SharedScenario:
    """The link for that content with that title, parent and scenario, created if it is new. Sharing the same content with others of these
    gives a different link, so that nobody gets another sharer's title or lineage. The id grows by a letter if it would collide.
    """
    body, shown = encode_content(content), one_line(title, most=TITLE_MAX)
    words = (shown, parent.id if parent else "", scenario.slug if scenario else "")
    for length in range(ID_LENGTH, ID_LENGTH_MAX + 1):
        share_id = content_id(content, *words, length=length)
        share, is_new = SharedScenario.objects.get_or_create(
            id=share_id,
            defaults={"title": shown, "body": body, "parent": parent, "scenario": scenario, "run": run},
        )
        if is_new or (share.body, share.title, share.parent, share.scenario) == (body, shown, parent, scenario):
            return share
    raise AssertionError("two links with one SHA-256")


def shared_run(*, share: SharedScenario) -> Run:
    """The one frozen, ownerless run behind a link, paused where the sharer was. Created on the first call; later ones only read."""
    run = _frozen_run(share)
    return _make_frozen_run(share.id) if run is None or _is_void(run) else run


def _frozen_run(share: SharedScenario) -> Run | None:
    run = _FROZEN.first(share=share.id)
    if run is not None:
        run.share = share
    return run


_FROZEN = Statement(lambda: Run.objects.filter(share=Given("share", CharField()), is_frozen=True).order_by("pk")[:1])


def _is_void(run: Run) -> bool:
    """Whether another revision created the run's row but never computed it."""
    return run.head_seq == 0 and run.revision != REVISION


@transaction.atomic
def _make_frozen_run(share_id: str) -> Run:
    """Copy what the sharer saw from the shared run, if that still exists; otherwise play it by today's rules."""
    share = SharedScenario.objects.select_for_update().get(id=share_id)
    known = _frozen_run(share)
    if known is not None and not _is_void(known):
        return known
    if known is not None:
        known.delete()
    content = decode_content(share.body)
    past = _as_recorded(share.run, content) if share.run is not None else None
    if past is not None:
        records = timemachine.log(past.run, after=0, limit=timemachine.recorded_seq(past.run, ms=content.until_ms))
        return _copied_run(share, past, records)
    return run_create(content=content, title=share.title, owner_key="", scenario=share.scenario, share=share)


def _as_recorded(run: Run, content: Content) -> SoFar | None:
    """What another revision recorded of ``run`` up to the end of the content, if it matches the content; otherwise None."""
    head, commands = timemachine.standing(run)
    given = given_by(commands, content.until_ms)
    is_same = [(item.at_ms, item.command) for item in given] == [(item.at_ms, item.command) for item in content.commands]
    is_of_then = content.header.revision != REVISION and head.head_seq > 0
    if not (is_of_then and is_same and renewed(head.header()) == renewed(content.header)):
        return None
    return SoFar(run=head, commands=given, until_ms=content.until_ms)


def _copied_run(share: SharedScenario, past: SoFar, records: list[Record]) -> Run:
    """Make the run behind a link with these first records of the shared run. A runner adds what that run's log did not hold yet."""
    content, source = share.content(), past.run
    run = run_create(content=content, title=share.title, owner_key="", scenario=share.scenario, share=share)
    run.revision = content.header.revision
    # The revision under which it was recorded, not today's: the records follow those rules.
    run.header_body = msgspec.json.encode(content.header, order="sorted")
    run.save(update_fields=["revision", "header_body"])
    head_ms = min(content.until_ms, source.head_ms)
    done = _done(past, head_seq=len(records))
    batch = Addition(records=tuple(records), applied=tuple(done), head_seq=len(records), head_ms=head_ms, digest=digest_of(records))
    append(run.id, epoch=run.epoch, batch=batch)
    run.refresh_from_db()
    return run


def _done(past: SoFar, *, head_seq: Seq) -> list[Applied]:
    """The commands carried out up to a record, with the numbers that they have in the run behind a link."""
    rows = {row.n: row for row in past.run.commands.filter(applied_seq__lte=head_seq)}
    places = [(n, rows[stamped.n]) for n, stamped in enumerate(past.commands, start=1) if stamped.n in rows]
    return [Applied(n=n, at_ms=row.at_ms or 0, seq=row.applied_seq or 0, outcome=row.outcome) for n, row in places]
