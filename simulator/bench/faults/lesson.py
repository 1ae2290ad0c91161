"""A class during the faults: a teacher who starts votes, and pupils who act, check, vote and raise their hands in a level."""

import json
import re
from random import Random
from threading import Event, Thread
from typing import Any

from simulator.bench.faults.plant import Plant
from simulator.bench.faults.servers import wait_until
from simulator.bench.faults.visitor import LOST, HeardAnswer, Visitor

LEVEL = "two-versions-never-meet"
ACT = "rollout restart deployment/ledger"
NAMES = ("Ada", "Bo")
CHOICES = ("Running", "Failed", "Pending")
STEP_EVERY_S = 0.3
AGAIN_S = 0.2
SETUP_S = 120.0
_CODE = re.compile(r"class=(\w{6})|(\w{3})-(\w{3})</strong>")
_TILE = re.compile(r'<li class="tile"(.*?)</li>', re.DOTALL)
_NAME = re.compile(r'<h3 class="tile__name">(?:<a[^>]*>)?([^<]*)')
_FAILED = re.compile(r"(\d+) failed attempt")


class FaultyLine:
    """A browser that resends a form until it is answered, by whichever process."""

    def __init__(self, plant: Plant, rng: Random, over: Event) -> None:
        self._plant, self._rng, self._over = plant, rng, over
        self.visitor = Visitor(plant.webs[0].port)
        self._token = self.visitor.token()
        self.sent = 0
        """How often the form of the last ``post`` was sent."""

    def post(self, address: str, **fields: str) -> HeardAnswer | None:
        """The answer; None if everything ends first."""
        self.sent = 0
        while not self._over.is_set():
            self.sent += 1
            try:
                answer = self.visitor.send(address, {"csrfmiddlewaretoken": self._token, **fields})
            except LOST:
                self.visitor.port = self._rng.choice(self._plant.webs).port
            else:
                if answer.status != 503 or "retry-after" not in answer.headers:
                    return answer
            self._over.wait(AGAIN_S)
        return None


class FaultyPupil:
    """A pupil and what the site has acknowledged to them. ``asked`` checks were sent, of which ``checked`` were answered."""

    def __init__(self, line: FaultyLine, rng: Random, name: str, code: str) -> None:
        self.line, self._rng, self.name, self._base = line, rng, name, f"/class/{code}/"
        self.run_id = ""
        self.hand, self.choice = False, -1
        self.asked = self.checked = self._acts = 0
        self.keys: list[str] = []
        self.wrong: list[str] = []

    def begin(self) -> None:
        """Join the class, and start a run that plays."""
        self._post("me/", name=self.name)
        found = json.loads(self._post("mine/") or "{}").get("url", "")
        self.run_id = found.split("/")[2] if found else ""
        self._post(f"/r/{self.run_id}/control/", do="play")

    def step(self, ask_id: int) -> None:
        """Do one of the things that a pupil does."""
        what = self._rng.choice((self._act, self._check, self._vote, self._raise, self._again))
        what(ask_id)

    def _act(self, _ask_id: int) -> None:
        self._acts += 1
        key = f"{self.name}-{self._acts:05}"
        if self._post(f"/r/{self.run_id}/kubectl/", k=ACT, client_key=key):
            self.keys.append(key)

    def _check(self, _ask_id: int) -> None:
        answered = self._post(f"/r/{self.run_id}/level/check/")
        self.asked += self.line.sent
        self.checked += bool(answered)

    def _vote(self, ask_id: int) -> None:
        choice = self._rng.randrange(len(CHOICES))
        if self._post("vote/", ask=str(ask_id), choice=str(choice)):
            self.choice = choice

    def _raise(self, _ask_id: int) -> None:
        if self._post("me/", hand="0" if self.hand else "1"):
            self.hand = not self.hand

    def _again(self, _ask_id: int) -> None:
        """A reloaded page asks for the same run again."""
        found = json.loads(self._post("mine/") or "{}").get("url", "")
        if found and found != f"/r/{self.run_id}/":
            self.wrong.append(f"{self.name} was led to another run")

    def _post(self, path: str, **fields: str) -> str:
        answer = self.line.post(path if path.startswith("/") else self._base + path, **fields)
        if answer is None or answer.status in {200, 204}:
            return answer.text or "done" if answer else ""
        self.wrong.append(f"{self.name} was answered with {answer.status} at {path}: {answer.text[:120]}")
        return ""

    def expected(self) -> dict[str, Any]:
        """What the database must say about the pupil."""
        fields = ("name", "run_id", "hand", "choice", "asked", "checked", "keys")
        return {field: getattr(self, field) for field in fields}


