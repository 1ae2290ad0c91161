"""The findings of a trial, signed together with the text that was tried, so that a page knows whether its author has seen them."""

import hashlib

from django.core import signing

STAMP_S = 24 * 3600
PROBLEMS_MAX = 20
_SALT = "podscope.level-trial"


def stamp_of(text: str, problems: tuple[str, ...]) -> str:
    """Sign a level's text and the first PROBLEMS_MAX problems of its trial."""
    return signing.dumps([_digest(text), list(problems[:PROBLEMS_MAX])], salt=_SALT, compress=True)


def problems_of(stamp: str, text: str) -> tuple[str, ...] | None:
    """The problems found by a trial of exactly this text; None if the stamp is for another text, from another site or too old."""
    try:
        digest, problems = signing.loads(stamp, salt=_SALT, max_age=STAMP_S)
    except signing.BadSignature:
        return None
    return tuple(problems) if digest == _digest(text) else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
