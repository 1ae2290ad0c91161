import pytest
from asgiref.testing import ApplicationCommunicator

from lifecycle_site.addresses import BehindProxies, forwarded_for

PEER = ["198.51.100.7", 40_000]


def header(*lines):
    return [(b"host", b"pods.example"), *((b"x-forwarded-for", line.encode()) for line in lines)]


@pytest.mark.parametrize(
    ("line", "count", "address"),
    [
        ("203.0.113.9", 1, "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9", 1, "203.0.113.9"),
        ("6.6.6.6, 203.0.113.9, 10.0.0.2", 2, "203.0.113.9"),
        ("203.0.113.9:4711", 1, "203.0.113.9"),
        ("[2001:db8::1]:4711", 1, "2001:db8::1"),
        ("[2001:DB8::0001]", 1, "2001:db8::1"),
        ("2001:db8::1", 1, "2001:db8::1"),
        ('"[2001:db8::1]:80"', 1, "2001:db8::1"),
        ("::ffff:203.0.113.9", 1, "203.0.113.9"),
    ],
)
def test_address_is_read_from_the_right(line, count, address):
    assert forwarded_for(header(line), count=count) == address


@pytest.mark.parametrize("line", ["", "unknown", "_hidden", "203.0.113.9,", "999.1.1.1", "203.0.113.9:port", "[2001:db8::1", "a" * 9000])
def test_malformed_entry_is_not_an_address(line):
    assert forwarded_for(header(line), count=1) == ""


def test_entry_of_a_proxy_that_is_not_there_is_no_address():
    assert forwarded_for(header("203.0.113.9"), count=2) == ""


def test_headers_that_come_twice_count_as_one():
    assert forwarded_for(header("6.6.6.6", "203.0.113.9"), count=1) == "203.0.113.9"


async def client_of(kind, headers, *, count):
    seen = []

    async def application(scope, receive, send):
        seen.append(scope["client"])

    scope = {"type": kind, "headers": headers, "client": PEER}
    communicator = ApplicationCommunicator(BehindProxies(application, count=count), scope)
    await communicator.wait()
    return seen[0][0]


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_pages_and_sockets_see_the_same_address(kind):
    assert await client_of(kind, header("6.6.6.6, 203.0.113.9"), count=1) == "203.0.113.9"


@pytest.mark.parametrize(("line", "count"), [("203.0.113.9", 0), ("nonsense", 1)])
async def test_peer_counts_where_no_header_can_be_believed(line, count):
    assert await client_of("http", header(line), count=count) == PEER[0]
