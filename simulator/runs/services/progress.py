"""Progress that the site keeps under a nickname and a phrase, if its operator allows it (PODSCOPE_PROGRESS).

Nickname and phrase together are the name of a document, and neither is stored: a row is found by what a slow hash makes of both, with
a salt that only this site can make. So two learners may have one nickname, a wrong phrase is nothing but another name, and no answer
tells whether a nickname is known. A changed SECRET_KEY makes all documents unreachable.
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
"""Of PBKDF2 with SHA-256. Never changed, nor left to Django, whose number grows: another one makes all documents unreachable."""
TYPED_MAX = 200
NICKNAME_MIN, NICKNAME_MAX = 2, 40
PHRASE_MIN, PHRASE_MAX = 12, 200
PHRASE_SIGNS_MIN = 5
"""Different characters of a phrase."""
TOKEN_S = 12 * 3600
PER_ADDRESS_MAX = 300
"""Documents that one address begins within a day; a school has many learners behind one."""
_SALT = "podscope.progress"


@dataclass(frozen=True)
class UnitedProgress:
    """What is kept now, and whether nothing was before."""

    progress: Progress
    is_new: bool


def folded(typed: str, *, most: int) -> str:
    """What counts of a nickname or phrase: not case, not the form of characters, not how many blanks. Longer ones are cut past ``most``."""
    return one_line(unicodedata.normalize("NFKC", one_line(typed, most=most + 1)).casefold(), most=most + 1)


def check_names(nickname: str, phrase: str) -> tuple[str, str]:
    """Both as they count. Raises Refused where one is too short or too long."""
    name, secret = folded(nickname, most=NICKNAME_MAX), folded(phrase, most=PHRASE_MAX)
    if not NICKNAME_MIN <= len(name) <= NICKNAME_MAX or len(nickname) > TYPED_MAX:
        text = _("A nickname has from %(least)d to %(most)d characters.")
        raise Refused("nickname", text % {"least": NICKNAME_MIN, "most": NICKNAME_MAX})
    if not PHRASE_MIN <= len(secret) <= PHRASE_MAX or len(set(secret)) < PHRASE_SIGNS_MIN or len(phrase) > 2 * PHRASE_MAX:
        text = _("A phrase has from %(least)d to %(most)d characters: three or four words that no one else would think of.")
        raise Refused("phrase", text % {"least": PHRASE_MIN, "most": PHRASE_MAX})
    return name, secret


def progress_key(nickname: str, phrase: str) -> str:
    """What the document of both is found by; they are as ``check_names`` gives them. Takes about half a second of a core."""
    salt = salted_hmac(_SALT, nickname, algorithm="sha256").hexdigest()
    return PBKDF2PasswordHasher().encode(phrase, salt, ITERATIONS).rpartition("$")[2]


def progress_token(key: str) -> str:
    """What opens the document for TOKEN_S without the phrase."""
    return signing.dumps(key, salt=_SALT)


def key_of_token(token: str) -> str | None:
    """The key that a token of this site holds; None of any other, and of one that is too old."""
    try:
        return str(signing.loads(token, salt=_SALT, max_age=TOKEN_S))
    except signing.BadSignature:
        return None


@transaction.atomic
def progress_unite(*, key: str, brought: Progress, address: str, begins: bool) -> UnitedProgress | None:
    """Keep what was done in either, the document that is kept or the one that is brought.

    Where none is kept it is begun, or, if it must not be (``begins``), None is the answer. Raises LimitReached.
    """
    row = _locked(key)
    if row is None and not begins:
        return None
    is_new = row is None
    if row is None:
        _check_address(address)
        # Another browser may begin it at the same time.
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
        text = _("Too many learners have started to keep progress from your address today. Try again tomorrow.")
        raise LimitReached("progress", text)


def progress_forget(*, key: str) -> None:
    """Delete the document, if there is one."""
    KeptProgress.objects.filter(id=key).delete()


def progress_prune(*, days: int | None = None) -> int:
    """Forget what nobody has asked for within ``days`` (the site's SIM_KEEP_DAYS unless given; 0 keeps all); how many it were."""
    days = settings.SIM_KEEP_DAYS if days is None else days
    return KeptProgress.objects.filter(changed_at__lt=Now() - timedelta(days=days)).delete()[0] if days > 0 else 0
