"""Levels written on this site, and the results of attempts at levels."""

import hashlib
import hmac
from base64 import b32encode
from collections.abc import Iterable
from datetime import timedelta

from django.db.models.functions import Now
from django.utils.translation import gettext as _

from simulator.models import LevelAttempt, Run, SharedLevel
from simulator.runs.permissions import hash_key
from simulator.runs.services.errors import LimitReached

ID_LENGTH = 12
OWN = "~"
"""Prefix of the keys of levels that were written on this site."""
PER_ADDRESS_MAX = 300
"""Levels and courses that one address may share within a day; many teachers of a school share one."""
ATTEMPTS_MAX = 200
"""Checks of one run that are kept; beyond that each new one replaces the last."""


def level_share(*, text: str, title: str, address: str = "", owner_key: str = "", problems: Iterable[str] = ()) -> SharedLevel:
    """Store a level. Sharing the same text again returns the same level, which still belongs to the one who shared it first.

    ``problems`` are the findings of its trial. Raises LimitReached if an address has shared too many within a day.
    """
    found = "\n".join(" ".join(problem.split()) for problem in problems)
    return _shared(SharedLevel.Kind.LEVEL, {"title": title, "body": text, "problems": found}, address, owner_key)


def course_share(*, text: str, title: str, address: str = "", owner_key: str = "") -> SharedLevel:
    """Like ``level_share``, for a course."""
    return _shared(SharedLevel.Kind.COURSE, {"title": title, "body": text}, address, owner_key)


def _shared(kind: SharedLevel.Kind, told: dict[str, str], address: str, owner_key: str) -> SharedLevel:
    # A course and a level with the same text are different, so a course's id is also derived from its kind.
    source = told["body"] if kind is SharedLevel.Kind.LEVEL else f"{kind}\n{told['body']}"
    digest = b32encode(hashlib.sha256(source.encode()).digest()).decode().lower().rstrip("=")
    owner_hash = hash_key(owner_key) if owner_key else ""
    fields = {**told, "kind": kind, "address_hash": address, "owner_hash": owner_hash}
    known = SharedLevel.objects.filter(id=digest[:ID_LENGTH]).first()
    if known is None and address:
        today = SharedLevel.objects.filter(address_hash=address, created_at__gt=Now() - timedelta(days=1))
        if today.count() >= PER_ADDRESS_MAX:
            text = _("Your address has shared %(most)d levels and courses within a day. Try again tomorrow.")
            raise LimitReached("levels", text % {"most": PER_ADDRESS_MAX})
    return known or SharedLevel.objects.get_or_create(id=digest[:ID_LENGTH], defaults=fields)[0]


def is_level_owner(shared: SharedLevel, owner_key: str | None) -> bool:
    """Whether a browser's key is the one with which the text was shared."""
    return bool(shared.owner_hash and owner_key) and hmac.compare_digest(shared.owner_hash, hash_key(owner_key or ""))


def level_attempt(  # noqa: PLR0913 - all are keyword-only
    *, run: Run, passed: bool, failed: str, at_ms: int | None, acts: int, hints: int, points: int, points_max: int, results: str
) -> LevelAttempt:
    """Store the result of checking a run. For each run the first 199 are kept, and the newest."""
    fields = {
        "level": run.level,
        "passed": passed,
        "failed": failed,
        "at_ms": at_ms,
        "acts": acts,
        "hints": hints,
        "points": points,
        "points_max": points_max,
        "results_body": results,
    }
    kept = LevelAttempt.objects.filter(run=run)
    if kept.count() >= ATTEMPTS_MAX:
        kept.filter(id=kept.order_by("-id").values_list("id", flat=True)[0]).delete()
    return LevelAttempt.objects.create(run=run, **fields)
