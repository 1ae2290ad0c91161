"""The API of a cluster that a single command uses: time, waiting clients, writes, past resource versions."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from simulator.cluster import application
from simulator.cluster.application import GRACE_S, ClusterApplication
from simulator.cluster.clock import RunClock
from simulator.cluster.played import PlayedRun
from simulator.cluster.streams import is_played_ahead
from simulator.door.exchange import DoorRequest
from simulator.door.watching import DoorWatch
from simulator.engine import RunHeader, replay

PODS = "/api/v1/namespaces/default/pods"
SLOW = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "slow"},
    "spec": {"containers": [{"name": "a", "image": "nginx", "readinessProbe": {"httpGet": {"port": 80}, "initialDelaySeconds": 120}}]},
}  # fmt: skip


class Seconds:
    """A clock that only tests advance."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Client:
    """Sends requests to a cluster as a client does, without a server."""

    def __init__(self, *, skip_ms: int = 0, rate: float = 1.0) -> None:
        self.seconds, self.said = Seconds(), []
        self.run = PlayedRun(RunHeader(kubernetes="1.33", jitter=False))
        clock = RunClock(rate=rate, seconds=self.seconds)
        self.application = ClusterApplication(self.run, key="k", clock=clock, skip_ms=skip_ms, say=self.said.append)

    async def ask(self, method: str, path: str, body: object = None, *, prefix: str = "/k"):
        """Status and document of an answer."""
        stream = self.open(method, path, body, prefix=prefix)
        await stream.task
        return stream.status, json.loads(stream.text or "null")

    def open(self, method: str, path: str, body: object = None, *, prefix: str = "/k") -> "Stream":
        """Start a request."""
        path, _, query = path.partition("?")
        scope = {"type": "http", "method": method, "path": f"{prefix}{path}", "query_string": query.encode(), "headers": []}
        return Stream(self.application, scope, b"" if body is None else json.dumps(body).encode())

    async def passes(self, seconds: float) -> None:
        """Advance the machine's clock."""
        self.seconds.now += seconds
        self.application._play_on()
        await asyncio.sleep(0)


class Stream:
    """A request and its response so far."""

    def __init__(self, application: ClusterApplication, scope, body: bytes) -> None:
        self.status, self._parts, self._body = 0, [], [{"type": "http.request", "body": body}]
        self.closed, self.headers = asyncio.Event(), {}
        self.task = asyncio.create_task(application(scope, self._receive, self._send))

    @property
    def text(self) -> str:
        return b"".join(self._parts).decode()

    @property
    def events(self) -> list[tuple[str, dict]]:
        return [(line["type"], line["object"]) for line in map(json.loads, self.text.splitlines())]

    async def until(self, holds) -> None:
        """Run the event loop until the condition holds."""
        async with asyncio.timeout(30):
            while not holds(self):
                await asyncio.sleep(0.005)

    async def _receive(self):
        if self._body:
            return self._body.pop()
        await self.closed.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        self.status = message.get("status", self.status)
        self.headers.update(message.get("headers", ()))
        self._parts.append(message.get("body", b""))


def is_ready(pod: dict) -> bool:
    return any(item["type"] == "Ready" and item["status"] == "True" for item in pod["status"].get("conditions", ()))


def versions(stream: Stream) -> list[tuple[str, str]]:
    """The events without timestamps: each watch has its own clock."""
    return [(kind, item["metadata"]["resourceVersion"]) for kind, item in stream.events]


async def test_time_passes_by_its_rate():
    client = Client(rate=10)
    await client.ask("POST", PODS, SLOW)
    await client.passes(1)
    assert client.run.world.now_ms == 10_000
    _, pod = await client.ask("GET", f"{PODS}/slow")
    assert pod["status"]["phase"] == "Running"


async def test_another_key_opens_nothing():
    assert (await Client().ask("GET", PODS, prefix="/other"))[0] == 401


async def test_a_refused_write_leaves_nothing():
    client = Client()
    status, answer = await client.ask("POST", PODS, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {}})
    assert (status, answer["reason"]) == (422, "Invalid")
    assert client.run.commands == []


async def test_a_dry_run_leaves_nothing():
    client = Client()
    assert (await client.ask("POST", f"{PODS}?dryRun=All", SLOW))[0] == 201
    assert client.run.commands == []


async def test_a_watch_reports_what_happens_as_time_passes():
    client = Client()
    stream = client.open("GET", f"{PODS}?watch=true")
    await stream.until(lambda it: it.status)
    await client.ask("POST", PODS, SLOW)
    await client.passes(30)
    await stream.until(lambda it: len(it.events) > 2)
    kinds = [kind for kind, _ in stream.events]
    assert kinds[0] == "ADDED"
    assert set(kinds[1:]) == {"MODIFIED"}
    numbers = [int(pod["metadata"]["resourceVersion"]) for _, pod in stream.events]
    assert numbers == sorted(set(numbers))


