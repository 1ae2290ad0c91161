"""Many clients on one run of a real site: how far behind they are, and that each is told everything once and in order."""

import asyncio
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.door.test_site import Visitor
from tests.e2e.site import Server

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
    server = Server(tmp_path_factory.mktemp("site"))
    server.prepare()
    server.start()
    try:
        yield server
    finally:
        server.stop()


def door_of(site: Server, manifest: str) -> str:
    """The address of the API of a new run, with a key that writes."""
    visitor = Visitor(site.url)
    visitor.get("/new/")
    run = visitor.post("/new/", manifest=manifest, kubernetes="1.33", seed="1")[0].split("/r/")[1].split("/")[0]
    found = re.search(r"--server=(\S+)", visitor.post(f"/r/{run}/door/", do="write")[1])
    assert found is not None
    return found[1]


async def _settled(door: str) -> None:
    """Play the run on until every pod of it runs."""
    skip, name = door.replace("/k8s/", "@skip/k8s/"), "fieldSelector=metadata.name%3Dmany"
    async for line in lines(f"{skip}/apis/apps/v1/namespaces/default/deployments?watch=1&{name}"):
        if line["object"].get("status", {}).get("readyReplicas") == PODS_OF_RUN:
            return


def ask(url: str, *, method: str = "GET", body: Any = None, content_type: str = "application/merge-patch+json") -> Any:
    """What the API answers; raises urllib.error.HTTPError."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method, headers={"Content-Type": content_type, "User-Agent": AGENT})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


async def lines(url: str) -> AsyncIterator[Any]:
    """The lines of a watch, as they come."""
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
    """The same of a client that asks again where the site is busy, and so waits for its turn."""
    for _ in range(60):
        try:
            async for line in lines(url):
                yield line
        except ConnectionRefusedError:
            await asyncio.sleep(1)
        else:
            return


async def _behind(door: str) -> list[float]:
    """Milliseconds from when a write was answered until each watcher heard of it."""
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
    # With -s on a quiet machine: how far behind the answer to the write they hear of it.
    print(f"p50 {behind[len(behind) // 2]:.0f} ms, p95 {behind[len(behind) * 95 // 100]:.0f} ms behind")  # noqa: T201


CONFIGS = "/api/v1/namespaces/default/configmaps"
ONE = "apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec: {containers: [{name: app, image: 'nginx:1.27'}]}\n"


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
