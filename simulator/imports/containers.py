"""What happened to one container: its instances on the node, and its status entry as it must have looked in the meantime.

Two sequences run in parallel: what the node did (pulling, running, exited, backoff) and what the status showed, which
lags behind and sometimes never shows an end at all. The last fact is the entry exactly as the text has it.
"""

from typing import Any

from msgspec.structs import replace

from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.duration import go_duration
from simulator.engine.past.document import RECORDED, PastContainer, PastState
from simulator.imports.facts import CONTAINERS, FactList
from simulator.imports.lives import FOLLOWS, SPREAD, STATE, Life, LivedContainer, wait_before
from simulator.imports.moments import moment
from simulator.imports.read import Event
from simulator.imports.readiness import Spans

ORDER = {"init": 0, "app": 1, "ephemeral": 2}
SIGNALLED = 128
"""Exit codes from here on come from the runtime or a signal: the program did not choose them."""
SHOWN_AFTER_MS: Ms = 11 * SECOND
"""How long after an end the status changes to CrashLoopBackOff if nothing dates it: one retry of the kubelet."""


class Chapter:
    """Writes the facts of one container."""

    def __init__(
        self, facts: FactList, place: LivedContainer, lives: tuple[Life, ...], *, now_ms: Ms, pod: str, steady_ms: Ms | None
    ) -> None:
        """``steady_ms`` is when all containers became ready for good, None if they are not ready."""
        self.facts = facts
        self.place = place
        self.lives = lives
        self.now_ms = now_ms
        self.pod = pod
        self.steady_ms = steady_ms
        self.latest_ms: Ms = 0  # the latest change of its status

    def write(self, *, begin_ms: Ms, waiting: str, ready: Spans, shown_ms: Ms) -> None:
        """Write everything: first ``waiting`` at ``begin_ms``, ``ready`` in between, and from ``shown_ms`` on what the text shows."""
        self._first(begin_ms, waiting)
        self._pulls()
        last: PastState | None = None
        for position, life in enumerate(self.lives):
            self._start(life, last, ready.get(life.n))
            if life.end_ms is not None:
                following = self.lives[position + 1] if position + 1 < len(self.lives) else None
                last = self._end(life, last, following)
        self._problem()
        self._now(shown_ms)

    def _order(self, life: int, step: int) -> tuple[int, int, int]:
        return (CONTAINERS + self.place.position, life, step)

    def _first(self, begin_ms: Ms, waiting: str) -> None:
        first = PastContainer(group=self.place.group, state=PastState(kind="waiting", reason=waiting), made=False)
        self._status(
            begin_ms, first, order=(CONTAINERS - 1, ORDER[self.place.group], self.place.listed), rule=FOLLOWS, source="status.startTime"
        )

    def _status(self, at_ms: Ms, entry: PastContainer, *, order: tuple[int, int, int], rule: str, source: str) -> None:
        self.latest_ms = max(self.latest_ms, at_ms)
        self.facts.add("container", at_ms, order=order, name=self.place.name, rule=rule, source=source, container=entry)

    def _pulls(self) -> None:
        """Pulling and Pulled Events date what the node did before the first start."""
        for event in self.place.of("Pulling")[:1]:
            self._node(event.first_ms, 0, "pulling", step=1, rule=RECORDED, source=event.path, exact=event.exact)

    def _problem(self) -> None:
        """A container that has not been started since its first attempt: its Events date the reasons for waiting."""
        waiting = self.place.state("state", "waiting")
        if self.lives or waiting is None:
            return
        for word, message, event, at_ms in problems(self.place, waiting):
            rule = RECORDED if at_ms in (event.first_ms, event.last_ms) else SPREAD
            if word == "ErrImagePull":
                self._node(at_ms, 0, "waiting", step=2, rule=rule, source=event.path)
            entry = PastContainer(group=self.place.group, state=PastState(kind="waiting", reason=word, message=message), made=False)
            self._status(at_ms, entry, order=self._order(0, 3), rule=FOLLOWS, source=event.path)

    def _node(
        self,
        at_ms: Ms,
        n: int,
        to: str,
        *,
        step: int,
        rule: str,
        source: str,
        exact: bool = False,
        details: dict[str, Any] | None = None,
        **data: Any,
    ) -> None:
        more: dict[str, Any] = {**(details or {}), **data}
        self.facts.add(
            "node", at_ms, order=self._order(n, step), name=self.place.name, rule=rule, source=source, exact=exact,
            to=to, instance=n, group=self.place.group, **more,
        )  # fmt: skip

    def _start(self, life: Life, last: PastState | None, ready: tuple[Ms, Ms | None] | None) -> None:
        if not life.began:
            return
        run = self.facts.run_ms
        self._node(life.start_ms, life.n, "running", step=4, rule=life.start_rule, source=life.start_source, started_ms=run(life.start_ms))
        if life.end_ms is not None and life.end_ms // SECOND <= life.start_ms // SECOND:
            return  # it was over before the kubelet looked
        entry = PastContainer(
            group=self.place.group,
            state=PastState(kind="running", started_ms=run(life.start_ms)),
            last=last,
            ready=ready is not None and ready[0] <= life.start_ms,
            started=(self.place.group == "app" or self.place.is_sidecar) and "startupProbe" not in self.place.spec,
            restarts=life.n,
        )
        rule = life.start_rule if life.start_rule != RECORDED else FOLLOWS
        self._status(life.start_ms, entry, order=self._order(life.n, 5), rule=rule, source=life.start_source)
        if ready is not None:
            self._ready(life, replace(entry, ready=True, started=True), ready)

    def _ready(self, life: Life, entry: PastContainer, span: tuple[Ms, Ms | None]) -> None:
        """The instance became ready, and may have become unready while it ran."""
        begin, end = span
        if begin > life.start_ms:
            self._status(begin, entry, order=self._order(life.n, 7), rule=FOLLOWS, source="status.conditions")
        if end is not None and (life.end_ms is None or end < life.end_ms):
            self._status(end, replace(entry, ready=False), order=self._order(life.n, 7), rule=FOLLOWS, source="status.conditions")

    def _end(self, life: Life, last: PastState | None, following: Life | None) -> PastState:
        assert life.end_ms is not None
        run = self.facts.run_ms
        self._node(
            life.end_ms, life.n, "exited", step=8, rule=life.end_rule, source=life.end_source, exit_code=life.exit_code,
            reason=life.reason, message=life.message, finished_ms=run(life.end_ms), started_ms=run(life.start_ms),
            details=read_of(self.place, life),
        )  # fmt: skip
        ended = PastState(
            kind="terminated", reason=life.reason, message=life.message, exit_code=life.exit_code,
            started_ms=run(life.shown_start_ms), finished_ms=run(life.shown_end_ms),
        )  # fmt: skip
        if following is not None and (life.is_lost or self._is_unseen(life)):
            return ended
        done = self.place.group == "init" and life.exit_code == 0 and not self.place.is_sidecar
        entry = PastContainer(group=self.place.group, state=ended, last=last, ready=done, restarts=life.n)
        rule = life.end_rule if life.end_rule != RECORDED else FOLLOWS
        self._status(life.end_ms, entry, order=self._order(life.n, 9), rule=rule, source=life.end_source)
        if following is not None or self.place.state("state", "waiting") is not None:
            self._held_back(life, ended, following)
        return ended

    def _held_back(self, life: Life, ended: PastState, following: Life | None) -> None:
        """Between two instances the back-off holds the container back; the status shows it a little later."""
        assert life.end_ms is not None
        window = wait_before(life.n + 1)
        until = life.end_ms + window if following is None else following.start_ms
        # Too short for the status to have shown it.
        if window < 2 * SECOND or until - life.end_ms < 2 * SECOND or (following is None and not self._crashes()):
            return
        source = f"{self.place.path}.restartCount"
        text = go_duration(window)
        self._node(
            life.end_ms + SECOND, life.n, "backoff", step=10, rule=FOLLOWS, source=source, window=text,
            until_ms=self.facts.run_ms(until),
        )  # fmt: skip
        shown = life.end_ms + (SECOND if life.stopped else SHOWN_AFTER_MS)
        if following is None:
            shown = min(shown, max(self.now_ms - SECOND, life.end_ms))
        if shown >= until:
            return
        message = f"back-off {text} restarting failed container={self.place.name} pod={self.pod}"
        waiting = PastState(kind="waiting", reason="CrashLoopBackOff", message=message)
        entry = PastContainer(group=self.place.group, state=waiting, last=ended, restarts=life.n)
        self._status(shown, entry, order=self._order(life.n, 11), rule=FOLLOWS, source=source)

    def _is_unseen(self, life: Life) -> bool:
        """Whether the status never showed the end: all containers have been ready since before it."""
        return self.steady_ms is not None and life.end_ms is not None and life.end_ms > self.steady_ms

    def _crashes(self) -> bool:
        waiting = self.place.state("state", "waiting")
        return waiting is not None and waiting.get("reason") == "CrashLoopBackOff"

    def _now(self, shown_ms: Ms) -> None:
        """The entry exactly as the text shows it."""
        entry = shown(self.place, self.facts, self.lives)
        self._status(
            max(shown_ms, self.latest_ms),
            entry,
            order=(CONTAINERS + 90, self.place.position, 0),
            rule=STATE,
            source=f"{self.place.path}.state",
        )


