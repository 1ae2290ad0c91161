"""Make, find and revoke keys to the Kubernetes API of a run. Every key allows reading; only the run's owner may make keys that write."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from functools import cache

from django.db.models import CharField
from django.utils import timezone
from django.utils.translation import gettext as _

from simulator.engine.kernel.outside_text import one_line
from simulator.models import DoorKey, Run
from simulator.runs.log.statements import Statement, among, numbered, places_for
from simulator.runs.permissions import OWNER, role_of
from simulator.runs.services.errors import LimitReached, NotAllowed

KEYS_MAX = 100
"""The most valid keys of a run, for reading and for writing each."""
TOKEN = re.compile(r"[rw]-[A-Za-z0-9_-]{32}")
"""A key as it appears in URLs; its first letter says whether it allows writing."""
_TOKEN_BYTES = 24
LABEL_MAX = 40


def token_hash(token: str) -> str:
    """The hash of a key that is stored."""
    return hashlib.sha256(token.encode()).hexdigest()


def door_key_create(*, run: Run, owner_key: str, can_write: bool, label: str = "") -> str:
    """Make a key and return it; it cannot be shown again. ``label`` is the name shown next to acts given with it. Raises NotAllowed and
    LimitReached.

    If there are too many read-only keys, a new one replaces the oldest: anybody may make them, and a link has no owner to revoke any.
    """
    if can_write and role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Only the owner of this run can create a key with write access."))
    rivals = DoorKey.objects.filter(run=run, can_write=can_write, revoked_at=None)
    if not can_write:
        too_many = list(rivals.order_by("-id").values_list("id", flat=True)[KEYS_MAX - 1 :])
        rivals.filter(id__in=too_many).update(revoked_at=timezone.now())
    elif rivals.count() >= KEYS_MAX:
        raise LimitReached("door_keys", _("This run has %(count)d keys already. Its owner can revoke some.") % {"count": KEYS_MAX})
    token = f"{'w' if can_write else 'r'}-{secrets.token_urlsafe(_TOKEN_BYTES)}"
    DoorKey.objects.create(run=run, can_write=can_write, token_hash=token_hash(token), label=one_line(label, most=LABEL_MAX))
    return token


def door_key_revoke(*, run: Run, owner_key: str, key_id: int) -> None:
    """Revoke a key. Raises NotAllowed."""
    if role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Only the owner of this run can revoke its keys."))
    DoorKey.objects.filter(run=run, id=key_id, revoked_at=None).update(revoked_at=timezone.now())


def door_key_find(token: str) -> DoorKey | None:
    """The row of a key, with its run; None if it is unknown or revoked. One query."""
    return door_keys_find([token]).get(token)


def door_keys_find(tokens: Iterable[str]) -> dict[str, DoorKey]:
    """The rows of those keys that are valid, by key. One query."""
    named = {token_hash(token): token for token in tokens if TOKEN.fullmatch(token)}
    if not named:
        return {}
    places = places_for(len(named))
    return {named[key.token_hash]: key for key in _valid_of(places).rows(**numbered("hash", [*named], places))}


@cache
def _valid_of(places: int) -> Statement[DoorKey]:
    rows = DoorKey.objects.select_related("run").filter(revoked_at=None)
    return Statement(lambda: rows.filter(among("token_hash", "hash", CharField(), places)))


_valid_of(1)  # written with this module, so it is compiled before processes are forked
