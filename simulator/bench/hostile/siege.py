"""What another visitor notices while somebody attacks a site: a real server, attackers, and somebody who asks after its health.

Attackers come from 127.0.0.2, the visitor from 127.0.0.9, so that what is bounded by address is bounded for the attacker alone.
"""

import base64
import http.client
import json
import secrets
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count, islice
from threading import Event, Thread
from time import monotonic, sleep
from urllib.parse import urlencode

from msgspec import Struct

from simulator.bench.hostile import SCRIPTS
from simulator.bench.site import measured_site

ATTACKER, VISITOR = "127.0.0.2", "127.0.0.9"
ATTACK_S = 15.0
ASK_EVERY_S = 0.05
BODY_BYTES = 500_000_000
PODS_A_RUN = 12
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n"


class SiegeSight(Struct, frozen=True, kw_only=True):
    """What the visitor waited for /healthz, in ms, and the answers that the attackers got, by status or failure."""

    attack: str
    asked: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    answers: dict[str, int]


class BesiegedSite:
    """What attackers and the visitor do to a site."""

    def __init__(self, port: int) -> None:
        self.port = port

    def ask(
        self, method: str, path: str, *, source: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> http.client.HTTPResponse:
        """The answer to one request, read to its end."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(source, 0))
        try:
            line.request(method, path, body, headers or {})
            answer = line.getresponse()
            answer.read()
        finally:
            line.close()
        return answer

    def health(self) -> tuple[str, float]:
        """Status and ms of one look by the visitor."""
        began = monotonic()
        try:
            status = str(self.ask("GET", "/healthz", source=VISITOR).status)
        except OSError as error:
            status = type(error).__name__
        return status, (monotonic() - began) * 1000

    def form(self) -> dict[str, str]:
        """Headers of a new browser that has opened the page with the form."""
        answer = self.ask("GET", "/new/", source=ATTACKER)
        cookies = [value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
        token = next((cookie.partition("=")[2] for cookie in cookies if cookie.startswith("csrftoken=")), "")
        return {"Cookie": "; ".join(cookies), "X-CSRFToken": token, "Content-Type": "application/x-www-form-urlencoded"}

    def run(self, manifest: str) -> str:
        """Begin a run as a new visitor at the attacker's address; its path, empty where it was refused."""
        body = urlencode({"manifest": manifest, "kubernetes": "1.33", "seed": "1"}).encode()
        return self.ask("POST", "/new/", source=ATTACKER, body=body, headers=self.form()).headers.get("Location", "")


Attack = Callable[[BesiegedSite, Counter[str], Event], None]
"""Goes on until the event is set; counts the answers it gets."""


def _repeat(ask: Callable[[], str], answers: Counter[str], over: Event) -> None:
    while not over.is_set():
        try:
            answers[ask()] += 1
        except (OSError, http.client.HTTPException) as error:
            answers[type(error).__name__] += 1
            sleep(0.05)


def _containers(site: BesiegedSite, answers: Counter[str], over: Event) -> None:
    """Runs full of hostile containers, one after the other."""
    scripts = iter(SCRIPTS)
    for number in count():
        pods = [
            _pod(f"p{number}-{index}", script.image, (script.shell, "-c", script.script))
            for index, script in enumerate(islice(scripts, PODS_A_RUN))
        ]
        if not pods or over.is_set():
            break
        with suppress(OSError, http.client.HTTPException):
            answers["runs" if site.run("\n---\n".join(pods)) else "refused"] += 1
    over.wait()


def _pod(name: str, image: str, command: tuple[str, ...]) -> str:
    container = {"name": "app", "image": image, "command": list(command)}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}})


def _lens(site: BesiegedSite, answers: Counter[str], over: Event) -> None:
    versions = ",".join(f"1.{20 + secrets.randbelow(17)}" for _ in range(4))
    _repeat(
        lambda: str(site.ask("GET", f"/scenarios/crash-loop-ladder/lens/?for=900&versions={versions}", source=ATTACKER).status),
        answers,
        over,
    )


def _posts(path: str, manifest: str, site: BesiegedSite, answers: Counter[str], over: Event) -> None:
    headers, body = site.form(), urlencode({"manifest": manifest, "kubernetes": "1.33"}).encode()
    _repeat(lambda: str(site.ask("POST", path, source=ATTACKER, body=body, headers=headers).status), answers, over)


