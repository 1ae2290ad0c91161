"""The runners that the web process starts: one process per core, replaced when it dies or no longer answers.

They are forked from a process that has imported everything but never served a request (multiprocessing's fork server), so they start
quickly and share the memory of the code. The state of its runs is in the log; its replacement frees its leases and takes them over.

A process that has worked keeps much of the memory it needed, however little is left to do: the heap is fragmented, and pages that were
written to are no longer shared. So a spent process (``RunnerPool.is_spent``) is asked to stop as soon as a fresh one takes runs. Until
then, for some seconds, it leaves new runs to the fresh one.
"""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.process import BaseProcess
from typing import Any

from channels.layers import get_channel_layer
from django.conf import settings

from simulator.runs.drive.child import run_child
from simulator.runs.drive.forking import memory_share
from simulator.runs.wire import announce
from simulator.runs.wire.switch import Link, SwitchLayer

SILENT_S = 20.0
"""A process sends a heartbeat every second. One that has been silent for this long is frozen or hanging, and is killed."""
LOOK_S = 1.0
STOP_S = 8.0
LOSSES_MAX, LOSSES_S = 6, 60.0
"""If this many processes are lost within this time, something is wrong that restarting does not fix."""
AGAIN_S = 0.5

log = logging.getLogger(__name__)


class RunnersLost(Exception):
    """Raised when runner processes keep dying."""


class RunnerProcesses:
    """SIM_WORKERS runner processes. ``serve`` runs until ``stop``; it raises RunnersLost if they cannot be kept alive.

    ``on_ready`` is called once, when the first of them accepts runs.
    """

    def __init__(self, context: Any, *, on_ready: Callable[[], None] = lambda: None) -> None:
        self._context, self._on_ready = context, on_ready
        self._living: set[_Runner] = set()
        self._losses: deque[float] = deque(maxlen=LOSSES_MAX)
        self._stopping = asyncio.Event()
        self._is_ready = False

    async def serve(self) -> None:
        """Keep the processes alive until stopped, then shut them down properly."""
        keeping = [asyncio.create_task(self._keep(number)) for number in range(settings.SIM_WORKERS)]
        try:
            await asyncio.gather(*keeping)
            await asyncio.gather(*(runner.wait_ended() for runner in self._living))
        finally:
            self.stop()
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            await asyncio.gather(*(runner.end() for runner in self._living), return_exceptions=True)

    def stop(self) -> None:
        """Let every run be written and given back; ``serve`` then returns."""
        if not self._stopping.is_set():
            self._stopping.set()
            for runner in self._living:
                runner.stop()

    async def _keep(self, number: int) -> None:
        spent: _Runner | None = None
        while not self._stopping.is_set():
            runner = _Runner(self._context, on_ready=partial(self._ready, instead_of=spent), is_keeper=number == 0)
            self._living.add(runner)
            # It stays among the living until it has exited: a spent one carries on beside its successor.
            await runner.until_spent(on_over=partial(self._living.discard, runner))
            if self._stopping.is_set():
                break
            # Not a loss. The next round starts the successor, which stops this one once it accepts runs (``_ready``).
            if runner.is_spent:
                spent = runner
                continue
            log.error("A runner process was lost (%s); its runs are taken over", runner.fate)
            self._note_loss()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), AGAIN_S)

    def _note_loss(self) -> None:
        now_s = asyncio.get_running_loop().time()
        self._losses.append(now_s)
        if len(self._losses) == LOSSES_MAX and now_s - self._losses[0] < LOSSES_S:
            raise RunnersLost(f"{LOSSES_MAX} runner processes in a row were lost within {LOSSES_S:.0f} s")

    def _ready(self, *, instead_of: "_Runner | None") -> None:
        if not self._is_ready:
            self._is_ready = True
            self._on_ready()
        if instead_of is not None:
            instead_of.stop()


