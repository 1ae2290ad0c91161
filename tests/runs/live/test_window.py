"""How far a socket of a run may be ahead of its client, and when a client that does not read is dropped."""

from collections import deque
from types import SimpleNamespace

import pytest

from simulator.runs.live import consumers
from simulator.runs.live.consumers import ACK_S, BRIEF_S, RunConsumer
from simulator.runs.wire import protocol


@pytest.fixture
def socket(monkeypatch):
    made = RunConsumer()
    made.in_flight, made.unsent, made.awake = deque(), deque(), SimpleNamespace(set=lambda: None)
    made.dropped = []
    monkeypatch.setattr(made, "drop", made.dropped.append)
    monkeypatch.setattr(consumers, "monotonic", lambda: 1000.0)
    return made


@pytest.mark.parametrize(
    ("sizes", "is_open"),
    [
        ([], True),
        ([1] * (protocol.FRAMES_IN_FLIGHT_MAX - 1), True),
        ([1] * protocol.FRAMES_IN_FLIGHT_MAX, False),
        ([protocol.BYTES_IN_FLIGHT_MAX - 1], True),
        ([protocol.BYTES_IN_FLIGHT_MAX - 1, 1], False),
    ],
)
def test_window_is_open_up_to_so_many_frames_and_bytes(socket, sizes, is_open):
    socket.in_flight.extend((n, 0.0, size) for n, size in enumerate(sizes))
    assert socket._is_window_open() is is_open


@pytest.mark.parametrize(("ack", "left", "arrived"), [(None, 3, False), (4, 3, False), (5, 2, True), (12, 1, True), (99, 0, True)])
def test_acknowledgement_removes_the_frames_up_to_its_record(socket, ack, left, arrived):
    socket.in_flight.extend((seq, 0.0, 1) for seq in (5, 10, 15))
    assert (socket._acknowledge(ack), len(socket.in_flight)) == (arrived, left)


def test_acknowledgement_of_nothing_in_flight_is_none(socket):
    assert socket._acknowledge(5) is False


@pytest.mark.parametrize(("since_s", "is_dropped"), [(ACK_S, False), (ACK_S + 0.1, True)])
def test_client_that_acknowledges_nothing_for_long_is_dropped(socket, since_s, is_dropped):
    socket.beat()
    socket.in_flight.extend([(1, 1000.0 - since_s, 1), (2, 1000.0, 1)])
    socket.beat()
    assert socket.dropped == ([protocol.CLOSE_SLOW] if is_dropped else [])


@pytest.mark.parametrize(("frames", "kept"), [("ab", "ab"), ("aab", "ab"), ("aba", "aba")])
def test_frame_that_says_the_same_as_the_last_is_sent_once(socket, frames, kept):
    for frame in frames:
        socket.notify(frame)
    assert [*socket.unsent] == [*kept]


@pytest.mark.parametrize(("query", "since"), [(b"", 0), (b"since=12", 12), (b"a=1&since=7&since=9", 7), (b"since=x", 0), (b"sincere=4", 0)])
def test_record_that_a_page_names_is_where_it_goes_on(socket, query, since):
    socket.scope = {"query_string": query}
    assert socket._since() == since


@pytest.mark.parametrize(
    ("is_closing", "open_s", "costs"), [(False, BRIEF_S / 2, True), (False, BRIEF_S, False), (True, BRIEF_S / 2, False)]
)
async def test_socket_that_closes_at_once_counts_as_several(socket, monkeypatch, is_closing, open_s, costs):
    spent = []
    monkeypatch.setattr(socket, "_cost_much", lambda: spent.append(1))
    socket.is_closing, socket.opened_s = is_closing, 1000.0 - open_s
    await socket.disconnect(1000)
    assert bool(spent) is costs
