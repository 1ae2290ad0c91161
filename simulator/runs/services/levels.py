"""Levels that people of the site wrote, and what became of attempts at levels."""

import hashlib
from base64 import b32encode

from simulator.models import LevelAttempt, Run, SharedLevel

ID_LENGTH = 12
OWN = "~"
"""What the key of a level begins with that was written on this site."""
ATTEMPTS_MAX = 200
"""Checks of one run that are kept; more are answered and not kept."""


def level_share(*, text: str, title: str, address: str = "") -> SharedLevel:
    """The level of that text, stored once: the same text gives the same level again."""
    digest = b32encode(hashlib.sha256(text.encode()).digest()).decode().lower().rstrip("=")
    level, _is_new = SharedLevel.objects.get_or_create(
        id=digest[:ID_LENGTH], defaults={"title": title, "body": text, "address_hash": address}
    )
    return level


def level_attempt(  # noqa: PLR0913 - all are keyword-only
    *, run: Run, passed: bool, failed: str, at_ms: int | None, acts: int, hints: int, points: int, points_max: int, results: str
) -> LevelAttempt:
    """Keep what a check of the run came to. Of one run the first 199 are kept and, in place of what came between, the newest."""
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
