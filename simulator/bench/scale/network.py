"""Machines on a network, as far as Linux can imitate them: a network namespace and a host name for each (``ip netns``; root).

In the middle is a namespace with a bridge, where the coordinator and the visitors are; the network of the real machine is not touched.
Visitors have addresses in a network of their own, all of which belong to the middle namespace.
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
    """Where a machine is: ``words`` begin a command that runs on it with exec, so that the process id is that of the command.

    ``port`` is one for its web process; 0 if any free one will do.
    """

    name: str
    host: str = LOCAL
    port: int = 0
    words: Sequence[str] = ()


class BenchNetwork(Struct, frozen=True, kw_only=True):
    """The machines and the middle, where PostgreSQL, Redis and visitors are: ``words`` begin a command that is to run there.

    ``address`` is where machines reach it and ``network`` where they are; both are empty without namespaces.
    """

    machines: Sequence[MachinePlace]
    words: Sequence[str] = ()
    address: str = ""
    network: str = ""
    visitors: str = "127.0"


def why_not() -> str:
    """Why this user cannot create namespaces; empty if they can."""
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
    """This many machines with namespaces of their own, removed afterwards. Raises CalledProcessError if the system refuses."""
    middle = f"podscope-{os.getpid()}"
    names = [f"{middle}-{number}" for number in range(1, count + 1)]
    machines = [_machine(name, number) for number, name in enumerate(names, 1)]
    try:
        _ip("netns", "add", middle)
        _ip("-n", middle, "link", "set", "lo", "up")
        _ip("-n", middle, "link", "add", "middle", "type", "bridge")
        _ip("-n", middle, "address", "add", f"{MIDDLE}/24", "dev", "middle")
        _ip("-n", middle, "link", "set", "middle", "up")
        # Every address of the visitors' network belongs to the middle namespace.
        _ip("-n", middle, "route", "add", "local", f"{VISITORS}.0.0/16", "dev", "lo")
        for number, machine in enumerate(machines, 1):
            _plug_in(middle, f"machine{number}", machine)
        words = ("ip", "netns", "exec", middle)
        yield BenchNetwork(machines=machines, words=words, address=MIDDLE, network=NETWORK, visitors=VISITORS)
    finally:
        for name in (*names, middle):  # a veth pair goes with either of its ends
            with suppress(subprocess.CalledProcessError):
                _empty(name)
                _ip("netns", "delete", name)


def processes_alone(count: int) -> BenchNetwork:
    """This many machines in name only: their processes share this machine's network."""
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
    """End whatever still runs in a namespace, for example after the bench was interrupted: it would keep the namespace alive."""
    for pid in _ip("netns", "pids", name).split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout
