"""Keys to the Kubernetes API of a run: made, found, revoked. Whoever holds one may read; the run's owner may also make keys that write."""

import hashlib
import re
import secrets
from collections.abc import Iterable

from django.utils import timezone
from django.utils.translation import gettext as _

from simulator.engine.kernel.outside_text import one_line
from simulator.models import DoorKey, Run
from simulator.runs.permissions import OWNER, role_of
from simulator.runs.services.errors import LimitReached, NotAllowed

KEYS_MAX = 100
"""Keys of one sort, those that read and those that write, that open a run at the same time."""
TOKEN = re.compile(r"[rw]-[A-Za-z0-9_-]{32}")
"""A key as it stands in addresses; its first letter says whether it may write."""
_TOKEN_BYTES = 24
LABEL_MAX = 40


def token_hash(token: str) -> str:
    """What is kept of a key."""
    return hashlib.sha256(token.encode()).hexdigest()


def door_key_create(*, run: Run, owner_key: str, can_write: bool, label: str = "") -> str:
    """A new key with the name that stands beside what is done with it, which nobody can be told again. Raises NotAllowed and LimitReached.

    The oldest key that reads gives way to a new one: anybody may make them, and a link has no owner who could revoke some.
    """
    if can_write and role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Only the owner of this run can make a key that writes."))
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
    """Let a key open nothing any more. Raises NotAllowed."""
    if role_of(run, owner_key) != OWNER:
        raise NotAllowed("not_owner", _("Only the owner of this run can revoke its keys."))
    DoorKey.objects.filter(run=run, id=key_id, revoked_at=None).update(revoked_at=timezone.now())


def door_key_find(token: str) -> DoorKey | None:
    """The key that is called so, with its run, unless it was revoked. One query."""
    return door_keys_find([token]).get(token)


def door_keys_find(tokens: Iterable[str]) -> dict[str, DoorKey]:
    """Those of many keys that open something, by what they are called. One query."""
    named = {token_hash(token): token for token in tokens if TOKEN.fullmatch(token)}
    rows = DoorKey.objects.select_related("run").filter(token_hash__in=list(named), revoked_at=None) if named else ()
    return {named[key.token_hash]: key for key in rows}
