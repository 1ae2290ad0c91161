"""How often one address may change something: a flood of requests must not fill the database or starve other people."""

from collections.abc import Callable
from time import monotonic

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

BURST_S = 15
"""So many seconds' worth of requests may come at once: a whole class behind one address presses Start."""
ADDRESSES_MAX = 10_000


class Allowances:
    """Token buckets by address, in memory. A bucket that is full again is forgotten."""

    def __init__(self, clock_s: Callable[[], float] = monotonic) -> None:
        self._clock_s = clock_s
        self._spent: dict[str, tuple[float, float]] = {}

    def take(self, address: str, *, per_second: int) -> bool:
        """Whether ``address`` may ask once more now."""
        now_s, burst = self._clock_s(), per_second * BURST_S
        spent, since_s = self._spent.pop(address, (0.0, now_s))
        spent = max(0.0, spent - (now_s - since_s) * per_second)
        is_allowed = spent + 1 <= burst
        self._spent[address] = (spent + is_allowed, now_s)
        while len(self._spent) > ADDRESSES_MAX or self._is_full_again(now_s):
            del self._spent[next(iter(self._spent))]
        return is_allowed

    def _is_full_again(self, now_s: float) -> bool:
        """Whether the address that has been silent longest has nothing to make up for any more."""
        _spent, since_s = next(iter(self._spent.values()))
        return now_s - since_s > BURST_S

    def __len__(self) -> int:
        return len(self._spent)


class ThrottleMiddleware:
    """Answers 429 to an address that posts more often than SIM_POSTS_PER_SECOND_MAX for long; 0 allows everything."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self._allowances = Allowances()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        limit = settings.SIM_POSTS_PER_SECOND_MAX
        address = request.META.get("REMOTE_ADDR", "")
        if request.method == "POST" and limit and not self._allowances.take(address, per_second=limit):
            text = _("That was too much at once. Try again in a few seconds.")
            return HttpResponse(text, status=429, content_type="text/plain; charset=utf-8", headers={"Retry-After": "5"})
        return self.get_response(request)
