"""The websocket protocol: JSON objects distinguished by ``type``. ``static/js/wire/run-socket.js`` mirrors these names.

A frame of records says after which seq it continues; a reader that is at another seq requests ``GET records/?after=`` instead.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Seq
from simulator.runs.state_notes import StateNote

PROTOCOL = 1
FRAME_BYTES_MAX = 65_536
"""No frame is larger, so that little is unacknowledged on a slow connection."""
FRAMES_IN_FLIGHT_MAX = 8
"""Twice as many as a page acknowledges at once (``run-socket.js``), so that the rest is under way meanwhile."""
BYTES_IN_FLIGHT_MAX = 4 * FRAME_BYTES_MAX
"""No frame is sent while more than this is unacknowledged: the memory that a socket that does not read may take up."""
CLIENT_BYTES_MAX = 1024
"""Clients send only acknowledgements, pings, and whether they are in the foreground."""
CLIENT_MESSAGES_PER_SECOND = 2
CLIENT_MESSAGES_AT_ONCE = 20
"""Counts only messages that acknowledge no frame; there are no more of the others than frames sent."""

TEACHER_BYTES_MAX = 8192
TEACHER_MESSAGES_PER_SECOND = 4
"""For a teacher's moves; a page sends two a second."""

CLOSE_BAD = 4000
"""The client sent something that is not a valid message."""
CLOSE_GONE = 4004
"""There is no such run or class."""
CLOSE_SLOW = 4008
"""The client did not acknowledge frames for too long."""
CLOSE_FULL = 4009
"""Too many sockets from one address, or too many in a short time."""
CLOSE_UNREADABLE = 4010
"""A part of the log can neither be read nor recomputed."""
CLOSE_AWAY = 4013
"""The database does not answer; reconnect."""
CLOSE_GUESSED = 4028
"""Too many unknown class codes were tried from this address; reconnect in a minute."""
CLOSE_FLOOD = 4029
"""The client sent too much at once."""
CLOSE_FAILED = 4011
"""Something failed on the server; reconnect. (1011 means the same, but Autobahn refuses to send it and leaves the socket open.)"""


class Clock(Struct, frozen=True, kw_only=True, tag="clock"):
    """The run's shared clock: at wall time ``wall_ms`` it showed ``now_ms``, and it continues at ``rate`` permille unless paused.

    ``state``: live, paused, waiting (for an owner; ``note`` says why, see places.Wait, and ``place`` is its place in the queue), released
    (nobody is computing it now), limit, diverged, recorded, failed, stopped. ``note`` is a code for the reason, if there is one; for a run
    that has ended it is one from ``state_notes.py`` with its ``numbers``. ``got`` is the rate that the run recently achieved, according
    to its owner; 0 if the frame does not come from the owner.
    """

    now_ms: Ms
    rate: int
    paused: bool
    state: str
    wall_ms: int
    note: str = ""
    numbers: StateNote | UnsetType = UNSET
    place: int = 0
    got: int = 0


class Hello(Struct, frozen=True, kw_only=True, tag="hello"):
    """The first frame: what this socket is connected to, and in which role."""

    protocol: int = PROTOCOL
    run: str
    title: str
    head_seq: Seq
    head_ms: Ms
    role: str
    viewers: int
    clock: Clock


class Records(Struct, frozen=True, kw_only=True, tag="records", omit_defaults=True):
    """Records after ``from`` up to and including ``to``. Nothing else has happened up to the moment ``now_ms``.

    ``is_coming`` (only over HTTP): the log of a run without a socket is still being written, so the request should be repeated later.
    """

    from_seq: Seq = msgspec.field(name="from")
    to: Seq
    now_ms: Ms
    records: tuple[Record, ...]
    is_coming: bool = False


class Viewers(Struct, frozen=True, kw_only=True, tag="presence"):
    """How many browsers are watching the run."""

    viewers: int


class Waits(Struct, frozen=True, kw_only=True, tag="waits"):
    """Client commands waiting on the run's API while the run is paused, as reported by one process every few seconds."""

    process: str
    who: tuple[str, ...]


class Pong(Struct, frozen=True, kw_only=True, tag="pong"):
    """The answer to a ping."""


class ClassRun(Struct, frozen=True, kw_only=True):
    """The URL of the run that start number ``start`` has just made for a pupil, and how long their page waits before opening it."""

    url: str
    start: int
    wait_ms: int


class ClassState(Struct, frozen=True, kw_only=True, tag="room"):
    """Where a class is (``models.Classroom``), and whether the recipient leads it. When ``news`` grows, pages request updates.

    ``own`` is sent once, to a pupil who was just sent to a run of their own: then there is nothing to request.
    """

    code: str
    path: str
    query: str
    is_led: bool
    calls: int
    turn: int
    news: int
    leads: bool
    own: ClassRun | None = None


Frame = ClassState | Clock | Hello | Records | Viewers | Waits | Pong

_encoder = msgspec.json.Encoder()


class ClientMessage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a client may send: ``{"ack": seq}`` for the last record it has, or ``{"type": …}``: ping, away (in the background), back."""

    ack: Seq | None = None
    type: str = ""


class TeacherMessage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the leader of a class may send: where they are, whether the class follows, a call to everybody. Others may only ping."""

    type: str = ""
    path: str = ""
    query: str = ""
    is_led: bool | None = None
    calls: bool = False


TEACHER_MESSAGE: Typed[TeacherMessage] = Typed(TeacherMessage)
CLIENT_MESSAGE: Typed[ClientMessage] = Typed(ClientMessage)


def encode(frame: Frame) -> str:
    """The frame as JSON text."""
    return _encoder.encode(frame).decode()


def encode_bytes(frame: Frame) -> bytes:
    """The frame as JSON bytes."""
    return _encoder.encode(frame)


def decode_client(text: str) -> ClientMessage:
    """Parse a client's message. Raises msgspec.MsgspecError or ValueError if it is invalid."""
    return CLIENT_MESSAGE.from_outside(text)


def fit(records: list[Record], *, bytes_max: int = FRAME_BYTES_MAX - 256) -> tuple[Record, ...]:
    """As many of the first ``records`` as fit into a frame; at least one."""
    used, kept = 0, 0
    for record in records:
        used += len(_encoder.encode(record)) + 1
        if used > bytes_max and kept:
            break
        kept += 1
    return tuple(records[:kept])
