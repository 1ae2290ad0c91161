"""A cluster that runs while clients talk to it: ``manage.py cluster`` itself, with its time faster than the clock."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
POD = {
    "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default"},
    "spec": {"containers": [{"name": "a", "image": "nginx:1.27"}]},
}  # fmt: skip
"""A pod for clients to make."""


@contextmanager
def cluster_of(kubernetes: str, *options: str) -> Iterator[str]:
    """The address of a cluster of that version, which passes ten seconds a second. Fails where the server failed."""
    command = [sys.executable, str(ROOT / "manage.py"), "cluster", "--kubernetes", kubernetes, "--rate", "10", "--save", "", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None, process.communicate(timeout=SECONDS)
        yield found[0]
    finally:
        process.terminate()
        said = process.communicate(timeout=SECONDS)[1]
    assert "Traceback" not in said, said