async def test_a_failing_watch_ends_with_a_message_and_no_other_watch_does(monkeypatch, caplog):
    client = Client()
    fails, stays = (client.open("GET", f"{PODS}?watch=1&labelSelector=a!%3D{name}") for name in "bc")
    await stays.until(lambda stream: stream.status and fails.status)
    go_on = DoorWatch.go_on

    def failing(self, *args):
        if self._request.value("labelSelector") == "a!=b":
            raise RecursionError("foreseen by nobody")
        return go_on(self, *args)

    monkeypatch.setattr(DoorWatch, "go_on", failing)
    await client.ask("POST", PODS, SLOW)
    await fails.task
    await stays.until(lambda stream: stream.events)
    assert [(kind, item["code"]) for kind, item in fails.events] == [("ERROR", 500)]
    assert stays.events[0][0] == "ADDED" and not stays.task.done() and "foreseen by nobody" in caplog.text
    stays.closed.set()


async def test_a_watch_goes_on_from_a_position_of_the_past():
    client = Client()
    await client.passes(5)
    await client.ask("POST", PODS, SLOW)
    told = client.open("GET", f"{PODS}?watch=true")
    await told.until(lambda it: it.events)
    first = told.events[0][1]["metadata"]["resourceVersion"]
    await client.passes(300)
    await told.until(lambda it: any(is_ready(pod) for _, pod in it.events))
    again = client.open("GET", f"{PODS}?watch=true&resourceVersion={first}")
    await again.until(lambda it: it.text)
    assert versions(again) == versions(told)[1:]


async def test_a_waiting_client_is_taken_to_what_it_waits_for():
    client = Client(skip_ms=3_600_000)
    await client.ask("POST", PODS, SLOW)
    time_passes = asyncio.create_task(client.application.keep_time())
    stream = client.open("GET", f"{PODS}?watch=true&fieldSelector=metadata.name%3Dslow")
    await stream.until(lambda it: any(is_ready(pod) for _, pod in it.events))
    assert client.seconds.now == 0
    assert client.run.world.now_ms >= 120_000
    time_passes.cancel()


async def test_a_client_that_only_looks_on_is_not():
    client = Client(skip_ms=3_600_000)
    await client.ask("POST", PODS, SLOW)
    stream = client.open("GET", f"{PODS}?watch=true")
    await stream.until(lambda it: it.events)
    client.application._skip()
    assert client.run.world.now_ms == 0


@pytest.fixture
def machine_s(monkeypatch):
    """The clock by which the application measures waits, as a list with its seconds."""
    now = [100.0]
    monkeypatch.setattr(application, "time", SimpleNamespace(monotonic=lambda: now[0], time_ns=lambda: 0))
    return now


async def waits_for(client: Client, name: str) -> Stream:
    """A client that waits for the pod of that name."""
    stream = client.open("GET", f"{PODS}?watch=true&fieldSelector=metadata.name%3D{name}")
    await stream.until(lambda it: it.status)
    return stream


@pytest.mark.parametrize(("after_s", "is_played"), [(0.0, False), (GRACE_S - 0.01, False), (GRACE_S, True)])
async def test_a_client_that_was_just_sent_something_has_time_to_end_its_wait(machine_s, after_s, is_played):
    client = Client(skip_ms=3_600_000)
    await client.ask("POST", PODS, SLOW)
    await waits_for(client, "slow")
    machine_s[0] += after_s
    client.application._skip()
    assert (client.run.world.now_ms > 0) is is_played


async def test_a_client_to_which_something_is_still_to_be_sent_is_not_played_on_for(machine_s):
    client = Client(skip_ms=3_600_000)
    await client.ask("POST", PODS, SLOW)
    await waits_for(client, "slow")
    (opened,) = client.application._open
    opened.lines.put_nowait(b"late")
    machine_s[0] += 10
    client.application._skip()
    assert client.run.world.now_ms == 0


@pytest.mark.parametrize(("short_ms", "is_played"), [(0, True), (1, False)])
async def test_a_wait_is_bounded_from_when_it_began(machine_s, short_ms, is_played):
    client = Client(skip_ms=3_600_000)
    await client.ask("POST", PODS, SLOW)
    await client.passes(60)
    await waits_for(client, "other")
    next_ms = client.run.ahead_ms()
    client.application._skip_ms = next_ms - 60_000 - short_ms
    machine_s[0] += 10
    client.application._skip()
    assert client.run.world.now_ms == (next_ms if is_played else 60_000)
    assert len(client.said) == 1


async def test_of_two_clients_the_one_that_has_waited_longest_gives_up_first(machine_s):
    client = Client(skip_ms=90_000)
    await client.ask("POST", PODS, SLOW)
    await waits_for(client, "other")
    await client.passes(60)
    await waits_for(client, "another")
    machine_s[0] += 10
    client.application._skip()
    assert [opened.since_ms for opened in client.application._open] == [None, 60_000]


async def test_a_wait_that_nothing_ends_is_bounded_and_said():
    client = Client(skip_ms=90_000)
    await client.ask("POST", PODS, SLOW)
    time_passes = asyncio.create_task(client.application.keep_time())
    stream = client.open("GET", f"{PODS}?watch=true&fieldSelector=metadata.name%3Dother")
    await stream.until(lambda it: client.said)
    assert client.said == ["a client has waited 90 s of the run: time goes on by the clock from here"]
    assert client.run.world.now_ms <= 90_000
    time_passes.cancel()


