"""The instances of one container, from first to newest: some dated by the status, some by Events, the rest only counted.

restartCount is the number of the newest instance. A status dates that one and the previous one; Started Events date the
first ones. The instances in between are spread as the kubelet's back-off would have spread them.

The steps: what the status dates (``_dated``), the first ones from Events (``_first_ones``), the oldest one that is
shown, then the rest between them (``_fill``), in proportion to the gaps that the back-off would have left. Undated
instances are assumed to resemble the newest one that ended.
"""

from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.past.document import RECORDED
from simulator.engine.policies.backoff import next_entry
from simulator.engine.world.rows import BackoffEntry
from simulator.imports.moments import moment
from simulator.imports.read import Event

FOLLOWS = "IMPORT-FOLLOWS"
RESTARTS = "IMPORT-RESTARTS"
SPREAD = "IMPORT-SPREAD"
STATE = "IMPORT-STATE"
LIVES_MAX = 200
"""The most instances shown per container, keeping the newest ones."""
ALL_LIVES_MAX = 6000
"""The most instances of all containers of a text together; with more containers, each one gets fewer."""
_STEADY = 12
"""After this many instances the back-off does not grow any more."""
_TAKEN_MS: Ms = SECOND
_SOON_MS: Ms = 30 * SECOND
"""How long a restart without back-off takes: until the kubelet's next sync."""


class Life(Struct, frozen=True, kw_only=True):
    """One instance. With ``end_ms`` None it is running. ``began`` means the program started at all. Moments since the Unix epoch."""

    n: int
    start_ms: Ms
    end_ms: Ms | None = None
    began: bool = True
    stopped: bool = False  # the kubelet stopped it
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    start_rule: str = RECORDED
    start_source: str = ""
    end_rule: str = RECORDED
    end_source: str = ""

    @property
    def shown_start_ms(self) -> Ms | None:
        """When a status says that it started; None if the program never started or the text leaves it open."""
        is_open = self.start_rule == STATE or (self.is_lost and self.start_rule != RECORDED)
        return self.start_ms if self.began and not is_open else None

    @property
    def shown_end_ms(self) -> Ms | None:
        """When a status says that it ended; None if the text leaves it open."""
        return None if self.is_lost else self.end_ms

    @property
    def is_lost(self) -> bool:
        """Whether it ended at an unknown moment."""
        return self.end_rule == STATE

    @property
    def length_ms(self) -> Ms:
        """How long it ran; 0 if it is still running."""
        return 0 if self.end_ms is None else self.end_ms - self.start_ms


class LivedContainer(Struct, frozen=True, kw_only=True):
    """A container in its pod. ``position`` counts init, app and ephemeral containers in the order of the spec."""

    name: str
    group: str  # init | app | ephemeral
    position: int
    listed: int  # position among the statuses of its group
    spec: dict[str, Any]
    status: dict[str, Any]
    path: str  # of its status
    events: tuple[Event, ...]

    @property
    def is_sidecar(self) -> bool:
        """Whether it is an init container that keeps running next to the app containers."""
        return self.group == "init" and self.spec.get("restartPolicy") == "Always"

    @property
    def restarts(self) -> int:
        """restartCount."""
        return int(self.status.get("restartCount") or 0)

    def state(self, name: str, kind: str) -> dict[str, Any] | None:
        """A part of ``state`` or ``lastState``."""
        found = (self.status.get(name) or {}).get(kind)
        return found if isinstance(found, dict) else None

    def of(self, *reasons: str) -> list[Event]:
        """Its Events with one of these reasons."""
        return [event for event in self.events if event.reason in reasons]


