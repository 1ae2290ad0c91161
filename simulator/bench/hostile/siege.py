"""What another visitor notices while somebody attacks a site: a real server, attackers, and a guest with a run of their own.

The guest comes from another address than the attackers, so that what is bounded by address is bounded for them alone, and from another
process, so that what attackers compute themselves holds up nobody's watch. Attackers take of the machine's cores only what the site leaves.
"""

import asyncio
import base64
import http.client
import json
import os
import re
import secrets
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import count, cycle, islice
from threading import Event, Thread, get_native_id
from time import sleep
from urllib.parse import urlencode

from msgspec import Struct

from simulator.bench.engine import probed_pod
from simulator.bench.frames import TEXT, masked
from simulator.bench.hostile import SCRIPTS
from simulator.bench.hostile.api_asks import ASKS, DOOR, REVIEWS
from simulator.bench.hostile.files import DAY_MS, FILES
from simulator.bench.load.visitor import FollowedRun, LoadVisitor
from simulator.bench.site import ROOT, measured_site

ATTACKER = "127.0.0.2"
ATTACK_S = 30.0
ATTACKER_NUMBER = 199
"""Of the visitor who attacks; the guest is number 0."""
NOBODY = "nobody"
HURRY_PODS, HURRY_PERMILLE = 200, 600_000
BODY_BYTES = 500_000_000
PODS_A_RUN = 12
PINGS = masked(TEXT, b'{"type":"ping"}') * 2000
HUGE_FRAME = bytes((TEXT, 0xFF)) + (1 << 30).to_bytes(8) + bytes(4)
"""The head of a frame of a gigabyte."""
DOOR_WATCHES, DOOR_BODIES = 30, 10
"""Watches that each attacker of an API holds open without reading them, and bodies that come a byte at a time."""
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n"


class SiegeSight(Struct, frozen=True, kw_only=True):
    """What the guest waited for the page of their run, an act, the act in the live view, and a list from the API: p50, p95 and p99 in ms.

    ``answers`` are those that the attackers got, by status or failure, and what the guest should never meet.
    """

    attack: str
    asked: int
    pages_ms: tuple[int, int, int]
    acts_ms: tuple[int, int, int]
    live_ms: tuple[int, int, int]
    lists_ms: tuple[int, int, int]
    answers: dict[str, int]

    def times(self, idle: "SiegeSight") -> float:
        """How many times as long as on an idle site the slowest twentieth of the guest's waits took, whichever suffered most."""
        pairs = zip(self.waits.values(), idle.waits.values(), strict=True)
        return max(own[1] / max(1, other[1]) for own, other in pairs)

    @property
    def waits(self) -> dict[str, tuple[int, int, int]]:
        """The figures by what the guest waited for."""
        return {"page": self.pages_ms, "act": self.acts_ms, "live view": self.live_ms, "API": self.lists_ms}


class BesiegedSite:
    """What attackers do to a site."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None) -> http.client.HTTPResponse:
        """The answer to one request, read to its end."""
        return self._asked(method, path, body, headers)[0]

    def text(self, method: str, path: str, *, body: bytes | None = None, headers: dict[str, str] | None = None) -> str:
        """What it says."""
        return self._asked(method, path, body, headers)[1].decode(errors="replace")

    def _asked(self, method: str, path: str, body: bytes | None, headers: dict[str, str] | None) -> tuple[http.client.HTTPResponse, bytes]:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(ATTACKER, 0))
        try:
            line.request(method, path, body, headers or {})
            answer = line.getresponse()
            said = answer.read()
        finally:
            line.close()
        return answer, said

    def form(self) -> dict[str, str]:
        """Headers of a new browser that has opened the page with the form."""
        answer = self.ask("GET", "/new/")
        cookies = _cookies(answer)
        token = next((cookie.partition("=")[2] for cookie in cookies if cookie.startswith("csrftoken=")), "")
        return {"Cookie": "; ".join(cookies), "X-CSRFToken": token, "Content-Type": "application/x-www-form-urlencoded"}

    def opened(self, text: str) -> str:
        """Open a scenario file as a new visitor at the attacker's address; the path of its run, empty where it was refused."""
        return self.ask("POST", "/x/", body=urlencode({"text": text}).encode(), headers=self.form()).headers.get("Location", "")

    def run(self, manifest: str) -> str:
        """Begin a run as a new visitor at the attacker's address; its path, empty where it was refused."""
        body = urlencode({"manifest": manifest, "kubernetes": "1.33", "seed": "1"}).encode()
        return self.ask("POST", "/new/", body=body, headers=self.form()).headers.get("Location", "")


