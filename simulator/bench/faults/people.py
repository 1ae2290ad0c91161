"""The users of the site during faults: one who acts, again and again, one who copies links meanwhile, and some who watch."""

import json
from collections import Counter
from contextlib import suppress
from random import Random
from threading import Event, Thread
from typing import Any

from simulator.bench.faults.plant import Plant
from simulator.bench.faults.visitor import LOST, Closed, Follower, Visitor

ACT_EVERY_S = 0.15
COPY_EVERY_S = 0.7
AGAIN_S = 0.2
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web"},
    "spec": {
        "containers": [
            {
                "name": "app",
                "image": "busybox:1.36",
                "command": ["sleep", "36000"],
                "readinessProbe": {"periodSeconds": 1, "exec": {"command": ["true"]}},
            }
        ]
    },
}


class ActingVisitor(Thread):
    """Labels a pod again and again. An unanswered request is repeated with the same key until it is acknowledged, as a page does."""

    def __init__(self, plant: Plant, rng: Random, name: str) -> None:
        super().__init__(daemon=True, name=name)
        self._plant, self._rng = plant, rng
        self._over, self._rests, self._is_idle = Event(), Event(), Event()
        self._visitor = Visitor(plant.webs[0].port)
        self.run_id = self._visitor.start_run(json.dumps(POD))
        self._token = self._visitor.token()
        self.acknowledged: list[str] = []
        self.answers: Counter[str] = Counter()
        self.wrong: list[str] = []

    def run(self) -> None:
        """Act until stopped; pause while resting."""
        number = 0
        while not self._over.is_set():
            if self._rests.is_set():
                self._is_idle.set()
            else:
                number += 1
                self._act(f"{self.name}-{number:06}", number)
            self._over.wait(ACT_EVERY_S)

    def _act(self, key: str, number: int) -> None:
        fields = {"k": f"label pod web n={number} --overwrite", "client_key": key, "csrfmiddlewaretoken": self._token}
        while not self._over.is_set():
            try:
                answer = self._visitor.send(f"/r/{self.run_id}/kubectl/", fields)
            except LOST:
                self.answers["no answer"] += 1
                self._visitor.port = self._rng.choice(self._plant.webs).port  # as a proxy does
            else:
                self.answers[str(answer.status)] += 1
                if answer.status == 200:
                    self.acknowledged.append(key)
                    return
                if answer.status != 503 or "retry-after" not in answer.headers:
                    self.wrong.append(f"an act was answered with {answer.status}: {answer.text[:120]}")
                    return
            self._over.wait(AGAIN_S)

    def rest(self, *, seconds: float) -> bool:
        """Wait until the current act is acknowledged, and start no other; whether it was in time."""
        self._is_idle.clear()
        self._rests.set()
        return self._is_idle.wait(seconds)

    @property
    def rests(self) -> bool:
        """Whether it is resting."""
        return self._rests.is_set()

    def go_on(self) -> None:
        """Resume acting."""
        self._rests.clear()

    def stop(self) -> None:
        """End."""
        self._over.set()
        self.join()


class CopyingVisitor(Thread):
    """Keeps copying links to a run while somebody acts in it. An unanswered request is not repeated."""

    def __init__(self, plant: Plant, rng: Random, actor: ActingVisitor) -> None:
        super().__init__(daemon=True, name="copier")
        self._plant, self._rng, self._actor = plant, rng, actor
        self._over = Event()
        self._visitor = Visitor(plant.webs[0].port)
        self._token = self._visitor.token()
        self.links: list[str] = []
        self.judged = 0
        self.wrong: list[str] = []

    def run(self) -> None:
        """Copy links until stopped; none while nobody acts."""
        while not self._over.is_set():
            if not self._actor.rests:
                self._copy()
            self._over.wait(self._rng.uniform(0.5, 1.5) * COPY_EVERY_S)

    def _copy(self) -> None:
        try:
            answer = self._visitor.send(f"/r/{self._actor.run_id}/share/", {"csrfmiddlewaretoken": self._token})
        except LOST:
            self._visitor.port = self._rng.choice(self._plant.webs).port
            return
        if answer.status == 200:
            self.links.append(str(json.loads(answer.text)["id"]))
        elif answer.status != 503 or "retry-after" not in answer.headers:
            self.wrong.append(f"who asked for a link was answered with {answer.status}: {answer.text[:120]}")

    def stop(self) -> None:
        """End."""
        self._over.set()
        self.join()


class WatchingVisitor(Thread):
    """Collects every record of a run as a page does: it reconnects after a loss and asks for what follows its last record."""

    def __init__(self, plant: Plant, rng: Random, run_id: str) -> None:
        super().__init__(daemon=True, name="viewer")
        self._plant, self._rng, self._run_id = plant, rng, run_id
        self._over = Event()
        self._line: Follower | None = None
        self.records: list[list[Any]] = []
        self.closes: Counter[int] = Counter()
        self.wrong: list[str] = []

    def run(self) -> None:
        """Watch until stopped."""
        while not self._over.is_set():
            try:
                self._watch()
            except Closed as closed:
                self.closes[closed.code] += 1
            except (*LOST, ValueError):  # a stream that is closed under a reader raises ValueError
                self.closes[1006] += 1
            self._over.wait(self._rng.uniform(0.1, 0.5))

    def _watch(self) -> None:
        line = self._line = Follower(self._rng.choice(self._plant.webs).port, self._run_id, since=len(self.records))
        try:
            while not self._over.is_set():
                frame = line.read()
                if frame["type"] == "records":
                    if frame["from"] > len(self.records):
                        return  # a gap: fetch again
                    self._take(frame["records"])
        finally:
            line.close()

    def _take(self, rows: list[list[Any]]) -> None:
        fresh = [row for row in rows if row[0] > len(self.records)]
        if [row[0] for row in fresh] != list(range(len(self.records) + 1, len(self.records) + 1 + len(fresh))):
            self.wrong.append(f"a frame goes on from {len(self.records)} with a gap or a double")
        self.records += fresh

    def stop(self) -> None:
        """End."""
        self._over.set()
        if self._line is not None:
            with suppress(OSError):
                self._line.drop()
        self.join(timeout=5)