def read_of(place: LivedContainer, life: Life) -> dict[str, Any]:
    """What the text says about why an instance ended: ``read`` names the note, the rest are its details."""
    if life.is_lost:
        return {"read": "read_lost"}
    if life.end_rule != RECORDED or not life.began:
        return {}
    if life.reason == "OOMKilled":
        limit = ((place.spec.get("resources") or {}).get("limits") or {}).get("memory")
        return {"read": "read_oom", "limit": str(limit)} if limit is not None else {"read": "read_node_oom"}
    if life.stopped:
        killing = [event for event in place.of("Killing") if event.first_ms <= (life.end_ms or 0) + SECOND]
        return {"read": "read_stopped", "read_message": killing[-1].message, "read_source": killing[-1].path} if killing else {}
    return {"read": "read_exit"} if life.exit_code < SIGNALLED else {}


def shown(place: LivedContainer, facts: FactList, lives: tuple[Life, ...]) -> PastContainer:
    """A container's status entry as the text has it."""
    last = None
    if place.state("lastState", "terminated") is not None:
        last = _state(place, "lastState", facts)
    state = _state(place, "state", facts)
    return PastContainer(
        group=place.group,
        state=state,
        last=last,
        ready=place.status.get("ready") is True,
        started=place.status.get("started") is True,
        restarts=place.restarts,
        made=bool(lives),
    )


