"""Daphne, and the runner processes that its event loop supervises: everything a site needs, from one command.

Daphne has no start-up hooks, keeps serving when a task in its loop dies, and always exits with 0; so here the processes are started and
stopped by Twisted's own events, and if they cannot be kept alive, the server stops and says so.
"""

import asyncio
import errno
import logging
import socket
from collections.abc import Callable
from typing import Any

from daphne.endpoints import build_endpoint_description_strings
from daphne.server import twisted_loop
from twisted.internet import reactor as installed_reactor
from twisted.internet.defer import Deferred

from lifecycle_site.server import BoundedServer
from simulator.runs.drive.forking import start_fork_server
from simulator.runs.drive.processes import RunnerProcesses

reactor: Any = installed_reactor  # chosen at run time, which its types cannot express

PORT_ERRORS = {errno.EADDRINUSE, errno.EACCES}
DRAIN_S = 10.0
SOCKET_LIFE_S = 4 * 3600

log = logging.getLogger(__name__)


def port_problem(host: str, port: int) -> str:
    """Explain in one line why the port cannot be used and what to do; empty if it is free. Port 0 means any free port."""
    if not 0 <= port <= 65535:
        return f"There is no port {port}. Choose another one: make run PORT=8000"
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            hint = f"PORT={port + 1 if 1023 < port < 65535 else 8000}" if error.errno in PORT_ERRORS else "HOST=127.0.0.1"
            return f"Cannot listen on {host}:{port}: {error.strerror or error}. Choose another place: make run {hint}"
    return ""


class SiteServer:
    """The whole site. ``run`` blocks until SIGINT or SIGTERM, or raises if the runners cannot be kept alive."""

    def __init__(self, *, application: Any, host: str, port: int, on_run: Callable[[], None], on_ready: Callable[[], None]) -> None:
        self._runners = RunnerProcesses(start_fork_server(), on_ready=on_ready)
        self._task: asyncio.Task[None] | None = None
        self._failure: BaseException | None = None
        self._server = BoundedServer(
            application=application,
            on_run=on_run,
            endpoints=build_endpoint_description_strings(host=host, port=port),
            ready_callable=lambda: reactor.callWhenRunning(self._start),  # which is after signal handlers are installed
            websocket_timeout=SOCKET_LIFE_S,
            server_name="podscope",
            verbosity=0,
        )

    def run(self) -> None:
        """Serve. Raises the error that ended the runners or kept the server from listening, if any."""
        self._server.run()
        failure = self._failure or self._server.failure
        if failure is not None:
            raise failure

    def _start(self) -> None:
        self._task = twisted_loop.create_task(self._runners.serve())
        self._task.add_done_callback(self._ended)
        reactor.addSystemEventTrigger("before", "shutdown", self._drain)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        if task.cancelled() or task.exception() is None:
            return
        self._failure = task.exception()
        log.critical("The runners cannot be kept alive; stopping the server", exc_info=self._failure)
        if reactor.running:
            reactor.stop()

    def _drain(self) -> "Deferred[Any]":
        """Let the runs be written and given back before the process exits, for at most DRAIN_S."""
        self._runners.stop()
        return Deferred.fromFuture(asyncio.ensure_future(self._wait(), loop=twisted_loop))

    async def _wait(self) -> None:
        if self._task is not None:
            await asyncio.wait([self._task], timeout=DRAIN_S)
