"""Two fresh machines on which docs/deployment.md has been followed to the letter (``make bare``)."""

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.bare.machines import Machine, Network, copy_of, debian, missing

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
NAME, PASSWORD = "pods.example", "such-A-password"
CERTIFICATE = (
    f"openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 30 -subj /CN={NAME} -addext subjectAltName=DNS:{NAME}\n"
    "certbot install --nginx --non-interactive --redirect --cert-path /root/c.pem --key-path /root/k.pem --fullchain-path /root/c.pem"
    f" -d {NAME}"
)


def chapter() -> list[str]:
    """The command blocks of the page's steps for several machines, in order."""
    (text,) = re.findall(r"^## Step by step: several machines.*?(?=^## )", PAGE, re.MULTILINE | re.DOTALL)
    return re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def block(beginning: str) -> str:
    """The only block with a line that starts with this text."""
    (found,) = [commands for commands in chapter() if any(line.startswith(beginning) for line in commands.splitlines())]
    return found


@dataclass(frozen=True)
class Site:
    """A site on two machines: the first has PostgreSQL, Redis and processes, the second processes and the proxy."""

    first: Machine
    second: Machine
    origin: str = f"https://{NAME}"


def _serve(machine: Machine, url: str, secret: str, *, far_from_proxy: bool) -> None:
    """Everything the page requires on a machine that runs processes."""
    machine.run(block("useradd").replace("REPOSITORY", url))
    machine.run(block("runuser -u podscope -- git -C"))
    machine.run(block("install -m 600"))
    settings = machine.folder / "etc/podscope.env"
    given = settings.read_text().replace("the-secret", secret).replace("podscope:PASSWORD@", f"podscope:{PASSWORD}@")
    settings.write_text(given)
    machine.run(block("cp /srv/podscope/app/docs/deployment/systemd"))
    if far_from_proxy:
        machine.run(block("install -d /etc/systemd/system/podscope"))
    machine.run(block("set -a"))


def follow_the_page(first: Machine, second: Machine, url: str) -> None:
    """Execute what the page says, with names and secrets filled in."""
    first.run(block("apt-get install --yes postgresql"), said=f"{PASSWORD}\n{PASSWORD}\n")
    first.run(block("echo"))
    secret = secrets.token_urlsafe(48)
    _serve(first, url, secret, far_from_proxy=True)
    _serve(second, url, secret, far_from_proxy=False)
    second.run(block("apt-get install --yes nginx"))
    upstream = second.folder / "etc/nginx/conf.d/podscope-upstream.conf"
    upstream.write_text(upstream.read_text().replace("}", "    server 10.0.0.1:8001;\n}", 1))
    second.run(CERTIFICATE)


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site, used under its name."""
    if not os.environ.get("PODSCOPE_BARE"):
        pytest.skip("make bare boots two machines for it")
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not changed, f"the machines get what is committed, and this is not: {changed}"
    assert missing() == [] and os.geteuid() == 0, f"needs root and {missing()}"
    folder = tmp_path_factory.mktemp("machines")
    network, machines = Network(ROOT), []
    try:
        debian(folder / "first")
        copy_of(folder / "first", folder / "second")
        for number, name in enumerate(("first", "second"), start=1):
            machines.append(Machine(folder / name, f"10.0.0.{number}", network))
            machines[-1].boot()
            machines[-1].run("apt-get update")
        follow_the_page(*machines, network.url)
        yield Site(*machines)
    finally:
        for machine in machines:
            machine.off()
        network.remove()
        shutil.rmtree(folder, ignore_errors=True)
