"""The websocket protocol: JSON objects told apart by ``type``. ``static/js/wire/run-socket.js`` mirrors these names.

A frame of records says from which seq it goes on; a reader that holds another seq asks ``GET records/?after=`` instead.
"""

import msgspec
from msgspec import UNSET, Struct, UnsetType

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Seq
from simulator.runs.state_notes import StateNote

PROTOCOL = 1
FRAME_BYTES_MAX = 65_536
"""No frame is larger, so that what is not acknowledged yet stays small on a slow line."""
FRAMES_IN_FLIGHT_MAX = 8
"""Twice as many as a page acknowledges at once (``run-socket.js``): the rest is on its way meanwhile."""
BYTES_IN_FLIGHT_MAX = 4 * FRAME_BYTES_MAX
"""No frame follows while more than this is not acknowledged: what a socket that does not read may keep of this process's memory."""
CLIENT_BYTES_MAX = 1024
"""Clients send acknowledgements and pings only."""
CLIENT_MESSAGES_PER_SECOND = 2
CLIENT_MESSAGES_AT_ONCE = 20
"""Of messages that acknowledge no frame: those that do are as many as the frames that were sent."""

TEACHER_BYTES_MAX = 8192
TEACHER_MESSAGES_PER_SECOND = 4
"""Where a teacher is, as often as it changes; a page says it twice a second."""

CLOSE_BAD = 4000
"""The client said something that is no message."""
CLOSE_GONE = 4004
"""There is no such run."""
CLOSE_SLOW = 4008
"""The client did not acknowledge frames for too long."""
CLOSE_FULL = 4009
"""Too many sockets from one address, or too many in a short time."""
CLOSE_UNREADABLE = 4010
"""A part of the log can neither be read nor computed again."""
CLOSE_AWAY = 4013
"""The database does not answer; come back."""
CLOSE_GUESSED = 4028
"""Too many codes of classes that do not exist were asked for from this address; come back in a minute."""
CLOSE_FLOOD = 4029
"""The client said too much at once."""
CLOSE_FAILED = 4011
"""Something failed here; come back. (1011 would say so, too, but Autobahn refuses to send it and leaves the socket open.)"""


class Clock(Struct, frozen=True, kw_only=True, tag="clock"):
    """The run's shared clock: at wall time ``wall_ms`` it showed ``now_ms`` and goes on at ``rate`` permille unless paused.

    ``state``: live, paused, waiting (for an owner; ``note`` says for what, see places.Wait, and ``place`` is that in the queue),
    released (nobody computes it now), limit, diverged, recorded, failed, stopped. ``note`` says why, where there is a why: a code,
    for a run that has ended one of ``state_notes.py`` with its ``numbers``. ``got`` is the rate at which the run really went of late,
    as its owner says; 0 where somebody else says what the clock shows.
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
    """First frame: who is connected to what."""

    protocol: int = PROTOCOL
    run: str
    title: str
    head_seq: Seq
    head_ms: Ms
    role: str
    viewers: int
    clock: Clock


class Records(Struct, frozen=True, kw_only=True, tag="records", omit_defaults=True):
    """Records after ``from`` up to and including ``to``. ``now_ms`` is a moment by which nothing else has happened.

    ``is_coming``, over HTTP alone: a run without a socket whose log is still being written, to be asked for again after a while.
    """

    from_seq: Seq = msgspec.field(name="from")
    to: Seq
    now_ms: Ms
    records: tuple[Record, ...]
    is_coming: bool = False


class Viewers(Struct, frozen=True, kw_only=True, tag="presence"):
    """How many browsers watch the run."""

    viewers: int


class Waits(Struct, frozen=True, kw_only=True, tag="waits"):
    """Commands of clients that wait on the run's API while the run is paused, those of one process; it says so again every few seconds."""

    process: str
    who: tuple[str, ...]


class Pong(Struct, frozen=True, kw_only=True, tag="pong"):
    """Answer to a ping."""


class ClassRun(Struct, frozen=True, kw_only=True):
    """Where a pupil's own run is that start number ``start`` has just made for them, and how long their page waits for its turn."""

    url: str
    start: int
    wait_ms: int


class ClassState(Struct, frozen=True, kw_only=True, tag="room"):
    """Where a class stands (``models.Classroom``), and whether who reads this leads it. More ``news``: pages ask what is new.

    ``own`` is there once, for a pupil who was just sent to a run of their own: then there is nothing to ask.
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
    """What a client may say: ``{"ack": seq}`` for the last record it holds, or ``{"type": …}``: ping, away (nobody looks), back."""

    ack: Seq | None = None
    type: str = ""


class TeacherMessage(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What who leads a class may say: where they are now, whether the class follows, that everybody is called; others only ping."""

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
    """A client's message. Raises msgspec.MsgspecError or ValueError where it is none."""
    return CLIENT_MESSAGE.from_outside(text)


def fit(records: list[Record], *, bytes_max: int = FRAME_BYTES_MAX - 256) -> tuple[Record, ...]:
    """As many of ``records`` from the beginning as a frame can carry; at least one."""
    used, kept = 0, 0
    for record in records:
        used += len(_encoder.encode(record)) + 1
        if used > bytes_max and kept:
            break
        kept += 1
    return tuple(records[:kept])
