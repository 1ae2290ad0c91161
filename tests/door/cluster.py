"""A running cluster for clients: the real ``manage.py cluster``, with its time faster than real time."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

NURSERY = Path(__file__).parent / "nursery.py"
POD = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "a", "image": "nginx:1.27"}]},
}  # fmt: skip
"""A pod for clients to create."""


@cache
def _nursery() -> "subprocess.Popen[str]":
    """The process that clusters are forked from, one for all tests of this process. It ends when its input is closed."""
    return subprocess.Popen([sys.executable, str(NURSERY)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)


def _answer(**asked: object) -> int:
    nursery = _nursery()
    assert nursery.stdin is not None and nursery.stdout is not None
    nursery.stdin.write(json.dumps(asked) + "\n")
    return int(nursery.stdout.readline())


@contextmanager
def cluster_of(kubernetes: str, *options: str) -> Iterator[str]:
    """The address of a cluster of that version, at ten times real time. Fails if the server failed."""
    words = ["--kubernetes", kubernetes, "--rate", "10", "--save", "", *options]
    with tempfile.TemporaryDirectory(prefix="podscope-") as folder:
        stdout, stderr = Path(folder) / "stdout", Path(folder) / "stderr"
        os.mkfifo(stdout)
        stderr.touch()
        process = _answer(words=words, stdout=str(stdout), stderr=str(stderr))
        try:
            with stdout.open() as said:
                found = re.search(r"http://\S+", said.readline())
                assert found is not None, stderr.read_text()
                yield found[0]
        finally:
            os.kill(process, signal.SIGTERM)
            _answer(ended=process)
        assert "Traceback" not in stderr.read_text()
