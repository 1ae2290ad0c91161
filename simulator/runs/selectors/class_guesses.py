"""Finding a class by its code, for someone who may be guessing.

Only codes that belong to no class count, so a school behind one address may join its classes as often as it likes. An address that has
had too many of those is told neither yes nor no about any further code, except one that it has used before, or a class was opened
with from there. Who leads a class is always told of it, whatever others at the same address have tried.
"""

from collections import OrderedDict
from threading import Lock

from django.conf import settings

from lifecycle_site.throttle import Allowances
from simulator.models import Classroom
from simulator.runs.selectors.classrooms import classroom_get, classroom_led

WINDOW_S = 600.0
"""So long it takes until an address that has used up its misses has all of them again."""
KNOWN_MAX = 10_000
"""Pairs of an address and a code it has opened a class with or joined by that are remembered."""


class Guessed(Exception):
    """The address has asked for too many codes that do not exist. It may ask again in ``wait_s`` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many unknown class codes, again in {wait_s:.0f} s")
        self.wait_s = wait_s


class Joined:
    """Which codes an address has opened a class with or joined by, the latest of them, in memory. For any number of threads."""

    def __init__(self) -> None:
        self._pairs: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._lock = Lock()

    def add(self, visitor: str, code: str) -> None:
        """Remember the pair."""
        with self._lock:
            self._pairs[visitor, code] = None
            self._pairs.move_to_end((visitor, code))
            while len(self._pairs) > KNOWN_MAX:
                self._pairs.popitem(last=False)

    def __contains__(self, pair: object) -> bool:
        with self._lock:
            return pair in self._pairs


MISSES = Allowances(burst_s=WINDOW_S)
JOINED = Joined()


def classroom_known(code: str, *, visitor: str) -> None:
    """A class was opened there: from now on its code is open to the address, whatever is tried from it."""
    JOINED.add(visitor, code)


def classroom_joined(code: str, *, visitor: str, key: str | None = None) -> Classroom | None:
    """The class of a code, or None; ``code`` is as ``code_of`` gives it, and empty is none. Raises Guessed.

    ``key`` is that of the visitor's browser, which may lead the class. At most one query, and one more at an address that has had
    too many misses.
    """
    if not code:
        return None
    per_second = settings.SIM_CODE_MISSES_MAX / WINDOW_S
    is_known = (visitor, code) in JOINED
    if per_second and not is_known and (wait_s := MISSES.wait_s(visitor, per_second=per_second)):
        # Only here, so that the usual join costs one query.
        led = classroom_led(key)
        if led is None or led.id != code:
            raise Guessed(wait_s)
    room = classroom_get(code)
    if room is not None:
        JOINED.add(visitor, code)
    elif per_second and not is_known:  # the code of a class that has ended is no guess
        MISSES.spend(visitor, 1, per_second=per_second)
    return room
