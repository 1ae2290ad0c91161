"""A runner in its own process, started by the web process: it drives runs until it is told to stop or the web process is gone."""

import asyncio
import os
import signal
import socket
import sys
from typing import Any

from channels.layers import channel_layers
from django.conf import settings

from lifecycle_site.ending import leave
from lifecycle_site.memory import limit_memory
from simulator.runs.drive.forking import name_process
from simulator.runs.drive.pool import RunnerPool
from simulator.runs.turns.constants import RUNNER_NICE, SWITCH_S
from simulator.runs.wire.switch import Link, UplinkLayer

BEAT_S = 1.0


def run_child(sock: socket.socket, *, memory_mib: int, sweeps: bool) -> None:
    """Run the whole process. With ``sweeps`` it also works on sweeps and deletes old runs, which one process does for all."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches the whole group of processes; the web process says when to stop
    name_process("runner")
    os.nice(RUNNER_NICE)
    limit_memory(memory_mib)
    sys.setswitchinterval(SWITCH_S)
    try:
        asyncio.run(_Child(sock, sweeps=sweeps).live())
    except Exception as error:
        sys.stderr.write(f"A runner stopped: {type(error).__name__}: {error}\n")
        leave(1)
    leave(0)


class _Child:
    def __init__(self, sock: socket.socket, *, sweeps: bool) -> None:
        self._link = Link(sock, self._on_message)
        self._layer = UplinkLayer(self._link) if not settings.REDIS_URL else None
        self._pool = RunnerPool(on_ready=lambda: self._link.send("ready"), is_keeper=sweeps, is_renewed=True)

    async def live(self) -> None:
        """Serve until told to stop, or until the web process is gone."""
        if self._layer is not None:
            channel_layers.set("default", self._layer)
        # If an operator sends SIGTERM to this process alone, the web process starts another one.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._pool.stop)
        hearing = asyncio.create_task(self._hear())
        beating = asyncio.create_task(self._beat())
        try:
            await self._pool.serve()
        finally:
            hearing.cancel()
            beating.cancel()

    async def _hear(self) -> None:
        # ``serve`` returns when the web process is gone, even if it was killed: there is nobody left to announce to, so runs are given
        # back.
        await self._link.serve()
        self._pool.stop()

    async def _beat(self) -> None:
        while True:
            self._link.send("beat", {"spent": self._pool.is_spent})
            await asyncio.sleep(BEAT_S)

    async def _on_message(self, word: str, content: Any) -> None:
        if word == "stop":
            self._pool.stop()
        elif word == "group" and self._layer is not None:
            await self._layer.heard(*content)
