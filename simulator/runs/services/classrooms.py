"""Classes: a code that people type, and where the teacher is. The row is the truth; sockets report it (runs/live/class_socket.py)."""

import re
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.http import QueryDict
from django.utils.translation import gettext as _

from simulator.engine.kernel.bounded import milliseconds
from simulator.engine.kernel.outside_text import one_line, storable
from simulator.models import Classroom
from simulator.runs.permissions import hash_key
from simulator.runs.services.class_code import draw_code
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused

TRIES = 5
PER_ADDRESS_MAX = 60
"""Classes per address; many teachers of a school share one."""
QUERY_MAX = 2000
PATH = re.compile(r"/r/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/|/s/[a-z0-9]{1,52}/")
"""The pages where a class may be: runs and links."""
NAMES = ("t", "rate", "sel", "rec", "tab", "part", "k", "did", "v", "fold", "open", "q", "sort", "range", "notes", "clock", "old", "pins")
"""Query parameters that describe a moment and the view of it; ``rate`` is the speed at which the teacher replays it, in permille."""


def classroom_open(*, owner_key: str, address: str, path: str = "") -> Classroom:
    """The class that this browser leads, moved to that page; created if it leads none. Raises Refused, LimitReached."""
    _check_path(path)
    known = Classroom.objects.filter(owner_hash=hash_key(owner_key)).first()
    if known is not None:
        return classroom_lead(code=known.id, owner_key=owner_key, path=path, query="") if path else known
    if Classroom.objects.filter(address_hash=address).exclude(address_hash="").count() >= PER_ADDRESS_MAX:
        raise LimitReached(
            "classes", _("There are already %(most)d classes from your address. End one of them first.") % {"most": PER_ADDRESS_MAX}
        )
    for _try in range(TRIES):
        try:
            with transaction.atomic():
                return Classroom.objects.create(id=draw_code(), owner_hash=hash_key(owner_key), address_hash=address, path=path)
        except IntegrityError:  # the code is taken, or this browser sent two requests at once
            again = Classroom.objects.filter(owner_hash=hash_key(owner_key)).first()
            if again is not None:
                return again
    raise Refused("codes", _("No class code is free. Try again."))


def classroom_lead(
    *, code: str, owner_key: str | None, path: str = "", query: str = "", is_led: bool | None = None, calls: bool = False
) -> Classroom:  # fmt: skip
    """Take the class to a page and a moment, or change whether it follows. Returns the updated class.

    ``path`` empty: it stays where it is. ``calls``: pupils who are looking elsewhere come back, even from a run of
    their own. Raises NotAllowed, Refused.
    """
    if path:
        _check_path(path)
    with transaction.atomic():
        room = Classroom.objects.select_for_update().filter(id=code).first()
        if room is None or not owner_key or room.owner_hash != hash_key(owner_key):
            raise NotAllowed("class", _("Only the person who started the class can lead it."))
        if path:
            room.path, room.query = path, clean_query(query)
        if calls:
            room.calls, room.is_led = room.calls + 1, True
            room.is_apart, room.news = False, room.news + 1
        if is_led is not None:
            room.is_led = is_led
        # A socket keeps the state with the highest turn, so a late message changes nothing.
        room.turn += 1
        room.save(update_fields=["path", "query", "calls", "is_led", "turn", "is_apart", "news"])
        # By the database's clock, which pruning compares with.
        Classroom.objects.filter(id=code).update(changed_at=Now())
    return room


def classroom_end(*, code: str, owner_key: str | None) -> None:
    """End a class; its code becomes invalid. Raises NotAllowed."""
    if not owner_key or not Classroom.objects.filter(id=code, owner_hash=hash_key(owner_key)).delete()[0]:
        raise NotAllowed("class", _("Only the person who started the class can lead it."))


def classrooms_prune(*, days: int | None = None) -> int:
    """Delete classes that nobody has led for ``days`` (default SIM_KEEP_DAYS; 0 keeps them); return how many."""
    days = settings.SIM_KEEP_DAYS if days is None else days
    return Classroom.objects.filter(changed_at__lt=Now() - timedelta(days=days)).delete()[0] if days > 0 else 0


def place_of(address: str) -> str:
    """The path if it is a page where a class may be, otherwise empty."""
    return address if PATH.fullmatch(address) else ""


def clean_query(query: str) -> str:
    """The parts of a query that describe a moment and a view, each once. If it gets too long, the last parts are dropped."""
    given, kept = QueryDict(query[: 2 * QUERY_MAX]), QueryDict(mutable=True)
    for name in NAMES:
        value = _without_hidden(name, given.get(name, ""))
        if value and (name != "t" or milliseconds(value, most=settings.SIM_RUN_MS_MAX) is not None):
            kept[name] = value
            if len(kept.urlencode()) > QUERY_MAX:
                del kept[name]
    return kept.urlencode()


def _without_hidden(name: str, value: str) -> str:
    """The value without characters that hide or reorder text. In a command line, spaces within quotes may matter, so it keeps them."""
    return storable(value) if name == "k" else one_line(value, most=QUERY_MAX)


def _check_path(path: str) -> None:
    if path and not PATH.fullmatch(path):
        raise Refused("path", _("A class can only look at a run or a link."))
