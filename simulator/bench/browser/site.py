"""A site of its own for measuring: a process on a throw-away data folder."""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

STARTED = "is running on "


@contextmanager
def measured_site() -> Iterator[str]:
    """The address of a server that is ready. Takes about ten seconds to start. Raises RuntimeError where it does not."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PODSCOPE_DATA_DIR": folder, "PYTHONUNBUFFERED": "1"}
        command = [sys.executable, "manage.py", "serve", "--prepare", "--port", str(_free_port())]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert server.stdout is not None
        try:
            line = server.stdout.readline()
            if STARTED not in line:
                raise RuntimeError("the site did not start")
            yield line.split(STARTED)[1].split("/ ")[0]
        finally:
            server.kill()
            server.communicate()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
