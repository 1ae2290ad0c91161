"""The walk: create objects on a site, send it one input after the other, and judge each answer."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import urlencode

from msgspec import Struct, field

from simulator.bench.doors import judge
from simulator.bench.doors.grammar import case
from simulator.bench.doors.model import Headers, HostileInput, Known, Reply, Request, Site, Talk
from simulator.bench.engine import probed_pod

STORY = "hello-pod"
_LOCATION = re.compile(r"^/(?:r|s|sweeps|class)/([\w-]+)/")


class Found(Struct, frozen=True, kw_only=True):
    """An input with an unacceptable answer, and what was wrong."""

    number: int
    door: str
    wrong: tuple[str, ...]
    log: str = ""


class Walked(Struct, kw_only=True):
    """The outcome of a walk: answers by status, ends of sockets by code, and what was found."""

    inputs: int = 0
    answers: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)

    def kinds(self) -> dict[str, list[Found]]:
        """The findings by problem, the most frequent first."""
        kinds: dict[str, list[Found]] = {}
        for each in self.found:
            kinds.setdefault("; ".join(each.wrong), []).append(each)
        return dict(sorted(kinds.items(), key=lambda kind: -len(kind[1])))


async def walk(site: Site, known: Known, *, seed: int, numbers: Iterable[int]) -> Walked:
    """Send the inputs of those numbers, each after the answer to the one before, so that what is logged meanwhile is about it alone."""
    walked = Walked()
    site.new_log()
    for number in numbers:
        one = case(seed, number, known)
        wrong = [*await _judged(site, one, walked)]
        log = site.new_log()
        wrong += [*judge.of_log(log), *(f"{process} has ended" for process in site.ended_processes())]
        walked.inputs += 1
        if wrong:
            walked.found.append(Found(number=number, door=one.door, wrong=tuple(wrong), log=log))
    return walked


async def _judged(site: Site, one: HostileInput, walked: Walked) -> Iterator[str]:
    if isinstance(one.sent, Talk):
        end = await site.talk(one.sent)
        walked.answers["socket answers" if end.answers else f"socket {end.code or end.status}"] += 1
        return judge.of_talk(one.sent, end)
    answer = await site.ask(one.sent)
    walked.answers[str(answer.status)] += 1
    return judge.of_answer(one.sent, answer)


class RegularVisitor:
    """A visitor who uses the site as intended: creates the objects that the walk refers to, and checks afterwards that they are intact."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._cookies: dict[str, str] = {}

    async def see(self, path: str) -> Reply:
        """A page. Raises AssertionError if it cannot be loaded."""
        answer = await self._ask(b"GET", path)
        assert answer.status == 200, f"{path} is answered with {answer.status}: {answer.broken or answer.body[:200]!r}"
        return answer

    async def post(self, target: str, **fields: str) -> str:
        """The address that a form redirects to. Raises AssertionError if it is refused."""
        answer = await self._ask(b"POST", target, urlencode(fields).encode())
        assert answer.status == 302, f"{target} is answered with {answer.status}: {answer.broken or answer.body[-900:]!r}"
        return answer.header(b"location").decode()

    async def make(self) -> Known:
        """Create runs, links, a sweep and a class."""
        await self.see("/new/")
        runs = [_id(await self.post(f"/scenarios/{STORY}/run/")) for _ in range(2)]
        runs.append(_id(await self.post("/new/", manifest=probed_pod("web"), kubernetes="1.33", seed="1")))
        shares = [_id(await self.post(f"/r/{run}/share/")) for run in runs]
        field = "spec.terminationGracePeriodSeconds"
        sweep = {"manifest": probed_pod("web"), "kubernetes": "1.33", "field": field, "first": "1", "last": "2", "seeds": "1"}
        sweeps = [_id(await self.post("/sweeps/", **sweep, outcome="restarts", seconds="5"))]
        await self.post("/class/", path=f"/r/{runs[0]}/")
        classes = re.findall(r"/class/([\w-]+)/end/", (await self._list()).body.decode())
        return Known(
            cookies=self._cookie_line(),
            token=self._cookies["csrftoken"].encode(),
            runs=tuple(runs),
            shares=tuple(shares),
            sweeps=tuple(sweeps),
            classes=tuple(classes),
            file=json.dumps(json.loads((await self.see(f"/s/{shares[0]}/file/")).body)),
        )

    async def _list(self) -> Reply:
        """The page of the visitor's class, which is found by its code."""
        answer = await self._ask(b"GET", "/class/")
        return await self.see(answer.header(b"location").decode()) if answer.status == 302 else answer

    def _cookie_line(self) -> bytes:
        return "; ".join(f"{name}={value}" for name, value in self._cookies.items()).encode()

    async def _ask(self, method: bytes, path: str, body: bytes = b"") -> Reply:
        headers: Headers = ((b"Cookie", self._cookie_line()),) if self._cookies else ()
        if method == b"POST":
            kind = (b"Content-Type", b"application/x-www-form-urlencoded")
            headers = (*headers, kind, (b"X-CSRFToken", self._cookies.get("csrftoken", "").encode()))
        answer = await self._site.ask(Request(method=method, target=path.encode(), headers=headers, body=body))
        for name, value in answer.headers:
            if name == b"set-cookie":
                key, _, kept = value.decode().partition(";")[0].partition("=")
                self._cookies[key] = kept
        return answer


def _id(location: str) -> str:
    found = _LOCATION.match(location)
    assert found is not None, f"{location} is the address of nothing that was asked for"
    return found[1]
