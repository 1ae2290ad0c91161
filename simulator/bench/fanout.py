"""How many viewers one process can serve: our sockets compared with a plain ``group_send`` of the same payload, over real connections.

The server and the viewers are separate processes. First, frames are sent at a steady rate and their delay is measured; then the same number
at once, and the time until every viewer has every record gives the capacity.
"""

import json
import os
import subprocess
import sys
import tempfile

from msgspec import Struct

STEADY_FRAMES = 50
FLOOD_FRAMES = 50
RECORDS_A_FRAME = 50
KINDS = ("podscope", "plain")


class Fanout(Struct, frozen=True, kw_only=True):
    """The figures of one kind of socket.

    ``delivered`` is the share of records that arrived at the steady rate, ``p50_ms`` and ``p99_ms`` their delay from sending to the
    viewer's process, ``deliveries_s`` the records per second that all viewers together received when everything came at once.
    """

    kind: str
    viewers: int
    delivered: float
    p50_ms: int
    p99_ms: int
    deliveries_s: int
    flood_delivered: float


def measure(kind: str, *, viewers: int = 200, frames_s: int = 10) -> Fanout:
    """Measure one kind on a temporary database. Takes about ten seconds. Raises CalledProcessError if a process fails."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {
            "PODSCOPE_DATA_DIR": folder,
            "PODSCOPE_SOCKETS_PER_ADDRESS_MAX": str(viewers + 1),
            "DJANGO_SETTINGS_MODULE": "lifecycle_site.settings",
        }
        command = [sys.executable, "-m", "simulator.bench.fanout_server", kind, str(viewers), str(frames_s)]
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            address = server.stdout.readline().split()
            client = [sys.executable, "-m", "simulator.bench.fanout_client", *address, str(viewers)]
            done = subprocess.run(client, env=environment, capture_output=True, text=True, timeout=120, check=True)
            figures = json.loads(done.stdout)
        finally:
            server.kill()
            server.communicate()
    return Fanout(kind=kind, viewers=viewers, **figures)


def compare(*, viewers: int = 200, frames_s: int = 10) -> tuple[Fanout, Fanout, float]:
    """Both kinds and the ratio of their capacities."""
    ours, plain = (measure(kind, viewers=viewers, frames_s=frames_s) for kind in KINDS)
    return ours, plain, ours.deliveries_s / max(1, plain.deliveries_s)