def _sweeps(site: BesiegedSite, answers: Counter[str], over: Event) -> None:
    """New sweeps of long runs without a pause, each of another browser."""
    manifest = _pod("web", "busybox:1.36", ("sh", "-c", "while true; do sleep 0.01; done"))

    def ask() -> str:
        fields = {"manifest": manifest, "kubernetes": "1.33", "field": "spec.terminationGracePeriodSeconds", "outcome": "restarts"}
        fields |= {"first": str(secrets.randbelow(100_000)), "seeds": "1000", "seconds": "3600"}
        return str(site.ask("POST", "/sweeps/", source=ATTACKER, body=urlencode(fields).encode(), headers=site.form()).status)

    _repeat(ask, answers, over)


def _bodies(site: BesiegedSite, answers: Counter[str], over: Event) -> None:
    head = (
        b"POST /new/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    block = b"10000\r\n" + b"a" * 65536 + b"\r\n"

    def send() -> str:
        with socket.create_connection(("127.0.0.1", site.port), timeout=30, source_address=(ATTACKER, 0)) as line:
            line.sendall(head)
            for _ in range(BODY_BYTES // 65536):
                if over.is_set():
                    return "left"
                line.sendall(block)
            return line.recv(20)[9:12].decode()

    _repeat(send, answers, over)


def _pings(site: BesiegedSite, answers: Counter[str], over: Event) -> None:
    path = site.run(_pod("web", "nginx:1.27", ("sleep", "9")))
    message = b'{"type":"ping"}'
    frames = (bytes([0x81, 0x80 | len(message)]) + bytes(4) + message) * 2000
    key = base64.b64encode(secrets.token_bytes(16)).decode()
    head = (
        f"GET /ws/run{path[2:]} HTTP/1.1\r\nHost: localhost:{site.port}\r\nOrigin: http://localhost:{site.port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )

    def flood() -> str:
        with socket.create_connection(("127.0.0.1", site.port), timeout=5, source_address=(ATTACKER, 0)) as line:
            line.sendall(head.encode())
            status = line.recv(4096)[9:12].decode()
            while not over.is_set():
                line.sendall(frames)
            return status

    _repeat(flood, answers, over)


ATTACKS: dict[str, tuple[Attack, int]] = {
    "nobody": (lambda site, answers, over: None, 0),
    "hostile containers": (_containers, 1),
    "version lens": (_lens, 30),
    "sweeps": (_sweeps, 10),
    "checks of 1 MB": (partial(_posts, "/manifests/check/", POD + "  - name: c\n    image: nginx:1.27\n" * 22_000), 20),
    "checks of [[[[": (partial(_posts, "/manifests/check/", "a: " + "[" * 999_000), 20),
    "runs of [[[[": (partial(_posts, "/new/", "a: " + "[" * 999_000), 20),
    "pings": (_pings, 10),
    "bodies of 500 MB": (_bodies, 3),
}
"""What attackers do, and how many of them do it at once."""


@contextmanager
def _under(attack: Attack, attackers: int, site: BesiegedSite, answers: Counter[str]) -> Iterator[None]:
    over = Event()
    threads = [Thread(target=attack, args=(site, answers, over), daemon=True) for _ in range(attackers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(timeout=65)


def besiege(name: str, *, attack_s: float = ATTACK_S) -> SiegeSight:
    """Start a site, attack it for ``attack_s`` seconds and meanwhile ask after its health. The server is stopped afterwards."""
    attack, attackers = ATTACKS[name]
    answers: Counter[str] = Counter()
    with measured_site() as measured, _under(attack, attackers, site := BesiegedSite(measured.port), answers):
        sleep(min(1.0, attack_s))
        looks = list(_looks(site, attack_s))
    took = sorted(ms for _, ms in looks)
    failed = Counter(f"visitor {status}" for status, _ in looks if status != "200")
    return SiegeSight(
        attack=name,
        asked=len(took),
        p50_ms=took[len(took) // 2],
        p99_ms=took[len(took) * 99 // 100],
        worst_ms=took[-1],
        answers=dict(answers + failed),
    )


def _looks(site: BesiegedSite, seconds: float) -> Iterator[tuple[str, float]]:
    end = monotonic() + seconds
    while monotonic() < end:
        yield site.health()
        sleep(ASK_EVERY_S)


def report() -> Iterator[str]:
    """A line for each attack. Takes about half a minute each."""
    for name in ATTACKS:
        seen = besiege(name)
        answers = ", ".join(f"{status} × {number}" for status, number in sorted(seen.answers.items()))
        yield (
            f"siege     {seen.attack:20} another visitor's health: p50 {seen.p50_ms:.0f} ms, p99 {seen.p99_ms:.0f} ms, "
            f"worst {seen.worst_ms:.0f} ms ({seen.asked} looks); attackers: {answers or 'none'}"
        )
