"""A cluster's address for as long as a command runs: Daphne on the loopback interface, and the command with a matching environment."""

import asyncio
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from daphne.server import twisted_loop
from twisted.internet import reactor as installed_reactor

from lifecycle_site.server import BoundedServer
from simulator.cluster.application import CLOCK, ClusterApplication
from simulator.door.kubeconfig import DoorContext, kubeconfig
from simulator.kubectl.context import CONTEXT

reactor: Any = installed_reactor  # chosen at run time, which its types cannot express
HOST = "127.0.0.1"
NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""The exit codes of a shell for a command that does not exist or cannot be executed."""


class ClusterServer:
    """Serves until the command has ended, or until it is stopped.

    ``exit_code`` is that of the command, 0 without one; ``problem`` says why it did not start.
    """

    def __init__(self, application: ClusterApplication, *, key: str, namespace: str, port: int, folder: Path) -> None:
        self._application, self._key, self._namespace, self._folder = application, key, namespace, folder
        self._server = BoundedServer(
            application=application,
            endpoints=[f"tcp:port={port}:interface={HOST}"],
            ready_callable=lambda: reactor.callWhenRunning(self._ready),
            server_name="podscope",
            verbosity=0,
        )
        self._command: Sequence[str] = ()
        self._process: subprocess.Popen[bytes] | None = None
        self._on_ready: Callable[[str, Path], None] | None = None
        self.exit_code, self.problem = 0, ""

    def run(self, command: Sequence[str], on_ready: Callable[[str, Path], None] | None = None) -> None:
        """Serve. ``on_ready`` gets the address and the kubeconfig once clients can connect. Raises OSError if it cannot listen."""
        self._command, self._on_ready = command, on_ready
        self._server.run()
        if self._server.failure is not None:
            raise self._server.failure

    def _ready(self) -> None:
        if not self._server.listening_addresses:
            return
        url = f"http://{HOST}:{self._server.listening_addresses[0][1]}/{self._key}"
        path = self._folder / "kubeconfig"
        path.write_text(kubeconfig([DoorContext(name=CONTEXT, server=url)], token="", namespace=self._namespace), encoding="utf-8")
        path.chmod(0o600)
        time_passes = twisted_loop.create_task(self._application.keep_time())
        reactor.addSystemEventTrigger("before", "shutdown", time_passes.cancel)
        time_passes.add_done_callback(self._failed)
        if self._on_ready is not None:
            self._on_ready(url, path)
        if self._command:
            reactor.addSystemEventTrigger("before", "shutdown", self._end)
            threading.Thread(target=self._run_command, args=(url, path), daemon=True).start()

    def _failed(self, task: "asyncio.Task[None]") -> None:
        if not task.cancelled() and task.exception() is not None:
            self._server.failure = task.exception()
            self._server.stop()

    def _run_command(self, url: str, kubeconfig: Path) -> None:
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "PODSCOPE_CLOCK": f"{url}{CLOCK}"}
        try:
            self._process = subprocess.Popen(self._command, env=environment)
            code = self._process.wait()
            # The way a shell reports a signal.
            self.exit_code = code if code >= 0 else 128 - code
        except OSError as error:
            self.problem = f"{self._command[0]}: {error.strerror}"
            self.exit_code = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
        reactor.callFromThread(self._server.stop)

    def _end(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