def _state(place: LivedContainer, name: str, facts: FactList) -> PastState:
    for kind in ("running", "terminated", "waiting"):
        part = place.state(name, kind)
        if part is not None:
            return PastState(
                kind=kind,
                reason=str(part.get("reason") or ""),
                message=str(part.get("message") or ""),
                exit_code=int(part.get("exitCode") or 0),
                started_ms=facts.run_ms(moment(part.get("startedAt"))),
                finished_ms=facts.run_ms(moment(part.get("finishedAt"))),
            )
    return PastState(kind="waiting")


def problems(place: LivedContainer, waiting: dict[str, Any]) -> list[tuple[str, str, Event, Ms]]:
    """Reason, message, Event and moment of everything that a container that never started has waited for, in order."""
    failed = place.of("Failed", "InspectFailed", "ErrImageNeverPull")
    reason = str(waiting.get("reason") or "")
    if reason not in ("ErrImagePull", "ImagePullBackOff"):
        return [(reason, str(waiting.get("message") or ""), event, event.first_ms) for event in failed[:1]]
    found: list[tuple[str, str, Event, Ms]] = []
    for event in failed:
        if event.message.startswith("Failed to pull image"):
            times = pull_times(event)
            found += [("ErrImagePull", event.message.partition(": ")[2], event, at_ms) for at_ms in times]
            later = [at_ms + SHOWN_AFTER_MS + 3 * SECOND for at_ms in times]
            text = f'Back-off pulling image "{place.spec.get("image")}"'
            until = max((item.last_ms for item in place.of("BackOff")), default=0)
            found += [("ImagePullBackOff", text, event, at_ms) for at_ms in later if at_ms <= until + SECOND]
    return sorted(found, key=lambda item: item[3])


def pull_times(event: Event) -> list[Ms]:
    """When each pull counted by an Event failed: the first and last are dated, and the wait doubles in between."""
    count = min(event.count, 40)
    if count == 1:
        return [event.first_ms]
    gaps = [min(10 << min(n, 10), 300) + 6 for n in range(count - 1)]
    span, so_far, times = event.last_ms - event.first_ms, 0, [event.first_ms]
    for gap in gaps:
        so_far += gap
        times.append(event.first_ms + span * so_far // sum(gaps))
    return times
