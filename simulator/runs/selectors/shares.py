"""Shared links and where they came from."""

from django.db.models import CharField

from simulator.engine.course.header import REVISION
from simulator.models import Run, SharedScenario
from simulator.runs.log.statements import Given, Statement

LINEAGE_MAX = 50


def share_get(share_id: str) -> SharedScenario | None:
    """The link with that id, or None."""
    return _SHARE.first(share=share_id)


_SHARE = Statement(lambda: SharedScenario.objects.select_related("parent", "scenario").filter(id=Given("share", CharField())).order_by())


def share_lineage(share: SharedScenario) -> list[SharedScenario]:
    """``share`` and its ancestors, oldest first, at most 50. One query each."""
    line = [share]
    while line[-1].parent is not None and len(line) < LINEAGE_MAX:
        line.append(line[-1].parent)
    return line[::-1]


def share_kept_run(share_id: str) -> Run | None:
    """The run behind a link if another revision of the engine recorded it, otherwise None. One query."""
    return Run.objects.filter(share_id=share_id, is_frozen=True, head_seq__gt=0).exclude(revision=REVISION).first()
