"""How often one visitor or socket may ask for something: a flood must not fill the database or starve other people."""

from collections.abc import Callable
from threading import Lock
from time import monotonic

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from lifecycle_site.visitors import visitor_of
from simulator.runs.turns.constants import ADDRESSES_MAX, BURST_S


class Bucket:
    """A token bucket: ``burst`` tokens at once, then ``per_second``."""

    def __init__(self, *, per_second: float, burst: float, clock_s: Callable[[], float] = monotonic) -> None:
        self._per_second, self._burst, self._clock_s = per_second, burst, clock_s
        self._spent, self.since_s = 0.0, clock_s()

    def take(self) -> bool:
        """Take a token if there is one, and return whether there was. Sets ``since_s`` to now."""
        self._refill()
        is_allowed = self._spent + 1 <= self._burst
        self._spent += is_allowed
        return is_allowed

    def wait_s(self) -> float:
        """Seconds until there is a token; 0 if there is one. Takes none."""
        self._refill()
        return max(0.0, self._spent + 1 - self._burst) / self._per_second

    def spend(self, count: int) -> None:
        """Take ``count`` tokens, or all there are."""
        self._refill()
        self._spent = min(self._burst, self._spent + count)

    def _refill(self) -> None:
        now_s = self._clock_s()
        self._spent, self.since_s = max(0.0, self._spent - (now_s - self.since_s) * self._per_second), now_s


class Allowances:
    """Token buckets by visitor, in memory. Thread-safe. A bucket that is full again is discarded.

    A burst may take up to ``burst_s`` seconds' worth of tokens.
    """

    def __init__(self, clock_s: Callable[[], float] = monotonic, *, burst_s: float = BURST_S) -> None:
        self._clock_s, self._burst_s = clock_s, burst_s
        self._buckets: dict[str, Bucket] = {}
        self._lock = Lock()

    def take(self, address: str, *, per_second: float) -> bool:
        """Take one token for ``address``, and return whether it had one."""
        with self._lock:
            return self._bucket(address, per_second).take()

    def wait_s(self, address: str, *, per_second: float) -> float:
        """Seconds until ``address`` has a token; 0 if it has one."""
        with self._lock:
            return self._bucket(address, per_second).wait_s()

    def spend(self, address: str, count: int, *, per_second: float) -> None:
        """Take ``count`` tokens from ``address``, or all it has."""
        with self._lock:
            self._bucket(address, per_second).spend(count)

    def _bucket(self, address: str, per_second: float) -> Bucket:
        """The bucket of the address, moved to the end of the order of use; buckets that are full again are discarded."""
        bucket = self._buckets.pop(address, None)
        while self._buckets and (len(self._buckets) >= ADDRESSES_MAX or self._is_full_again()):
            del self._buckets[next(iter(self._buckets))]
        if bucket is None:
            bucket = Bucket(per_second=per_second, burst=per_second * self._burst_s, clock_s=self._clock_s)
        self._buckets[address] = bucket
        return bucket

    def _is_full_again(self) -> bool:
        """Whether the bucket of the address that has been silent longest is full."""
        return self._clock_s() - next(iter(self._buckets.values())).since_s > self._burst_s

    def __len__(self) -> int:
        with self._lock:
            return len(self._buckets)


class ThrottleMiddleware:
    """Answers 429 to a visitor who keeps posting more often than SIM_POSTS_PER_SECOND_MAX; 0 allows everything."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._allowances = Allowances()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        limit = settings.SIM_POSTS_PER_SECOND_MAX
        if request.method == "POST" and limit and not self._allowances.take(visitor_of(request), per_second=limit):
            text = _("Too many requests at once. Try again in a few seconds.")
            return HttpResponse(text, status=429, content_type="text/plain; charset=utf-8", headers={"Retry-After": "5"})
        return self.get_response(request)
