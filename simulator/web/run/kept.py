"""What a page says about a run that another engine revision recorded, and about runs derived from such a run.

Records of another revision are shown as recorded and never mixed with results of today's rules. Where the two diverge
is found by a replay that is compared record by record (``timemachine.divergence_of``).
"""

from django.utils.translation import gettext

from simulator.engine import Divergence, Record
from simulator.engine.course.header import REVISION
from simulator.engine.kernel.units import Ms
from simulator.engine.rules import explain
from simulator.models import Run, SharedScenario
from simulator.runs.log import timemachine
from simulator.runs.log.history import is_kept
from simulator.runs.log.timemachine import LostRecords, Uncompared
from simulator.runs.selectors.shares import share_kept_run
from simulator.web.base.common import Context, Moment
from simulator.web.presenters import computing_text


def kept_facts(run: Run, share: SharedScenario | None = None) -> Context | None:
    """The run's relation to what another revision recorded; None if no other revision is involved.

    ``kind``: recorded (this run), branch (it continues such a run), recomputed (it replaces one that was not kept).
    ``share`` is the link whose page it is. Costs ``timemachine.divergence_of``.
    """
    if is_kept(run):
        return _facts("recorded", run.revision, timemachine.divergence_of(run))
    if share is not None:
        made_with = share.content().header.revision
        return _facts("recomputed", made_with, None) if made_with != run.revision else None
    source = _source_of(run)
    if source is None:
        return None
    try:
        divergence = timemachine.divergence_of(source)
    except LostRecords:  # of the source; the branch itself is intact
        return _facts("branch", source.revision, None) | {"is_unknown": True}
    begins_ms = run.parent_ms if run.parent_id else None
    facts = _facts("branch", source.revision, divergence)
    return facts | {"is_later": divergence is not None and begins_ms is not None and divergence.at_ms > begins_ms}


def _source_of(run: Run) -> Run | None:
    """The run of another revision that this one continues: its parent, or the one behind the link it was forked from."""
    if run.parent is not None:
        return run.parent if is_kept(run.parent) else None
    return share_kept_run(run.share_id) if run.share_id and not run.is_frozen else None


def _facts(kind: str, revision: int, divergence: Divergence | None) -> Context:
    facts: Context = {"kind": kind, "revision": revision, "now": REVISION}
    return facts | (divergence_facts(divergence) if divergence is not None else {"at_ms": None})


def divergence_facts(divergence: Divergence) -> Context:
    """Where the two histories diverge: the instant, and what each says there, in the reader's language.

    If that is not known yet, ``progress`` says how far they have been compared.
    """
    stored, now = divergence.stored, divergence.now
    return {
        "progress": computing_text(divergence.at_ms, divergence.goal_ms) if isinstance(divergence, Uncompared) else "",
        "at_ms": divergence.at_ms,
        "before": _record_context(stored) | {"href": _link(stored, divergence.at_ms)} if stored else None,
        "after": _record_context(now) if now else None,
    }


def _record_context(record: Record) -> Context:
    text = explain.headline(record)
    return {"seq": record.seq, "at_ms": record.at_ms, "text": explain.fill(gettext(text.msgid), dict(text.values)), "rule": record.rule}


def _link(record: Record, at_ms: Ms) -> str:
    """The query string for the recorded instant, with its chain of causes."""
    return Moment(t_ms=max(record.at_ms, at_ms), sel=record.subject, rec=record.seq).query()