class FaultyClass(Thread):
    """The whole class in one thread. Requests under way are finished before it rests."""

    def __init__(self, plant: Plant, rng: Random) -> None:
        super().__init__(daemon=True, name="class")
        self._plant, self._rng = plant, rng
        self._over, self._rests, self._is_idle = Event(), Event(), Event()
        self.teacher = FaultyLine(plant, rng, self._over)
        self.teacher.post("/class/", path="")
        self.code = _code_of(self.teacher.visitor.get("/class/"))
        self.pupils = [FaultyPupil(FaultyLine(plant, rng, self._over), rng, name, self.code) for name in NAMES]
        for pupil in self.pupils:
            pupil.line.post(f"/class/{self.code}/me/", name=pupil.name)
        self._lead("start", pick=LEVEL)
        for pupil in self.pupils:
            pupil.begin()
        self._ask()

    def _lead(self, what: str, **fields: str) -> None:
        answer = self.teacher.post(f"/class/{self.code}/wall/{what}/", **fields)
        assert answer is None or answer.status in {200, 302}, f"the teacher was answered with {answer.status}: {answer.text[:120]}"

    def _ask(self) -> None:
        self._lead("ask", do="put", question="What will happen?", choices="\n".join(CHOICES))
        self.ask_id = self._own_state(self.pupils[0])["ask"]["id"]
        for pupil in self.pupils:
            pupil.choice = -1

    def _own_state(self, pupil: FaultyPupil) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(pupil.line.visitor.get(f"/class/{self.code}/me/"))
        return state

    def run(self) -> None:
        """Work until stopped; pause while resting."""
        while not self._over.is_set():
            if self._rests.is_set():
                self._is_idle.set()
            else:
                self._rng.choice(self.pupils).step(self.ask_id)
            self._over.wait(STEP_EVERY_S)

    def rest(self, *, seconds: float) -> bool:
        """Wait until requests under way are answered, and start no others; whether it was in time."""
        self._is_idle.clear()
        self._rests.set()
        return self._is_idle.wait(seconds)

    def go_on(self) -> None:
        """Resume work."""
        self._rests.clear()

    def judged(self) -> list[str]:
        """What is wrong with the class while it rests and the site is healthy, as sentences; ends the vote and starts another."""
        for pupil in self.pupils:
            wait_until(lambda pupil=pupil: self._plant.judge.ask("waiting", pupil.run_id)["acts"] == 0, "acts of pupils", seconds=SETUP_S)  # type: ignore[misc]
        expected = [pupil.expected() for pupil in self.pupils]
        answer = self._plant.judge.ask("lesson", self.code, self.ask_id, expected)
        wrong = [*answer["wrong"], *self._shown(answer["failed"]), *(words for pupil in self.pupils for words in pupil.wrong)]
        self._lead("ask", do="close")
        wrong += [f"{pupil.name}'s page {words}" for pupil in self.pupils for words in self._misled(pupil, answer["counts"])]
        self._ask()
        return wrong

    def _shown(self, failed: dict[str, int]) -> list[str]:
        """Differences between the class wall and the database."""
        shown = {}
        for tile in _TILE.findall(self.teacher.visitor.get(f"/class/{self.code}/wall/")):
            count = _FAILED.search(tile)
            shown[_NAME.search(tile)[1]] = int(count[1]) if count else 0  # type: ignore[index]
        return [] if shown == failed else [f"the wall shows {shown} failed attempts, and there are {failed}"]

    def _misled(self, pupil: FaultyPupil, counts: list[int]) -> list[str]:
        state = self._own_state(pupil)
        counted = state["ask"]["counts"]
        wrong = [] if state["run"] == f"/r/{pupil.run_id}/" else ["has lost the way to their run"]
        return wrong if counted == [counts] else [*wrong, f"is told the counts {counted}, and there are {counts}"]

    def stop(self) -> None:
        """End."""
        self._over.set()
        if self.is_alive():
            self.join()


def _code_of(page: str) -> str:
    found = _CODE.search(page)
    assert found is not None, "there is no class on the page"
    return found[1] or found[2] + found[3]