def lives_max(containers: int) -> int:
    """How many instances of each container are shown if there are ``containers`` of them: at least the newest two."""
    return max(2, min(LIVES_MAX, ALL_LIVES_MAX // max(containers, 1)))


def lives_of(place: LivedContainer, *, anchor_ms: Ms, now_ms: Ms, most: int = LIVES_MAX, ready_ms: Ms | None = None) -> tuple[Life, ...]:
    """The newest instances of a container, at most ``most`` of them, oldest first.

    None can have started before ``anchor_ms``; all that have ended had done so by ``now_ms``; ``ready_ms`` is since
    when it has been ready.
    """
    soon = max(anchor_ms, 0) + _TAKEN_MS
    soon = soon if ready_ms is None else min(soon, max(ready_ms, anchor_ms))
    known = _dated(place, now_ms)
    newest = max(known, default=-1)
    if newest < 0:
        if not place.restarts:
            return ()
        newest = place.restarts
        known[newest] = _guessed(newest, now_ms, place)
    _first_ones(place, known, newest, anchor_ms)
    first = min(known)
    if first > 0:
        oldest = max(0, newest - most)
        typical = _typical(known)
        if oldest == 0:
            begin = min(soon, known[first].start_ms)
            known[0] = _like(typical, 0, begin, FOLLOWS if not place.restarts else RESTARTS, f"{place.path}.restartCount")
        else:
            known[oldest] = _like(typical, oldest, anchor_ms, RESTARTS, f"{place.path}.restartCount")
    elif known[0].start_rule == STATE and known[0].began:  # an end that was not observed, as of a container that was lost: it ran before
        begin = min(soon, known[0].start_ms)
        known[0] = replace(known[0], start_ms=begin, start_rule=FOLLOWS)
    _mark_stopped(place, known)
    # Marked once before, because an instance that was stopped restarts without back-off, and once more for those that
    # were filled in.
    _fill(known, f"{place.path}.restartCount", most)
    _mark_stopped(place, known)
    return tuple(known[n] for n in sorted(known)[-most:])


def _mark_stopped(place: LivedContainer, known: dict[int, Life]) -> None:
    """Mark an instance during which a Killing Event occurred as stopped by the kubelet."""
    for n, life in known.items():
        if life.end_ms is None or life.reason == "OOMKilled":
            continue
        killed = any(event.first_ms <= life.end_ms + SECOND and event.last_ms >= life.start_ms for event in place.of("Killing"))
        known[n] = replace(life, stopped=killed)


def _dated(place: LivedContainer, now_ms: Ms) -> dict[int, Life]:
    """What the status itself shows: the newest instance and the previous one."""
    found: dict[int, Life] = {}
    n = place.restarts
    running, ended = place.state("state", "running"), place.state("state", "terminated")
    last = place.state("lastState", "terminated")
    if running is not None:
        start = moment(running.get("startedAt"))
        source = f"{place.path}.state.running"
        found[n] = Life(n=n, start_ms=now_ms if start is None else start, start_source=source)
    elif ended is not None:
        before = moment(last.get("finishedAt")) if last is not None else None
        found[n] = _ended(n, ended, f"{place.path}.state.terminated", max(now_ms, before or 0))
    elif last is not None:
        found[n] = _ended(n, last, f"{place.path}.lastState.terminated", now_ms)
    if last is not None and (running is not None or ended is not None) and n > 0:
        found[n - 1] = _ended(n - 1, last, f"{place.path}.lastState.terminated", min(now_ms, found[n].start_ms))
    return found


def _ended(n: int, part: dict[str, Any], source: str, now_ms: Ms) -> Life:
    """An instance that has ended; if the text does not say when, at ``now_ms`` at the latest."""
    start, end = moment(part.get("startedAt")), moment(part.get("finishedAt"))
    began = start is not None and start > 0
    end_rule = RECORDED if end is not None and end > 0 else STATE
    end = end if end is not None and end > 0 else (start if began and start is not None else now_ms)
    return Life(
        n=n,
        start_ms=start if began and start is not None else end,
        end_ms=max(end, start if began and start is not None else end),
        # 128 without a start: the runtime could not start it (StartError).
        began=began or int(part.get("exitCode") or 0) != 128,
        exit_code=int(part.get("exitCode") or 0),
        reason=str(part.get("reason") or ""),
        message=str(part.get("message") or ""),
        start_rule=RECORDED if began else STATE,
        start_source=source,
        end_rule=end_rule,
        end_source=source,
    )


def _guessed(n: int, now_ms: Ms, place: LivedContainer) -> Life:
    """An instance of which only the number is known."""
    return Life(
        n=n, start_ms=now_ms, end_ms=now_ms, exit_code=1, reason="Error", start_rule=RESTARTS, end_rule=RESTARTS,
        start_source=f"{place.path}.restartCount", end_source=f"{place.path}.restartCount",
    )  # fmt: skip


def _first_ones(place: LivedContainer, known: dict[int, Life], newest: int, anchor_ms: Ms) -> None:
    """Started Events, or else Created ones, date the first instance they counted.

    If that is soon after the anchor, it is the very first instance: some of the later Events may have been dropped by
    the spam filter.
    """
    started = place.of("Started") or place.of("Created")
    count = sum(event.count for event in started)
    if not started or count > newest + 1:
        return
    event = min(started, key=lambda item: item.first_ms)
    first = 0 if event.first_ms <= anchor_ms + _SOON_MS else newest + 1 - count
    later = [life.start_ms for n, life in known.items() if n > first]
    if first in known or any(event.first_ms > start for start in later):
        return
    life = _like(_typical(known), first, event.first_ms, RECORDED, event.path)
    known[first] = replace(life, end_rule=RESTARTS, end_source=f"{place.path}.restartCount")


def _typical(known: dict[int, Life]) -> Life:
    """The instance that undated ones are assumed to resemble: the newest one that has ended."""
    ended = [life for life in known.values() if life.end_ms is not None]
    return max(ended, key=lambda life: life.n) if ended else next(iter(known.values()))


def _like(typical: Life, n: int, start_ms: Ms, rule: str, source: str) -> Life:
    if typical.end_ms is None:
        end, code, reason = start_ms, 1, "Error"
    else:
        end, code, reason = start_ms + typical.length_ms, typical.exit_code, typical.reason
    return Life(
        n=n, start_ms=start_ms, end_ms=end, exit_code=code, reason=reason, start_rule=rule, start_source=source, end_rule=RESTARTS,
        end_source=source,
    )  # fmt: skip


def _fill(known: dict[int, Life], source: str, most: int) -> None:
    """Spread the undated instances between the dated ones."""
    dated = sorted(known)
    typical = _typical(known)
    for a, b in pairwise(dated):
        span = max(known[b].start_ms - known[a].start_ms, 0)
        total, drawn = _gaps(typical, a + 1, b), max(a + 1, dated[-1] - most + 1)
        so_far = _gaps(typical, a + 1, drawn - 1)
        for n in range(drawn, b):
            so_far += _gap(typical, n)
            known[n] = _like(typical, n, known[a].start_ms + span * so_far // total, RESTARTS, source)
    for a, b in pairwise(sorted(known)):
        life = known[a]
        if life.end_ms is None or life.end_ms > known[b].start_ms:
            known[a] = replace(life, end_ms=max(known[b].start_ms, life.start_ms))


def _gap(typical: Life, n: int) -> Ms:
    """The time from the start of the previous instance to that of the n-th, as the kubelet would have had it."""
    return typical.length_ms + (_TAKEN_MS if typical.stopped else max(wait_before(n), _TAKEN_MS))


def _gaps(typical: Life, first: int, last: int) -> Ms:
    """The gaps of several instances together; a status may count millions of them."""
    early = sum(_gap(typical, n) for n in range(first, min(last, _STEADY) + 1))
    return early + max(last - max(first - 1, _STEADY), 0) * _gap(typical, _STEADY + 1)


def wait_before(n: int) -> Ms:
    """The back-off before the n-th instance: none before the second, then 10 s, doubling up to five minutes."""
    return 0 if n < 2 else min(10 * SECOND << min(n - 2, 10), 300 * SECOND)


def entry_of(lives: tuple[Life, ...], *, initial_ms: Ms, max_ms: Ms, reset_ms: Ms) -> BackoffEntry | None:
    """The back-off entry that these starts and ends leave behind; what happened before the first one is filled in."""
    if not lives or lives[-1].n == 0:
        return None
    entry: BackoffEntry | None = None
    if lives[0].n > 0 and not lives[0].stopped:
        entry = BackoffEntry(min(initial_ms << min(lives[0].n - 1, 10), max_ms), lives[0].start_ms)
    for before, life in pairwise(lives):
        if before.stopped:
            continue  # the sync that stopped it started the next one, having seen it running
        ended = life.start_ms if before.end_ms is None else before.end_ms
        entry = next_entry(entry, ended, life.start_ms, initial_ms=initial_ms, max_ms=max_ms, reset_ms=reset_ms)
    return entry
