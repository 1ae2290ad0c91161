"""Data sent to a socket's connection leaves at once, and what it does not accept is sent as before."""

from math import inf

import pytest
from twisted.internet.abstract import FileDescriptor

from lifecycle_site.server import Outlet


class Loop:
    """A reactor that reports what it watches, and counts how often it was asked to."""

    def __init__(self):
        self.writers, self.asked = set(), 0

    def addWriter(self, writer):
        self.writers.add(writer)
        self.asked += 1

    def removeWriter(self, writer):
        self.writers.discard(writer)

    def removeReader(self, reader):
        pass


class Pipe(FileDescriptor):
    """A connection that accepts ``room`` bytes."""

    def __init__(self):
        super().__init__(reactor=Loop())
        self.connected, self.room, self.taken, self.fault = 1, inf, b"", None

    def writeSomeData(self, data):
        if self.fault:
            return self.fault
        count = int(min(self.room, len(data)))
        self.room -= count
        self.taken += bytes(data[:count])
        return count

    @property
    def is_watched(self):
        return self in self.reactor.writers


@pytest.fixture
def pipe():
    return Pipe()


@pytest.fixture
def send(pipe):
    outlet = Outlet(pipe)
    return lambda *parts: outlet.write(lambda: [pipe.write(part) for part in parts])


def test_frame_is_written_at_once_and_nobody_is_asked(pipe, send):
    send(b"head", b"body")
    send(b"more")
    assert (pipe.taken, pipe.reactor.asked) == (b"headbodymore", 0)


def test_nothing_is_written_where_nothing_was_sent(pipe, send):
    pipe.fault = ConnectionResetError()
    send()
    assert not pipe.is_watched


def test_what_a_connection_does_not_take_is_left_to_the_loop_and_later_frames_come_after_it(pipe, send):
    pipe.room = 2
    send(b"abc")
    assert (pipe.taken, pipe.is_watched) == (b"ab", True)
    pipe.room = inf
    send(b"d")
    assert pipe.taken == b"ab"
    pipe.doWrite()
    pipe.doWrite()
    assert (pipe.taken, pipe.is_watched) == (b"abcd", False)
    send(b"e")
    assert (pipe.taken, pipe.is_watched) == (b"abcde", False)


def test_failure_is_left_to_the_loop_which_ends_the_connection(pipe, send):
    pipe.fault = ConnectionResetError()
    send(b"abc")
    assert pipe.is_watched


def test_connection_that_is_to_close_is_watched_until_it_has(pipe, send):
    send(b"abc")
    pipe.loseConnection()
    assert pipe.is_watched
    assert pipe.doWrite() is not None


def test_what_is_written_by_other_ways_waits_for_the_loop(pipe, send):
    pipe.write(b"abc")
    send(b"d")
    assert (pipe.taken, pipe.is_watched) == (b"", True)
    pipe.doWrite()
    assert pipe.taken == b"abcd"


def test_connection_that_is_gone_is_as_it_was_made(pipe):
    outlet = Outlet(pipe)
    outlet.close()
    assert not {"startWriting", "stopWriting"} & set(vars(pipe))
