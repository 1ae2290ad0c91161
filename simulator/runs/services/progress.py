"""Learners' progress, kept by the site under a nickname and a phrase, if its operator allows it (PODSCOPE_PROGRESS).

Nickname and phrase together identify a document, and neither is stored: a row is found by a slow hash of both, with a salt that only this
site can compute. So two learners may have the same nickname, a wrong phrase simply identifies another document, and no answer reveals
whether a nickname exists. Changing SECRET_KEY makes all documents unreachable.
"""

import unicodedata
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core import signing
from django.db import transaction
from django.db.models.functions import Now
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from simulator.engine.kernel.outside_text import one_line
from simulator.models import KeptProgress
from simulator.runs.services.errors import LimitReached, Refused
from simulator.runs.services.progress_document import BYTES_MAX, PROGRESS, Progress, progress_text, united

ITERATIONS = 600_000
"""For PBKDF2 with SHA-256. Never change it, or use Django's default, which grows: another number makes all documents unreachable."""
TYPED_MAX = 200
NICKNAME_MIN, NICKNAME_MAX = 2, 40
PHRASE_MIN, PHRASE_MAX = 12, 200
PHRASE_SIGNS_MIN = 5
"""The least number of different characters in a phrase."""
TOKEN_S = 12 * 3600
PER_ADDRESS_MAX = 300
"""Documents that one address may create within a day; many learners of a school share one."""
_SALT = "podscope.progress"


@dataclass(frozen=True)
class UnitedProgress:
    """The progress that is now stored, and whether its document is new."""

    progress: Progress
    is_new: bool


def folded(typed: str, *, most: int) -> str:
    """Normalize a nickname or phrase: ignore case, Unicode forms and repeated spaces. Cut just beyond ``most`` characters."""
    return one_line(unicodedata.normalize("NFKC", one_line(typed, most=most + 1)).casefold(), most=most + 1)


def check_names(nickname: str, phrase: str) -> tuple[str, str]:
    """Normalize both. Raises Refused if one is too short or too long."""
    name, secret = folded(nickname, most=NICKNAME_MAX), folded(phrase, most=PHRASE_MAX)
    if not NICKNAME_MIN <= len(name) <= NICKNAME_MAX or len(nickname) > TYPED_MAX:
        text = _("A nickname must have %(least)d to %(most)d characters.")
        raise Refused("nickname", text % {"least": NICKNAME_MIN, "most": NICKNAME_MAX})
    if not PHRASE_MIN <= len(secret) <= PHRASE_MAX or len(set(secret)) < PHRASE_SIGNS_MIN or len(phrase) > 2 * PHRASE_MAX:
        text = _("A phrase must have %(least)d to %(most)d characters: three or four words that no one else would think of.")
        raise Refused("phrase", text % {"least": PHRASE_MIN, "most": PHRASE_MAX})
    return name, secret


def progress_key(nickname: str, phrase: str) -> str:
    """The id of the document for a nickname and phrase from ``check_names``. Takes about half a second of CPU."""
    salt = salted_hmac(_SALT, nickname, algorithm="sha256").hexdigest()
    return PBKDF2PasswordHasher().encode(phrase, salt, ITERATIONS).rpartition("$")[2]


def progress_token(key: str) -> str:
    """A token that gives access to the document for TOKEN_S without the phrase."""
    return signing.dumps(key, salt=_SALT)


def key_of_token(token: str) -> str | None:
    """The key in a token of this site; None if the token is invalid or too old."""
    try:
        return str(signing.loads(token, salt=_SALT, max_age=TOKEN_S))
    except signing.BadSignature:
        return None


@transaction.atomic
def progress_unite(*, key: str, brought: Progress, address: str, begins: bool) -> UnitedProgress | None:
    """Merge the progress that was brought into the stored document.

    If there is none, create it, or return None unless ``begins``. Raises LimitReached.
    """
    row = _locked(key)
    if row is None and not begins:
        return None
    is_new = row is None
    if row is None:
        _check_address(address)
        # Another browser may create it at the same time.
        is_new = KeptProgress.objects.get_or_create(id=key, defaults={"address_hash": address})[1]
        row = _locked(key)
    both = united(PROGRESS.from_json(row.body) if row else Progress(), brought)
    body = progress_text(both)
    if len(body.encode()) > BYTES_MAX:
        raise LimitReached("progress", _("This is more progress than the site keeps for one learner."))
    KeptProgress.objects.filter(id=key).update(body=body, changed_at=Now())
    return UnitedProgress(both, is_new=is_new)


def _locked(key: str) -> KeptProgress | None:
    return KeptProgress.objects.select_for_update().filter(id=key).first()


def _check_address(address: str) -> None:
    begun = KeptProgress.objects.filter(address_hash=address, created_at__gt=Now() - timedelta(days=1)) if address else None
    if begun is not None and begun.count() >= PER_ADDRESS_MAX:
        text = _("Too many learners have started saving progress from your address today. Try again tomorrow.")
        raise LimitReached("progress", text)


def progress_forget(*, key: str) -> None:
    """Delete the document, if there is one."""
    KeptProgress.objects.filter(id=key).delete()


def progress_prune(*, days: int | None = None) -> int:
    """Delete documents that nobody has requested for ``days`` (default SIM_KEEP_DAYS; 0 keeps all); return how many."""
    days = settings.SIM_KEEP_DAYS if days is None else days
    return KeptProgress.objects.filter(changed_at__lt=Now() - timedelta(days=days)).delete()[0] if days > 0 else 0
