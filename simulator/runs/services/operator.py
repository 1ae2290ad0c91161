"""What the site's operator can do to runs, regardless of who owns them."""

from uuid import UUID

from django.db.models import F, Value
from django.db.models.functions import Coalesce, Now

from simulator.models import Run
from simulator.runs.state_notes import state_note

ENDED = (Run.State.FAILED, Run.State.STOPPED)
"""States from which a run can be brought back."""


def run_stop(*, run_id: UUID) -> bool:
    """End a live run under a fresh epoch, so that its owner can write nothing more; return False if there is no such live run."""
    live = Run.objects.filter(id=run_id, state=Run.State.LIVE)
    return bool(live.update(state=Run.State.STOPPED, state_note=state_note("stopped"), **_nobodys()))


def run_retry(*, run_id: UUID) -> bool:
    """Let a run that failed or was stopped continue from where it stood; return False if there is no such run."""
    ended = Run.objects.filter(id=run_id, state__in=ENDED)
    stands = Coalesce("stands_ms", "head_ms")
    return bool(
        ended.update(state=Run.State.LIVE, state_note={}, take_overs=Value(0), stands_ms=stands, viewers_seen_at=Now(), **_nobodys())
    )


def _nobodys() -> dict[str, object]:
    # A new epoch fences off the process that held the run: its writes are refused.
    return {"owner": "", "lease_until": None, "driven_at": None, "epoch": F("epoch") + 1}