Attack = Callable[[BesiegedSite, Counter[str], Event], None]
"""Goes on until the event is set; counts the answers it gets."""


def _repeat(ask: Callable[[], str], answers: Counter[str], stop: Event) -> None:
    while not stop.is_set():
        try:
            answers[ask()] += 1
        except (OSError, http.client.HTTPException) as error:
            answers[type(error).__name__] += 1
            sleep(0.05)


def _containers(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """Runs full of hostile containers, one after the other."""
    scripts = iter(SCRIPTS)
    for number in count():
        pods = [
            _pod(f"p{number}-{index}", script.image, (script.shell, "-c", script.script))
            for index, script in enumerate(islice(scripts, PODS_A_RUN))
        ]
        if not pods or stop.is_set():
            break
        with suppress(OSError, http.client.HTTPException):
            answers["runs" if site.run("\n---\n".join(pods)) else "refused"] += 1
    stop.wait()


def _pod(name: str, image: str, command: tuple[str, ...]) -> str:
    container = {"name": "app", "image": image, "command": list(command)}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}})


def _files(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """Small files that take long to play (``files.py``), one after the other; of each the page is looked at, now and at its far end."""
    files = cycle(FILES.values())
    looks = ("", f"?t={DAY_MS // 1000}", f"?t={DAY_MS // 1000}&tab=map")

    def ask() -> str:
        path = site.opened(next(files))
        if not path:
            return "refused"
        for look in looks:
            answers[f"page {site.ask('GET', path + look).status}"] += 1
        return "opened"

    _repeat(ask, answers, stop)


def _lens(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    versions = ",".join(f"1.{20 + secrets.randbelow(17)}" for _ in range(4))
    _repeat(
        lambda: str(site.ask("GET", f"/scenarios/crash-loop-ladder/lens/?for=900&versions={versions}").status),
        answers,
        stop,
    )


def _posts(path: str, manifest: str, site: BesiegedSite, answers: Counter[str], stop: Event, *, kind: str = "") -> None:
    """Forms with that text; ``kind`` is another Content-Type than a browser's."""
    headers, body = site.form(), urlencode({"manifest": manifest, "kubernetes": "1.33"}).encode()
    headers |= {"Content-Type": kind} if kind else {}
    _repeat(lambda: str(site.ask("POST", path, body=body, headers=headers).status), answers, stop)


def _sweeps(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """New sweeps of long runs without a pause, each of another browser."""
    manifest = _pod("web", "busybox:1.36", ("sh", "-c", "while true; do sleep 0.01; done"))

    def ask() -> str:
        fields = {"manifest": manifest, "kubernetes": "1.33", "field": "spec.terminationGracePeriodSeconds", "outcome": "restarts"}
        fields |= {"first": str(secrets.randbelow(100_000)), "seeds": "1000", "seconds": "3600"}
        return str(site.ask("POST", "/sweeps/", body=urlencode(fields).encode(), headers=site.form()).status)

    _repeat(ask, answers, stop)


def _checks(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """Attempts at a generated level, each of another browser and checked at every seed without a pause."""
    headers, path = site.form(), ""
    while not path and not stop.is_set():
        body = urlencode({"count": "3", "seed": str(secrets.randbelow(100))}).encode()
        answer = site.ask("POST", "/practice/run/", body=body, headers=headers)
        path = answer.headers.get("Location", "")
        answers["begun" if path else f"refused with {answer.status}"] += 1
        # Only the owner of an attempt may have it checked.
        headers["Cookie"] = "; ".join([headers["Cookie"], *_cookies(answer)])
    if path:
        _repeat(lambda: str(site.ask("POST", f"{path}level/check/", body=b"hints=0", headers=headers).status), answers, stop)


def _cookies(answer: http.client.HTTPResponse) -> list[str]:
    """What a browser sends along from then on."""
    return [value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]


def _bodies(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    head = (
        b"POST /new/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    block = b"10000\r\n" + b"a" * 65536 + b"\r\n"

    def send() -> str:
        with socket.create_connection(("127.0.0.1", site.port), timeout=30, source_address=(ATTACKER, 0)) as line:
            line.sendall(head)
            for _ in range(BODY_BYTES // 65536):
                if stop.is_set():
                    return "left"
                line.sendall(block)
            return line.recv(20)[9:12].decode()

    _repeat(send, answers, stop)


def _sockets(begin: bytes, block: bytes, site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """The socket of a run that sends ``begin`` and then ``block`` over and over."""
    path = site.run(_pod("web", "nginx:1.27", ("sleep", "9")))
    key = base64.b64encode(secrets.token_bytes(16)).decode()
    head = (
        f"GET /ws/run{path[2:]} HTTP/1.1\r\nHost: localhost:{site.port}\r\nOrigin: http://localhost:{site.port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )

    def flood() -> str:
        with socket.create_connection(("127.0.0.1", site.port), timeout=5, source_address=(ATTACKER, 0)) as line:
            line.sendall(head.encode())
            status = line.recv(4096)[9:12].decode()
            line.sendall(begin)
            while not stop.is_set():
                line.sendall(block)
            return status

    _repeat(flood, answers, stop)


def _hurry(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """A run of many probed pods as fast as it goes, watched."""
    answers["runs"] += asyncio.run(_hurried(LoadVisitor(ATTACKER_NUMBER, site.port), stop))


async def _hurried(person: LoadVisitor, stop: Event) -> int:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": json.loads(probed_pod("web"))["spec"]}
    spec = {"replicas": HURRY_PODS, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    path = await person.open_manifest(json.dumps(deployment))
    watch = FollowedRun(person, path or "///")
    reading = asyncio.create_task(watch.read())
    await person.control(path, do="rate", rate=str(HURRY_PERMILLE))
    while not stop.is_set():
        await asyncio.sleep(0.1)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    return int(watch.records > 0)


def _slow(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """Requests that come a byte at a time."""

    def send() -> str:
        with socket.create_connection(("127.0.0.1", site.port), timeout=30, source_address=(ATTACKER, 0)) as line:
            for byte in b"GET /new/ HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 10_000:
                if stop.is_set():
                    return "left"
                line.sendall(bytes((byte,)))
                sleep(0.5)
            return "took it"

    _repeat(send, answers, stop)


def _door(site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """A run's API with a key that only reads: watches that nobody reads, bodies that never end, and what ``api_asks`` has."""
    api = ""
    while not api and not stop.is_set():
        with suppress(OSError, http.client.HTTPException):
            api = _api_of(site)
        answers["begun" if api else "not begun"] += 1
    asked = cycle(partial(site.ask, method, api + tail, body=body, headers={"Content-Type": kind}) for method, tail, body, kind in ASKS)
    watch = f"GET {api}/api/v1/pods?watch=1&labelSelector=a!%3Db{get_native_id()} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    review = f"POST {api}{REVIEWS} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
    with ExitStack() as lines:
        for _ in range(DOOR_WATCHES):
            _opened(site, lines, watch)
        bodies = [_opened(site, lines, review) for _ in range(DOOR_BODIES)]

        def ask() -> str:
            for body in bodies:
                with suppress(OSError):
                    body.send(b" ")
            return str(next(asked)().status)

        _repeat(ask, answers, stop)


def _api_of(site: BesiegedSite) -> str:
    """The path of the API of a new run, with a key that only reads; empty where it was refused."""
    headers = site.form()
    body = urlencode({"manifest": DOOR, "kubernetes": "1.33", "seed": "1"}).encode()
    run = site.ask("POST", "/new/", body=body, headers=headers).headers.get("Location", "")
    page = site.text("POST", f"{run}door/", body=b"do=read", headers=headers)
    found = re.search(r"--server=https?://[^/]+(\S+/k8s/\S+)", page)
    return found[1] if found else ""


def _opened(site: BesiegedSite, lines: ExitStack, head: str) -> socket.socket:
    """A connection that has said so much, and stays."""
    line = lines.enter_context(socket.socket())
    with suppress(OSError):
        line.bind((ATTACKER, 0))
        line.connect(("127.0.0.1", site.port))
        line.sendall(head.encode())
    return line


ATTACKS: dict[str, tuple[Attack, int]] = {
    NOBODY: (lambda site, answers, over: None, 0),
    "hostile containers": (_containers, 1),
    "files left at 24 h": (_files, 5),
    "version lens": (_lens, 30),
    "sweeps": (_sweeps, 10),
    "checks of levels": (_checks, 20),
    "checks of 1 MB": (partial(_posts, "/manifests/check/", POD + "  - name: c\n    image: nginx:1.27\n" * 22_000), 20),
    "checks of [[[[": (partial(_posts, "/manifests/check/", "a: " + "[" * 999_000), 20),
    "runs of [[[[": (partial(_posts, "/new/", "a: " + "[" * 999_000), 20),
    "a foreign charset": (partial(_posts, "/manifests/check/", POD, kind="application/x-www-form-urlencoded; charset=utf-7"), 20),
    "pings": (partial(_sockets, b"", PINGS), 10),
    "huge frames": (partial(_sockets, HUGE_FRAME, bytes(65_536)), 10),
    "bodies of 500 MB": (_bodies, 3),
    "slow requests": (_slow, 200),
    "200 pods at 600×": (_hurry, 1),
    "a run's API": (_door, 8),
}
"""What attackers do, and how many of them do it at once."""


def _aside(attack: Attack, site: BesiegedSite, answers: Counter[str], stop: Event) -> None:
    """Attack from a thread that leaves the cores to whoever wants them: real attackers bring their own."""
    os.sched_setscheduler(get_native_id(), os.SCHED_IDLE, os.sched_param(0))
    attack(site, answers, stop)


@contextmanager
def _under(attack: Attack, attackers: int, site: BesiegedSite, answers: Counter[str]) -> Iterator[None]:
    stop = Event()
    threads = [Thread(target=_aside, args=(attack, site, answers, stop), daemon=True) for _ in range(attackers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(timeout=65)


def besiege(name: str, *, attack_s: float = ATTACK_S) -> SiegeSight:
    """Start a site, attack it for ``attack_s`` seconds, and meanwhile be a guest there. The server is stopped afterwards."""
    attack, attackers = ATTACKS[name]
    answers: Counter[str] = Counter()
    with measured_site() as measured, _under(attack, attackers, BesiegedSite(measured.port), answers):
        sleep(min(1.0, attack_s))
        command = [sys.executable, "-m", "simulator.bench.load.scenes", "guest", str(measured.port), str(attack_s)]
        seen = json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout)
    troubles = {f"guest {trouble}": number for trouble, number in seen.pop("troubles").items()}
    asked, three_of = seen.pop("asked"), {what: tuple(three) for what, three in seen.items()}
    return SiegeSight(attack=name, asked=asked, answers=dict(answers) | troubles, **three_of)


def report(attacks: Sequence[str] = ()) -> Iterator[str]:
    """A line for each attack, or for these, after one for none. Takes about three quarters of a minute each."""
    idle: SiegeSight | None = None
    for name in [name for name in ATTACKS if not attacks or name in (*attacks, NOBODY)]:
        seen = besiege(name)
        idle = idle or seen
        answers = ", ".join(f"{status} × {number}" for status, number in sorted(seen.answers.items()))
        told = ", ".join(f"{what} p50 {p50} p95 {p95} p99 {p99} ms" for what, (p50, p95, p99) in seen.waits.items())
        yield f"siege     {seen.attack:18} another visitor's {told}; at p95 {seen.times(idle):.1f} × idle; attackers: {answers or 'none'}"
