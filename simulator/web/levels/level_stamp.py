"""What a trial found, sealed with the text that was played, so that a page knows whether its author has seen it."""

import hashlib

from django.core import signing

STAMP_S = 24 * 3600
PROBLEMS_MAX = 20
_SALT = "podscope.level-trial"


def stamp_of(text: str, problems: tuple[str, ...]) -> str:
    """The seal of a level's text and the problems of its trial, of which PROBLEMS_MAX are kept."""
    return signing.dumps([_digest(text), list(problems[:PROBLEMS_MAX])], salt=_SALT, compress=True)


def problems_of(stamp: str, text: str) -> tuple[str, ...] | None:
    """The problems that a trial of this very text found; None where the seal is of another text, of another site or too old."""
    try:
        digest, problems = signing.loads(stamp, salt=_SALT, max_age=STAMP_S)
    except signing.BadSignature:
        return None
    return tuple(problems) if digest == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
