"""A whole site over https, where kubectl sends its key as a token, and two kubectls at two instants of one run at once."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.door.clients import Kubectl
from tests.door.test_site import client, door  # noqa: F401 - fixtures

pytestmark = pytest.mark.servers
ONE_DAY = datetime.timedelta(days=1)


def _certificate(folder: Path) -> Path:
    """A self-signed certificate with its key for this machine, in one file."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "here")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.IPv4Address("127.0.0.1"))])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    made = made.not_valid_before(now - ONE_DAY).not_valid_after(now + ONE_DAY).add_extension(here, critical=False)
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "pem").write_bytes(private + made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return folder / "pem"


def _carry(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)


def _pass_on(near: socket.socket, far: socket.socket) -> None:
    with near, far:
        back = threading.Thread(target=_carry, args=(far, near), daemon=True)
        back.start()
        _carry(near, far)
        back.join()


@pytest.fixture
def secure(door: str, tmp_path: Path) -> Iterator[str]:  # noqa: F811
    """The same address over https, without its key: a TLS terminator in front of a site."""
    site = door.split("/")[2].partition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_certificate(tmp_path))
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                heard = listening.accept()[0]
                try:
                    near = context.wrap_socket(heard, server_side=True)
                except OSError:
                    heard.close()
                    continue
                far = socket.create_connection((site[0], int(site[2])))
                passing.append(threading.Thread(target=_pass_on, args=(near, far), daemon=True))
                passing[-1].start()

    passing: list[threading.Thread] = []
    serving = threading.Thread(target=serve, daemon=True)
    serving.start()
    yield f"https://127.0.0.1:{listening.getsockname()[1]}{door[door.index('/r/') : door.rindex('/')]}"
    listening.shutdown(socket.SHUT_RDWR)
    serving.join()
    listening.close()
    for each in passing:
        each.join(10)


def test_over_https_the_token_is_enough(client: Kubectl, door: str, secure: str) -> None:  # noqa: F811
    key, words = door.rpartition("/")[2], ("get", "pod", "hello", "-o", "name", "--insecure-skip-tls-verify")
    assert client.run(*words, f"--token={key}", server=secure).stdout == "pod/hello\n"
    refused = client.run(*words, "--token=w-another", server=secure)
    assert (refused.returncode, "You must be logged in" in refused.stderr or "Unauthorized" in refused.stderr) == (1, True)


def test_over_http_the_address_alone_opens_it(client: Kubectl, door: str) -> None:  # noqa: F811
    assert client.run("get", "pod", "hello", "-o", "name").stdout == "pod/hello\n"
    assert client.run("get", "pod", "hello", f"--token={door.rpartition('/')[2]}", server=door.rpartition("/")[0]).returncode == 1


def test_two_look_at_two_instants_at_once(client: Kubectl, door: str) -> None:  # noqa: F811
    assert client.run("wait", "--for=condition=Ready", "pod/hello", "--timeout=50s").returncode == 0
    places = [door.replace("/k8s/", "@0/k8s/"), door] * 3
    with ThreadPoolExecutor(4) as together:
        phases = list(
            together.map(lambda place: client.run("get", "pod", "hello", "-o", "jsonpath={.status.phase}", server=place).stdout, places)
        )
    assert phases == ["Pending", "Running"] * 3