async def test_a_log_is_followed_to_its_end():
    client = Client(skip_ms=3_600_000)
    job = {**SLOW, "metadata": {"name": "job"}, "spec": {"restartPolicy": "Never", "containers": [
        {"name": "a", "image": "busybox", "command": ["sh", "-c", "echo one; sleep 300; echo two"]}]}}  # fmt: skip
    await client.ask("POST", PODS, job)
    await client.passes(10)
    time_passes = asyncio.create_task(client.application.keep_time())
    stream = client.open("GET", f"{PODS}/job/log?follow=true")
    async with asyncio.timeout(30):
        await stream.task
    assert stream.text == "one\ntwo\n"
    time_passes.cancel()


async def test_a_body_that_is_too_large_is_refused():
    client = Client()
    status, answer = await client.ask("POST", PODS, {**SLOW, "metadata": {"name": "big", "annotations": {"a": "x" * 3_200_000}}})
    assert (status, answer["reason"], client.run.commands) == (413, "RequestEntityTooLarge", [])


async def test_a_watch_ends_when_its_time_is_over():
    client = Client()
    stream = client.open("GET", f"{PODS}?watch=true&timeoutSeconds=1")
    async with asyncio.timeout(30):
        await stream.task
    assert stream.status == 200


async def test_streams_say_what_they_are():
    client = Client()
    await client.ask("POST", PODS, SLOW)
    await client.passes(10)
    watch, log = client.open("GET", f"{PODS}?watch=true"), client.open("GET", f"{PODS}/slow/log?follow=true")
    await watch.until(lambda it: it.status and log.status)
    assert (watch.headers[b"content-type"], log.headers[b"content-type"]) == (b"application/json", b"text/plain; charset=utf-8")


def test_a_clock_jumps_ahead_and_never_back():
    seconds = Seconds()
    clock = RunClock(rate=2, seconds=seconds)
    seconds.now = 10
    clock.jump(60_000)
    seconds.now = 15
    assert clock.now_ms() == 70_000
    clock.jump(5_000)
    assert clock.now_ms() == 70_000


async def test_a_minute_can_be_asked_for():
    client = Client()
    assert await client.ask("POST", "/podscope/clock?for=60") == (200, {"now_s": 60.0})
    assert (await client.ask("POST", "/podscope/clock?for=x"))[0] == 400


async def test_what_was_done_is_a_run_that_plays_the_same_again():
    client = Client()
    await client.ask("POST", PODS, SLOW)
    await client.passes(60)
    await client.ask("DELETE", f"{PODS}/slow")
    await client.passes(60)
    again = replay(client.run.header, client.run.commands, until_ms=client.run.world.now_ms)
    assert again.hasher.hexdigest() == client.run.world.hasher.hexdigest()


@pytest.mark.parametrize("path", ["/", "/api", "/version", "/healthz"])
async def test_what_clients_ask_first_is_answered(path):
    client = Client()
    stream = client.open("GET", path)
    await stream.task
    assert stream.status == 200


@pytest.mark.parametrize(
    ("path", "offered"),
    [
        ("/k/api/v1/namespaces/default/pods/a/exec", ["base64.channel.k8s.io"]),  # which has no exit codes
        ("/k/api/v1/namespaces/default/pods/none/exec", ["v5.channel.k8s.io"]),
        ("/k/api/v1/namespaces/default/pods", ["v5.channel.k8s.io"]),
        ("/other/api/v1/namespaces/default/pods/a/exec", ["v5.channel.k8s.io"]),
    ],
)
def test_a_websocket_to_nothing_is_refused_in_the_words_of_its_protocol(path: str, offered: list[str]) -> None:
    sent: list[dict] = []

    async def receive() -> dict:
        return {"type": "websocket.connect"}

    async def send(message: dict) -> None:
        sent.append(message)

    async def connects() -> None:
        scope = {"type": "websocket", "path": path, "headers": [], "query_string": b"command=ls&stdout=1", "subprotocols": offered}
        await Client().application(scope, receive, send)

    asyncio.run(connects())
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize(
    ("headers", "query", "is_ahead"),
    [
        ({"user-agent": "kubectl/v1.33.0", "kubectl-command": "kubectl wait"}, (), True),
        ({"user-agent": "Helm/3.17.1"}, (), True),
        ({"user-agent": "Python"}, (("fieldSelector", "metadata.name=web"),), True),
        ({"user-agent": "Python"}, (("follow", "true"),), True),
        ({"user-agent": "kubectl/v1.33.0", "kubectl-command": "kubectl get"}, (), False),
        ({"user-agent": "kopf"}, (), False),
    ],
)
def test_the_run_is_played_ahead_for_clients_that_wait(headers, query, is_ahead):
    assert is_played_ahead(DoorRequest(headers=headers, query=query)) is is_ahead
