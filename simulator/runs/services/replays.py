"""Request a replay of all runs, as a job."""

import hashlib
from base64 import b32encode

import msgspec
from django.db.models import QuerySet

from simulator.engine.course.header import REVISION
from simulator.models import Run, StoredReplay
from simulator.runs.log.replays import heads_of

ID_LENGTH = 20
KEPT = 20
"""Replays that are kept; older ones are deleted when another is requested."""
State = StoredReplay.State


def replay_ask(runs: QuerySet[Run]) -> StoredReplay:
    """The replay of these runs as far as they are recorded now: an existing one if nothing has changed since, or a new one. An existing
    one that stopped or failed starts again, with the results it has.
    """
    heads = heads_of(runs.order_by("created_at", "id"))
    body = msgspec.json.encode(heads).decode()
    # The revision is part of the digest: a new engine revision has to replay everything again.
    digest = b32encode(hashlib.sha256(f"{REVISION} {body}".encode()).digest()).decode().lower()[:ID_LENGTH]
    row, is_new = StoredReplay.objects.get_or_create(id=digest, defaults={"body": body, "size": len(heads), "revision": REVISION})
    if is_new:
        old = StoredReplay.objects.exclude(state__in=(State.QUEUED, State.RUNNING)).values_list("id", flat=True)[KEPT:]
        StoredReplay.objects.filter(id__in=list(old)).delete()
    elif row.state in (State.STOPPED, State.FAILED):
        again = {"state": State.QUEUED, "state_note": {}, "attempts": 0, "owner": "", "lease_until": None, "sent_at": None}
        StoredReplay.objects.filter(id=row.id, state=row.state).update(**again)
        row.refresh_from_db()
    return row
