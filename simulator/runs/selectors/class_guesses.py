"""Find a class by its code, for a visitor who may be guessing.

Only codes that belong to no class count, so a school behind one address may join its classes as often as it likes. After too many such
misses, an address gets no answer about any further code, except those that it has used before or whose class was opened from there. The
leader of a class always gets an answer about it, whatever others at the same address have tried.
"""

from collections import OrderedDict
from threading import Lock

from django.conf import settings

from lifecycle_site.throttle import Allowances
from simulator.models import Classroom
from simulator.runs.selectors.classrooms import classroom_get, classroom_led

WINDOW_S = 600.0
"""How long it takes until an address that has used up its misses has all of them again."""
KNOWN_MAX = 10_000
"""How many pairs of an address and a code that was opened or joined from there are remembered."""


class Guessed(Exception):
    """The address has tried too many codes that do not exist. It may try again in ``wait_s`` seconds."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"too many unknown class codes, again in {wait_s:.0f} s")
        self.wait_s = wait_s


class Joined:
    """The codes of classes recently opened or joined from each address, in memory. Thread-safe."""

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
    """Note that a class was opened from this address, which from now on always gets an answer about its code."""
    JOINED.add(visitor, code)


def classroom_joined(code: str, *, visitor: str, key: str | None = None) -> Classroom | None:
    """The class with a code, or None; ``code`` comes from ``code_of``, and an empty one gives None. Raises Guessed.

    ``key`` is the key of the visitor's browser, which may lead the class. At most one query, and one more for an address that has had
    too many misses.
    """
    if not code:
        return None
    per_second = settings.SIM_CODE_MISSES_MAX / WINDOW_S
    is_known = (visitor, code) in JOINED
    if per_second and not is_known and (wait_s := MISSES.wait_s(visitor, per_second=per_second)):
        # Only here, so that joining normally costs one query.
        led = classroom_led(key)
        if led is None or led.id != code:
            raise Guessed(wait_s)
    room = classroom_get(code)
    if room is not None:
        JOINED.add(visitor, code)
    elif per_second and not is_known:  # a code known from a class that has ended is not a guess
        MISSES.spend(visitor, 1, per_second=per_second)
    return room
