"""Machines with a bare Debian 12, and the private network they share with this one (systemd-nspawn; needs root)."""

import shutil
import subprocess
import time
from pathlib import Path

PROGRAMS = ("debootstrap", "systemd-nspawn", "nsenter", "iptables", "git")
BRIDGE, NETWORK, GATEWAY = "podscope-bare", "10.0.0.0/24", "10.0.0.254"
BOOT_S, COMMAND_S = 60, 900
# Packages that Debian's installer adds to the minimal system.
PACKAGES = "systemd,systemd-sysv,dbus,ifupdown,iproute2,ca-certificates,procps,locales"
INTERFACES = """auto lo
iface lo inet loopback
auto host0
iface host0 inet static
  address {address}/24
  gateway {gateway}
  mtu {mtu}
"""
ENVIRONMENT = ("HOME=/root", "LANG=C.UTF-8", "TERM=dumb", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def missing() -> list[str]:
    """The programs that this machine needs but lacks."""
    return [name for name in PROGRAMS if shutil.which(name) is None]


def _run(*command: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(command, check=True, text=True, capture_output=True, timeout=COMMAND_S, **more)


class Network:
    """A bridge for this machine and its guests; guests reach what this machine reaches, and ``git clone`` this repository."""

    NAT = ("POSTROUTING", "-s", NETWORK, "!", "-o", BRIDGE, "-j", "MASQUERADE")

    def __init__(self, repository: Path) -> None:
        route = _run("ip", "-o", "route", "get", "1.1.1.1").stdout.split()
        self.mtu = Path(f"/sys/class/net/{route[route.index('dev') + 1]}/mtu").read_text().strip()
        self._take_back()  # left behind by a run that was killed
        _run("ip", "link", "add", BRIDGE, "mtu", self.mtu, "type", "bridge")
        _run("ip", "address", "add", f"{GATEWAY}/24", "dev", BRIDGE)
        _run("ip", "link", "set", BRIDGE, "up")
        Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        _run("iptables", "-t", "nat", "-A", *self.NAT)
        serve = ("git", "daemon", f"--base-path={repository.parent}", "--export-all", f"--listen={GATEWAY}", "--reuseaddr", str(repository))
        self._git = subprocess.Popen(serve, stderr=subprocess.DEVNULL)
        self.url = f"git://{GATEWAY}/{repository.name}"

    def remove(self) -> None:
        """Undo everything except IP forwarding, which may have been enabled before."""
        self._git.terminate()
        self._git.wait()
        self._take_back()

    def _take_back(self) -> None:
        subprocess.run(["iptables", "-t", "nat", "-D", *self.NAT], check=False, capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], check=False, capture_output=True)


def debian(folder: Path) -> None:
    """Install Debian 12 into a folder, with this machine's mirror settings and certificates."""
    _run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", "bookworm", str(folder), "http://deb.debian.org/debian")
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", folder / "etc/ssl/certs/ca-certificates.crt")
    (folder / "etc/hosts").write_text("127.0.0.1 localhost\n")


def copy_of(folder: Path, to: Path) -> None:
    """A copy of the same machine, including device nodes."""
    _run("cp", "--archive", str(folder), str(to))


class Machine:
    """A machine with its own systemd, network and files."""

    def __init__(self, folder: Path, address: str, network: Network) -> None:
        self.folder, self.address = folder, address
        (folder / "etc/network/interfaces").write_text(INTERFACES.format(address=address, gateway=GATEWAY, mtu=network.mtu))
        self._process: subprocess.Popen | None = None

    def boot(self) -> None:
        """Start it, and wait until systemd has started everything."""
        command = ("systemd-nspawn", "--register=no", "--keep-unit", "--directory", str(self.folder), f"--machine={self.folder.name}")
        with (self.folder.parent / f"{self.folder.name}.console").open("a") as console:
            self._process = subprocess.Popen(
                [*command, f"--network-bridge={BRIDGE}", "--resolv-conf=copy-host", "--boot"],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        until = time.monotonic() + BOOT_S
        while self.run("systemctl is-system-running", check=False).stdout.strip() not in ("running", "degraded"):
            assert time.monotonic() < until, f"{self.folder.name} did not start"
            time.sleep(0.5)

    def run(self, script: str, *, said: str = "", check: bool = True) -> subprocess.CompletedProcess:
        """Have root's shell execute a script with ``said`` on its standard input; stop at the first command that fails."""
        assert self._process
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        if not children:
            return subprocess.CompletedProcess([], 1, "", "not there yet")
        enter = ("nsenter", "--target", children[0], "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup")
        ended = subprocess.run(
            [*enter, "env", "--ignore-environment", "--chdir=/root", *ENVIRONMENT, "bash", "-e", "-c", script],
            input=said,
            text=True,
            capture_output=True,
            timeout=COMMAND_S,
            check=False,
        )
        assert not check or ended.returncode == 0, f"{self.folder.name}: {script}\n{ended.stdout[-2000:]}\n{ended.stderr[-4000:]}"
        return ended

    def pull_cable(self) -> None:
        """From now on, packets from others are silently dropped."""
        _run("ip", "link", "set", f"vb-{self.folder.name}", "down")

    def plug_in(self) -> None:
        """Reconnect the network."""
        _run("ip", "link", "set", f"vb-{self.folder.name}", "up")

    def off(self) -> None:
        """Shut it down cleanly."""
        if self._process and self._process.poll() is None:
            self.run("systemctl poweroff --no-block", check=False)
            try:
                self._process.wait(BOOT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
