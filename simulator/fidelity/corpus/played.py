"""A run of an example from its beginning to its last expectation, which can be examined at any moment."""

from simulator.engine import Record, World, advance, apply, new_world
from simulator.fidelity.corpus.facts import job_is_finished
from simulator.fidelity.corpus.index import Corpus, Example, ExampleStep, Promise
from simulator.fidelity.corpus.setting import NoSuchCommand, Setting, command_of, is_first

CHECKPOINT_MS = 5000
START_MAX_MS = 300_000
END_S = 45
"""What holds at the end is checked this long after the moment it counts from: longer than a pod's grace period."""
JOB_FINISHED = "job_finished"
MOMENTS = ("created", "started", JOB_FINISHED)
"""The moments that times may count from, in addition to steps."""
_SUCCESS = {"create": 201, "evict_pod": 201}


class NoMoment(Exception):
    """The moment that an expectation counts from never came; the text says which one."""


class Played:
    """The world of an example over time. ``records`` are all records; ``unable`` maps a step to the reason it was not
    carried out, ``answers`` maps it to the HTTP status of its answer; ``own`` are the pods of the example's own
    manifest."""

    def __init__(self, corpus: Corpus, example: Example, setting: Setting) -> None:
        self.unable: dict[str, str] = {}
        self._actions: dict[str, int] = {}
        self._kept: list[World] = []  # snapshots of the world at intervals, in order
        self._example = example
        self.own = setting.own
        self.answers: dict[str, int] = {}
        world = new_world(setting.header)
        self.records: list[Record] = list(world.first_records)
        for step in sorted((item for item in example.steps if not is_first(item)), key=self._at_s):
            if step.t0 == "started":
                self._await_start(world)
            begun_ms = self._started_ms(None) if step.t0 == "started" and self._has_started() else 0
            self._advance(world, begun_ms + round(max(self._at_s(step), 0) * 1000))
            self._carry_out(corpus, world, step)
        for item in example.expectations:
            self._await_job(world, item)
        self._advance(world, max(self._horizon_ms(), world.now_ms))
        self.end_ms = world.now_ms

    def _at_s(self, step: ExampleStep) -> float:
        """When a step is due, in seconds after the creation, or after the first start if it counts from that."""
        base = next((other for other in self._example.steps if step.t0 == f"action:{other.id}" and other is not step), None)
        return step.at_s + (base.at_s if base is not None else 0)

    def _has_started(self) -> bool:
        return any(record.machine == "container" and record.target == "running" for record in self.records)

    def _await_start(self, world: World) -> None:
        """Advance until a container has started, for at most five minutes."""
        while not self._has_started() and world.now_ms < START_MAX_MS:
            self._advance(world, world.now_ms + CHECKPOINT_MS)

    def _await_job(self, world: World, item: Promise) -> None:
        """For an expectation that counts from the end of a Job: advance until it has finished, for at most five minutes,
        and through its window."""
        if item.t0 != JOB_FINISHED:
            return
        while not job_is_finished(world, item.selected("job")) and world.now_ms < START_MAX_MS:
            self._advance(world, world.now_ms + CHECKPOINT_MS)
        self._advance(world, world.now_ms + round(1000 * (item.window[1] if item.window else item.at_s)))

    def _horizon_ms(self) -> int:
        last = 0.0
        for item in self._example.expectations:
            until = item.window[1] if item.window else END_S if item.mode == "end" else item.at_s
            last = max(last, until + self._offset_s(item))
        return round((last + 15) * 1000)

    def _offset_s(self, item: Promise) -> float:
        """When the times of an expectation begin, as far as that is known before the run."""
        if item.t0.startswith("action:"):
            return next((step.at_s for step in self._example.steps if f"action:{step.id}" == item.t0), 0)
        return 30 if item.t0 == "started" else 0

    def _advance(self, world: World, until_ms: int) -> None:
        self._kept.append(world.fork())
        while world.now_ms < until_ms:
            self.records += advance(world, until_ms=min(until_ms, world.now_ms + CHECKPOINT_MS)).records
            self._kept.append(world.fork())

    def _carry_out(self, corpus: Corpus, world: World, step: ExampleStep) -> None:
        self._actions[step.id] = world.now_ms
        existing = frozenset(key for key, row in world.tables.pods.items() if row.gone_ms is None)
        try:
            command = command_of(corpus, self._example, step, existing)
        except (NoSuchCommand, KeyError, OSError) as problem:
            self.unable[step.id] = str(problem)
            return
        records = apply(world, command)
        self.records += records
        self._kept.append(world.fork())  # the action takes effect at its own millisecond
        refused = [record for record in records if record.machine == "command" and record.target == "refused"]
        self.answers[step.id] = int(refused[0].get("code") or 0) if refused else _SUCCESS.get(step.do, 200)
        if refused:
            self.unable[step.id] = f"{step.do} was refused: {refused[0].get('message') or refused[0].rule}"

    def origin_ms(self, expectation: Promise) -> int:
        """The moment that the times of an expectation count from. Raises NoMoment."""
        if expectation.t0 == "started":
            return self._started_ms(expectation.selected("container"))
        if expectation.t0 == JOB_FINISHED:
            return self._finished_ms(expectation.selected("job"))
        if expectation.t0.startswith("action:"):
            return self._actions[expectation.t0.partition(":")[2]]
        return 0

    def _started_ms(self, container: str | None) -> int:
        for record in self.records:
            begins = record.machine == "container" and record.target == "running" and record.source != "running"
            if begins and container in (None, record.subject.rpartition("/")[2]):
                return record.at_ms
        raise NoMoment("the container never started")

    def _finished_ms(self, job: str | None) -> int:
        after_ms = 0
        for kept in self._kept:
            if job_is_finished(kept, job):
                return next(at_ms for at_ms in self.moments(after_ms, kept.now_ms) if job_is_finished(self.world_at(at_ms), job))
            after_ms = kept.now_ms
        raise NoMoment("the Job never finished")

    def world_at(self, moment_ms: int) -> World:
        """A separate copy of the world at a moment."""
        world = next(kept for kept in reversed(self._kept) if kept.now_ms <= moment_ms).fork()
        advance(world, until_ms=moment_ms)
        return world

    def moments(self, first_ms: int, last_ms: int) -> list[int]:
        """Every moment in a window at which something changed, and its two ends."""
        found = {record.at_ms for record in self.records if first_ms <= record.at_ms <= last_ms}
        return sorted(found | {first_ms, last_ms})