class _Runner:
    """One process from its start to its end, and the link to it."""

    def __init__(self, context: Any, *, on_ready: Callable[[], None], is_keeper: bool) -> None:
        self._on_ready = on_ready
        own, self._other = socket.socketpair()
        self._link = Link(own, self._on_message)
        child = partial(run_child, self._other, memory_mib=memory_share(settings.SIM_WORKERS), sweeps=is_keeper)
        self._process: BaseProcess = context.Process(target=child, name="runner", daemon=True)
        self._last_message_s = 0.0
        self._life: asyncio.Task[None] | None = None
        self._spent, self._is_asked_to_stop = asyncio.Event(), False
        self.fate = ""

    async def until_spent(self, *, on_over: Callable[[], None]) -> None:
        """Start the process and listen to it until it exits or is spent; a spent one carries on until it is told to stop."""
        self._life = asyncio.create_task(self._live_through(on_over))
        spent = asyncio.create_task(self._spent.wait())
        try:
            # Not cancelled with this task: the process outlives it, and must be listened to until it exits.
            await asyncio.wait([self._life, spent], return_when=asyncio.FIRST_COMPLETED)
        finally:
            spent.cancel()
        if self._life.done():
            self._life.result()

    @property
    def is_spent(self) -> bool:
        """Whether the process is alive and should be replaced."""
        return self._spent.is_set() and self._life is not None and not self._life.done()

    async def wait_ended(self) -> None:
        """Wait until the process has exited."""
        if self._life is not None:
            await asyncio.wait([self._life])

    async def end(self) -> None:
        """Kill the process, and stop listening to it."""
        self.kill()
        if self._life is not None:
            self._life.cancel()
            await self.wait_ended()

    async def _live_through(self, on_over: Callable[[], None]) -> None:
        """Start the process, and listen to it until it exits."""
        try:
            await self._live()
        finally:
            self._link.close()
            on_over()

    async def _live(self) -> None:
        loop, layer = asyncio.get_running_loop(), get_channel_layer()
        try:
            # Starting waits for the fork server, which may still be importing the site.
            await loop.run_in_executor(None, self._process.start)
        except (OSError, EOFError, MemoryError) as error:  # there are no resources for a process now
            self.fate = f"not started: {error}"
            return
        finally:
            # This end belongs to the child. While it is open here too, the link would not notice that the child is gone.
            self._other.close()
        self._last_message_s = loop.time()
        watching = asyncio.create_task(self._watch())
        if isinstance(layer, SwitchLayer):
            layer.attach(self._link, frozenset({announce.RUNNERS}))
        try:
            # The link closes when the process exits, for whatever reason. Then just wait for it.
            await self._link.serve()
            await loop.run_in_executor(None, self._process.join, STOP_S)
        finally:
            watching.cancel()
            if isinstance(layer, SwitchLayer):
                layer.detach(self._link)
            self.kill()
        self.fate = self.fate or f"exit code {self._process.exitcode}"

    def stop(self) -> None:
        """Ask it to shut down properly, and kill it after STOP_S."""
        if self._is_asked_to_stop:
            return
        self._is_asked_to_stop = True
        self._link.send("stop")
        # A hanging process does not react. Its runs are taken over when their leases expire.
        asyncio.get_running_loop().call_later(STOP_S, self.kill)

    def kill(self) -> None:
        """Kill it, whatever it is doing."""
        with suppress(ValueError, AttributeError):
            self._process.kill()

    async def _watch(self) -> None:
        """Kill a process that sends no heartbeats."""
        loop = asyncio.get_running_loop()
        before_s = loop.time()
        while True:
            await asyncio.sleep(LOOK_S)
            # After a suspended laptop or a blocked loop, the heartbeats are still unread in the socket.
            if loop.time() - before_s > SILENT_S / 4:  # it was this process that stood still
                self._last_message_s = loop.time()
            before_s = loop.time()
            if loop.time() - self._last_message_s > SILENT_S:
                self.fate = f"silent for {SILENT_S:.0f} s"
                self.kill()

    async def _on_message(self, word: str, content: Any) -> None:
        self._last_message_s = asyncio.get_running_loop().time()
        if word == "ready":
            self._on_ready()
        elif word == "beat" and content["spent"]:
            self._spent.set()
        elif word == "group":
            layer = get_channel_layer()
            assert layer is not None
            await layer.group_send(*content)
