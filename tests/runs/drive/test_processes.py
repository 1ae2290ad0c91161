"""The runners that a site starts: replaced when they die or go silent, given up when nothing helps."""

import asyncio
import socket
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace

import pytest

from simulator.runs.drive import processes
from simulator.runs.drive.forking import memory_share
from simulator.runs.drive.processes import RunnerProcesses, RunnersLost
from simulator.runs.wire.switch import Link


class FakeProcess:
    """A process inside the test: it communicates through the socket that it was given."""

    def __init__(self, sock):
        self._given, self.exitcode, self.words = sock, None, []

    def start(self):
        self.sock = self._given.dup()

    async def live(self):
        """Report that it is ready, and receive."""
        self.link = Link(self.sock, self.told)
        self.link.send("ready")
        await self.link.serve()

    async def told(self, word, content):
        self.words.append(word)
        if word == "stop":
            self.exitcode = 0
            self.sock.shutdown(socket.SHUT_RDWR)

    def join(self, timeout):
        pass

    def kill(self):
        if self.exitcode is None:
            self.exitcode = -9
            with suppress(OSError):
                self.sock.shutdown(socket.SHUT_RDWR)
        self.sock.close()


class FakeContext:
    def __init__(self):
        self.made, self.all = asyncio.Queue(), []

    def Process(self, *, target, name, daemon):  # noqa: N802 - as multiprocessing spells it
        process = FakeProcess(target.args[0])
        self.made.put_nowait(process)
        self.all.append(process)
        return process


@asynccontextmanager
async def running(context, **options):
    runners = RunnerProcesses(context, **options)
    serving = asyncio.create_task(runners.serve())
    try:
        async with asyncio.timeout(10):
            yield runners, serving
    finally:
        runners.stop()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        for process in context.all:
            process.kill()
            if hasattr(process, "sock"):
                process.sock.close()


async def started(context):
    """The next process, once it has its socket."""
    process = await context.made.get()
    while not hasattr(process, "sock"):
        await asyncio.sleep(0.001)
    return process


@pytest.fixture
def one_worker(settings, monkeypatch):
    settings.SIM_WORKERS = 1
    monkeypatch.setattr(processes, "AGAIN_S", 0)


async def test_site_is_ready_when_a_runner_is(one_worker):
    ready, context = asyncio.Event(), FakeContext()
    async with running(context, on_ready=ready.set):
        living = asyncio.create_task((await started(context)).live())
        await ready.wait()
        living.cancel()


async def test_runner_that_ends_is_replaced(one_worker, caplog):
    context = FakeContext()
    async with running(context):
        (await started(context)).kill()
        await started(context)
    assert "exit code -9" in caplog.text


async def test_runner_that_goes_silent_is_ended_and_replaced(one_worker, monkeypatch, caplog):
    monkeypatch.setattr(processes, "SILENT_S", 0.5)
    monkeypatch.setattr(processes, "LOOK_S", 0.05)
    context = FakeContext()
    async with running(context):
        first = await started(context)
        await started(context)
        assert first.exitcode == -9
    assert "silent" in caplog.text


async def test_runner_is_asked_to_stop(one_worker):
    context = FakeContext()
    async with running(context) as (runners, serving):
        process = await started(context)
        living = asyncio.create_task(process.live())
        await asyncio.sleep(0.01)
        runners.stop()
        await serving
        await living
    assert process.words == ["stop"]


async def living(context):
    """The next process, which sends and receives, and the task in which it does."""
    process = await started(context)
    return process, asyncio.create_task(process.live())


async def test_spent_runner_stops_once_a_fresh_one_takes_runs_and_is_not_missed(one_worker, caplog):
    context = FakeContext()
    async with running(context):
        spent, _ = await living(context)
        while not hasattr(spent, "link"):
            await asyncio.sleep(0.001)
        spent.link.send("beat", {"spent": False})
        spent.link.send("beat", {"spent": True})
        fresh = await started(context)
        assert spent.words == []  # there must be a runner
        _ = asyncio.create_task(fresh.live())
        while spent.words != ["stop"]:
            await asyncio.sleep(0.001)
        assert (context.made.empty(), fresh.words) == (True, [])
    assert "lost" not in caplog.text


async def test_spent_runner_goes_on_until_one_that_could_start_takes_runs(one_worker, caplog):
    context = FakeContext()
    async with running(context):
        spent, _ = await living(context)
        while not hasattr(spent, "link"):
            await asyncio.sleep(0.001)
        spent.link.send("beat", {"spent": True})
        (await started(context)).kill()
        fresh = await started(context)
        assert spent.words == []
        _ = asyncio.create_task(fresh.live())
        while spent.words != ["stop"]:
            await asyncio.sleep(0.001)
    assert "exit code -9" in caplog.text


async def test_site_that_stops_waits_for_the_spent_runner_too(one_worker):
    context = FakeContext()
    async with running(context) as (runners, serving):
        spent, _ = await living(context)
        while not hasattr(spent, "link"):
            await asyncio.sleep(0.001)
        spent.link.send("beat", {"spent": True})
        fresh, _ = await living(context)
        runners.stop()
        await serving
        assert (spent.exitcode, fresh.exitcode) == (0, 0)


async def test_runners_that_cannot_live_end_the_site(one_worker):
    context = FakeContext()

    async def doom():
        while True:
            (await started(context)).kill()

    async with running(context) as (_, serving):
        dooming = asyncio.create_task(doom())
        with pytest.raises(RunnersLost):
            await serving
        dooming.cancel()


@pytest.mark.parametrize(("site", "workers", "each"), [(0, 2, 0), (4096, 2, 2048), (300, 4, 256)])
def test_workers_share_the_memory_of_the_site(settings, site, workers, each):
    settings.MEMORY_MB = site
    assert memory_share(workers) == each


@pytest.mark.parametrize(("took_s", "is_excused"), [(processes.SILENT_S / 4, False), (processes.SILENT_S / 4 + 0.5, True)])
async def test_runner_is_not_silent_while_its_site_stood_still(monkeypatch, took_s, is_excused):
    now_s, naps = [1000.0], []

    async def sleep(_s):
        naps.append(_s)
        if len(naps) > 1:
            raise asyncio.CancelledError
        now_s[0] += took_s

    loop = SimpleNamespace(time=lambda: now_s[0])
    monkeypatch.setattr(processes, "asyncio", SimpleNamespace(get_running_loop=lambda: loop, sleep=sleep))
    killed = []
    runner = SimpleNamespace(_last_message_s=1000.0 - processes.SILENT_S, kill=lambda: killed.append(True))
    with pytest.raises(asyncio.CancelledError):
        await processes._Runner._watch(runner)
    assert killed == ([] if is_excused else [True])
