"""Many clients on one run of a real site: their delay, and that each receives every event once and in order."""

import asyncio
import http.client
import json
import os
import re
import signal
import time
import urllib.error
import urllib.parse
import urllib.request
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.door.test_node_and_mcp import client_node
from tests.door.test_python_clients import kubeconfig, python_with
from tests.door.test_site import Visitor
from tests.e2e.site import Server
from tests.prepared import prepared_site

pytestmark = pytest.mark.servers
PODS_OF_RUN, WATCHERS = 200, 100
SELECTORS = 10
PODS = "/api/v1/namespaces/default/pods"
AGENT = "informer/1.0"


def template(name: str) -> str:
    return f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: {PODS_OF_RUN}
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec: {{containers: [{{name: app, image: 'nginx:1.27'}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: marked}}
spec: {{containers: [{{name: app, image: 'nginx:1.27'}}]}}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(prepared_site(tmp_path_factory, tmp_path_factory.mktemp("site")))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def door_of(site: Server, manifest: str) -> str:
    """The address of the API of a new run, with a key that can write."""
    visitor = Visitor(site.url)
    visitor.get("/new/")
    run = visitor.post("/new/", manifest=manifest, kubernetes="1.33", seed="1")[0].split("/r/")[1].split("/")[0]
    found = re.search(r"--server=(\S+)", visitor.post(f"/r/{run}/door/", do="write")[1])
    assert found is not None
    return found[1]


async def _settled(door: str) -> None:
    """Let the run play until all its pods are running."""
    skip, name = door.replace("/k8s/", "@skip/k8s/"), "fieldSelector=metadata.name%3Dmany"
    async for line in lines(f"{skip}/apis/apps/v1/namespaces/default/deployments?watch=1&{name}"):
        if line["object"].get("status", {}).get("readyReplicas") == PODS_OF_RUN:
            return


def ask(url: str, *, method: str = "GET", body: Any = None, content_type: str = "application/merge-patch+json") -> Any:
    """The API's answer; raises urllib.error.HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": content_type, "User-Agent": AGENT})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


async def lines(url: str) -> AsyncIterator[Any]:
    """The lines of a watch, as they arrive."""
    parts = urllib.parse.urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port, limit=1 << 24)
    try:
        writer.write(f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nUser-Agent: {AGENT}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise ConnectionRefusedError(head)
        held = b""
        while size := int((await reader.readline()).strip() or b"0", 16):
            held += await reader.readexactly(size)
            await reader.readexactly(2)
            *whole, held = held.split(b"\n")
            for line in filter(None, whole):
                yield json.loads(line)
    finally:
        writer.close()


async def patient_lines(url: str) -> AsyncIterator[Any]:
    """The same for a client that retries while the site is busy, and so waits for its turn."""
    for _ in range(60):
        try:
            async for line in lines(url):
                yield line
        except ConnectionRefusedError:
            await asyncio.sleep(1)
        else:
            return


async def _behind(door: str) -> list[float]:
    """Milliseconds from the answer to a write until each watcher has received it."""
    heard: dict[str, list[float]] = {}
    await _settled(door)
    began = asyncio.Semaphore(0)

    async def watch(number: int) -> None:
        first = True
        async for line in patient_lines(f"{door}{PODS}?watch=1&labelSelector=app!%3Dnone{number % SELECTORS}"):
            if first:
                began.release()
                first = False
            mark = line["object"]["metadata"].get("annotations", {}).get("mark")
            if mark:
                heard.setdefault(mark, []).append(time.perf_counter())

    tasks = [asyncio.create_task(watch(number)) for number in range(WATCHERS)]
    try:
        async with asyncio.timeout(120):
            for _ in tasks:
                await began.acquire()
        answered = {}
        for number in range(10):
            patch = {"metadata": {"annotations": {"mark": str(number)}}}
            await asyncio.to_thread(ask, f"{door}{PODS}/marked", method="PATCH", body=patch)
            answered[str(number)] = time.perf_counter()
            deadline = time.perf_counter() + 30
            while len(heard.get(str(number), ())) < WATCHERS and time.perf_counter() < deadline:
                await asyncio.sleep(0.02)
        assert all(len(heard.get(mark, ())) == WATCHERS for mark in answered), {mark: len(heard.get(mark, ())) for mark in answered}
        return sorted(max(0.0, at - answered[mark]) * 1000 for mark, moments in heard.items() for at in moments)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def test_a_hundred_watchers_of_two_hundred_pods_all_hear_of_each_write(site: Server) -> None:
    behind = asyncio.run(_behind(door_of(site, template("many"))))
    assert len(behind) == 10 * WATCHERS
    # With -s on an idle machine: their delay after the answer to the write.
    print(f"p50 {behind[len(behind) // 2]:.0f} ms, p95 {behind[len(behind) * 95 // 100]:.0f} ms behind")  # noqa: T201


CONFIGS = "/api/v1/namespaces/default/configmaps"
ONE = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: app, image: 'nginx:1.27'}]}\n"
WRITERS, KILLED_AFTER = 4, 8
FEW, MANY = 80, 1000
"""Number of writes that informers follow, and the number with --all-stories: each costs the site 0.1 s of CPU."""
IN_PYTHON = """\
import json, sys, urllib3
from kubernetes import client, watch
configuration = client.Configuration()
configuration.host = sys.argv[1]
maps = client.CoreV1Api(client.ApiClient(configuration)).list_namespaced_config_map
def tell(word, item):
    print(json.dumps([word, item.metadata.name, int(item.metadata.resource_version or 0), (item.data or {}).get("n")]), flush=True)
first = maps("default")
position = first.metadata.resource_version
for item in first.items:
    tell("listed", item)
print(json.dumps(["ready", "", 0, ""]), flush=True)
while True:
    try:
        for event in watch.Watch().stream(maps, "default", resource_version=position):
            tell(event["type"], event["object"])
            position = event["object"].metadata.resource_version
    except (urllib3.exceptions.HTTPError, client.ApiException):
        pass
"""
IN_JAVASCRIPT = """\
import * as k8s from '@kubernetes/client-node';
const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const core = config.makeApiClient(k8s.CoreV1Api);
const said = (word, {metadata, data}) => [word, metadata.name, Number(metadata.resourceVersion), data?.n ?? null];
const tell = (word, item) => console.log(JSON.stringify(said(word, item)));
const maps = () => core.listNamespacedConfigMap({namespace: 'default'});
const informer = k8s.makeInformer(config, '/api/v1/namespaces/default/configmaps', maps);
informer.on('add', item => tell('ADDED', item));
informer.on('update', item => tell('MODIFIED', item));
informer.on('delete', item => tell('DELETED', item));
const start = () => informer.start().catch(again);
const again = () => setTimeout(start, 200);
informer.on('error', again);
await start();
console.log(JSON.stringify(['ready', '', 0, '']));
"""


class Copy:
    """An informer's content, and the resource versions it received."""

    def __init__(self) -> None:
        self.held: dict[str, str] = {}
        self.told: list[int] = []

    def hear(self, word: str, name: str, version: int, number: str | None) -> None:
        """Process a line of a watch. Raises AssertionError if it does not follow from the earlier ones."""
        if number is None:  # not created by the test
            return
        if word == "listed":
            self.held[name] = number
            return
        self.told.append(version)
        assert (word == "ADDED") == (name not in self.held), f"{word} of {name}"
        if word == "DELETED":
            del self.held[name]
        else:
            self.held[name] = number


class OwnInformer(Copy):
    """A list and then a watch, resumed where it ended if its connection breaks."""

    async def follow(self, door: str, ready: asyncio.Event) -> None:
        """Runs until it is cancelled."""
        found = await asyncio.to_thread(ask, f"{door}{CONFIGS}")
        for item in found["items"]:
            self.hear("listed", *_of(item))
        position = found["metadata"]["resourceVersion"]
        ready.set()
        while True:
            with suppress(OSError, EOFError, ValueError):
                async for line in lines(f"{door}{CONFIGS}?watch=1&allowWatchBookmarks=true&resourceVersion={position}"):
                    position = line["object"]["metadata"]["resourceVersion"]
                    if line["type"] != "BOOKMARK":
                        self.hear(line["type"], *_of(line["object"]))
            await asyncio.sleep(0.1)


def _of(item: Any) -> tuple[str, int, str | None]:
    metadata = item["metadata"]
    return metadata["name"], int(metadata.get("resourceVersion", 0)), item.get("data", {}).get("n")


class Program(Copy):
    """A separate client that prints what it receives. ``command`` returns its arguments for an address."""

    def __init__(self, command: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._command = command

    async def follow(self, door: str, ready: asyncio.Event) -> None:
        """Runs until it is cancelled; an uncaught error ends it, and so the test."""
        # In a session of its own: Node's wheel starts a program that starts the program.
        process = await asyncio.create_subprocess_exec(*self._command(door), stdin=DEVNULL, stdout=PIPE, start_new_session=True)
        assert process.stdout is not None
        try:
            while line := await process.stdout.readline():
                word, *rest = json.loads(line)
                if word == "ready":
                    ready.set()
                else:
                    self.hear(word, *rest)
            raise EOFError(self._command(door)[0])
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


@pytest.fixture
def copies(tmp_path: Path) -> list[Copy]:
    """Three informers: the test's own, and those of the Python and the JavaScript client."""
    python, script = python_with("kubernetes"), client_node(IN_JAVASCRIPT, tmp_path)

    def in_python(door: str) -> list[str]:
        return [str(python), "-c", IN_PYTHON, door]

    def in_javascript(door: str) -> list[str]:
        return [*script, str(kubeconfig(door, tmp_path, skips_tls=True))]

    return [OwnInformer(), Program(in_python), Program(in_javascript)]


class Writer:
    """A client that creates, changes and deletes ConfigMaps of its own. Each has an address of its own, as in a class."""

    def __init__(self, door: str, number: int) -> None:
        parts = urllib.parse.urlsplit(door)
        assert parts.hostname is not None
        self._path, self._name = f"{parts.path}{CONFIGS}", f"w{number}"
        self._line = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60, source_address=(f"127.0.0.{10 + number}", 0))

    def write(self, numbers: range) -> None:
        """One write per number: of four, one creates, two change, and the last deletes or changes."""
        try:
            for number in numbers:
                self._one(f"{self._name}-{number // 4}", number)
        finally:
            self._line.close()

    def _one(self, name: str, number: int) -> None:
        step, data = number % 4, {"data": {"n": str(number)}}
        if step == 0:
            self._ask("POST", "", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **data}, "application/json")
        elif step < 3 or number // 4 % 2:
            self._ask("PATCH", f"/{name}", data, "application/merge-patch+json")
        else:
            self._ask("DELETE", f"/{name}", None, "application/json")

    def _ask(self, method: str, tail: str, body: Any, content_type: str) -> None:
        headers = {"Content-Type": content_type, "User-Agent": AGENT}
        self._line.request(method, self._path + tail, None if body is None else json.dumps(body), headers)
        answer = self._line.getresponse()
        said = answer.read()
        assert answer.status in (200, 201), said


async def _followed(copies: list[Copy], door: str, writes: Callable[[], Awaitable[Any]]) -> None:
    """Have them follow during the writes, and until each equals a list."""
    began = [asyncio.Event() for _ in copies]
    tasks = [asyncio.create_task(copy.follow(door, ready)) for copy, ready in zip(copies, began, strict=True)]

    async def until(is_so: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not is_so() and time.monotonic() < deadline:
            assert not any(task.done() for task in tasks), [task.exception() for task in tasks if task.done()]
            await asyncio.sleep(0.1)

    try:
        await until(lambda: all(ready.is_set() for ready in began), 60)
        await writes()
        listed = (_of(item) for item in (await asyncio.to_thread(ask, f"{door}{CONFIGS}"))["items"])
        last = {name: number for name, _, number in listed if number is not None}
        await until(lambda: all(copy.held == last for copy in copies), 60)
        assert [copy.held for copy in copies] == [last] * len(copies)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.timeout(900)
def test_three_informers_follow_many_writes(site: Server, copies: list[Copy], request: pytest.FixtureRequest) -> None:
    door = door_of(site, ONE)
    count = MANY if request.config.getoption("--all-stories") else FEW

    async def writes() -> None:
        await asyncio.gather(*(asyncio.to_thread(Writer(door, number).write, range(count // WRITERS)) for number in range(WRITERS)))

    asyncio.run(_followed(copies, door, writes))
    for copy in copies:
        assert copy.told == sorted(set(copy.told))
        assert len(copy.told) == count


def test_clients_of_a_killed_process_come_back_and_miss_nothing(site: Server, copies: list[Copy]) -> None:
    door = door_of(site, ONE)

    async def writes() -> None:
        await asyncio.to_thread(Writer(door, 0).write, range(KILLED_AFTER))
        await asyncio.to_thread(site.kill)
        await asyncio.to_thread(site.start)
        await asyncio.to_thread(Writer(door, 1).write, range(KILLED_AFTER))

    asyncio.run(_followed(copies, door, writes))
    for copy in copies:
        # A JavaScript informer lists again, and reports what a list shows in the order of names.
        assert len(copy.told) == len(set(copy.told))
    assert copies[0].told == sorted(copies[0].told)
    assert len(copies[0].told) == 2 * KILLED_AFTER


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_of_two_writers_with_one_resource_version_one_is_refused(site: Server, method: str) -> None:
    door = door_of(site, ONE)
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"n": "0"}}
    held = ask(f"{door}{CONFIGS}", method="POST", body=body, content_type="application/json")
    kind = "application/json" if method == "PUT" else "application/merge-patch+json"

    def write(number: int) -> int:
        changed = {**held, "data": {"n": str(number)}}
        changed["metadata"] = {"name": "c", "resourceVersion": held["metadata"]["resourceVersion"]}
        try:
            ask(f"{door}{CONFIGS}/c", method=method, body=changed, content_type=kind)
        except urllib.error.HTTPError as error:
            return error.code
        return 200

    with ThreadPoolExecutor(2) as writers:
        assert sorted(writers.map(write, (1, 2))) == [200, 409]
