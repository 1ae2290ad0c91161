"""Machines of a network, as far as Linux can pretend them: a network namespace and a host name for each (``ip netns``; root).

In the middle is a namespace with a bridge, where the coordinator and the visitors are; nothing of it touches the network of the real
machine. Visitors have addresses of a network of their own, all of which the middle answers for.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct

from simulator.bench.frames import LOCAL

MIDDLE = "10.77.0.1"
NETWORK = "10.77.0.0/24"
VISITORS = "10.78"
WEB_PORT = 8000
_NAMED = 'echo "$1" > /proc/sys/kernel/hostname && shift && exec "$@"'


class MachinePlace(Struct, frozen=True, kw_only=True):
    """Where a machine is: ``words`` begin a command that is to run on it, which replaces them: its process id is that of the command.

    ``port`` is one that its web process may have; 0 where any free one will do.
    """

    name: str
    host: str = LOCAL
    port: int = 0
    words: Sequence[str] = ()


class BenchNetwork(Struct, frozen=True, kw_only=True):
    """The machines and the middle, where PostgreSQL, Redis and visitors are: ``words`` begin a command that is to run there.

    ``address`` is what machines reach it by and ``network`` where they are; both are empty where there are no namespaces.
    """

    machines: Sequence[MachinePlace]
    words: Sequence[str] = ()
    address: str = ""
    network: str = ""
    visitors: str = "127.0"


def why_not() -> str:
    """What keeps this user from making namespaces; empty where nothing does."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "there is no command ip (Debian: apt-get install --yes iproute2)"
    name = f"podscope-{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True, text=True)
    subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)
    return "" if tried.returncode == 0 else f"ip netns: {tried.stderr.strip()}"


@contextmanager
def namespaces(count: int) -> Iterator[BenchNetwork]:
    """So many machines with namespaces of their own, which are gone afterwards. Raises CalledProcessError where the system refuses."""
    middle = f"podscope-{os.getpid()}"
    names = [f"{middle}-{number}" for number in range(1, count + 1)]
    machines = [_machine(name, number) for number, name in enumerate(names, 1)]
    try:
        _ip("netns", "add", middle)
        _ip("-n", middle, "link", "set", "lo", "up")
        _ip("-n", middle, "link", "add", "middle", "type", "bridge")
        _ip("-n", middle, "address", "add", f"{MIDDLE}/24", "dev", "middle")
        _ip("-n", middle, "link", "set", "middle", "up")
        # Every address of the visitors' network is one of the middle's own.
        _ip("-n", middle, "route", "add", "local", f"{VISITORS}.0.0/16", "dev", "lo")
        for number, machine in enumerate(machines, 1):
            _plug_in(middle, f"machine{number}", machine)
        words = ("ip", "netns", "exec", middle)
        yield BenchNetwork(machines=machines, words=words, address=MIDDLE, network=NETWORK, visitors=VISITORS)
    finally:
        for name in (*names, middle):  # a cable goes with either of its ends
            with suppress(subprocess.CalledProcessError):
                _empty(name)
                _ip("netns", "delete", name)


def processes_alone(count: int) -> BenchNetwork:
    """So many machines in name only: their processes share this machine's network."""
    return BenchNetwork(machines=[MachinePlace(name=f"machine{number}") for number in range(1, count + 1)])


def _machine(name: str, number: int) -> MachinePlace:
    words = ("ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", _NAMED, "sh", f"machine{number}")
    return MachinePlace(name=name, host=f"10.77.0.{10 + number}", port=WEB_PORT, words=words)


def _plug_in(middle: str, cable: str, machine: MachinePlace) -> None:
    _ip("netns", "add", machine.name)
    _ip("-n", middle, "link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", machine.name)
    _ip("-n", middle, "link", "set", cable, "master", "middle", "up")
    _ip("-n", machine.name, "link", "set", "lo", "up")
    _ip("-n", machine.name, "address", "add", f"{machine.host}/24", "dev", "eth0")
    _ip("-n", machine.name, "link", "set", "eth0", "up")
    _ip("-n", machine.name, "route", "add", "default", "via", MIDDLE)


def _empty(name: str) -> None:
    """End whatever still runs in a namespace, as where the bench was interrupted: it would keep the namespace."""
    for pid in _ip("netns", "pids", name).split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout
