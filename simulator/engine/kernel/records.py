"""Records: the only output of the engine. Everything a page shows is read from them or from the world they lead to.

A record says *what* happened (machine, source → target), *to what* (subject), *when*, *why* (rule) and *because of which record* (cause).
``docs/records.md`` lists the machines and their data for readers of the stream.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from msgspec import Struct
from msgspec.msgpack import Encoder

from simulator.engine.kernel.units import Ms, Scalar, Seq, Subject

Data = tuple[tuple[str, Scalar], ...]


class RecordKind(StrEnum):
    """What sort of fact a record states."""

    TRANSITION = "transition"  # a machine went from source to target
    ATTEMPT = "attempt"  # a probe was run (or suppressed); target is its outcome
    DECISION = "decision"  # a choice among candidates; data lists them
    K8S_EVENT = "event"  # a Kubernetes Event was written; target is its reason
    COMMAND = "command"  # a user's command was accepted or refused
    NOTE = "note"  # something worth telling the reader; target is its short name


class Record(Struct, frozen=True, array_like=True, gc=False):
    """One fact of a run. ``seq`` counts from 1 without gaps; ``cause`` 0 is the beginning of the run."""

    seq: Seq
    at_ms: Ms
    kind: str
    subject: Subject
    machine: str
    source: str
    trigger: str
    target: str
    cause: Seq
    rule: str
    data: Data = ()

    def get(self, name: str) -> Scalar:
        """The value of ``name`` in the record's data, or None."""
        for key, value in self.data:
            if key == name:
                return value
        return None


_encode = Encoder().encode
_AT_ONCE = 1000
"""How many records are encoded together: enough to make the calls cheap, few enough to need little memory."""


def new_digest() -> Any:
    """The hasher of a history without records. Its digest has 16 bytes."""
    return blake2b(digest_size=16)


def feed(hasher: Any, records: Sequence[Record]) -> None:
    """Feed the next records to a history's hasher. About 0.5 µs a record.

    It is fed the bytes of one record after the other, however many come at once: those of a list without its header.
    """
    for start in range(0, len(records), _AT_ONCE):
        some = records[start : start + _AT_ONCE]
        head = 1 if len(some) < _SHORT else 3  # MessagePack: one byte up to 15 elements, else one and two of length
        hasher.update(memoryview(_encode(some))[head:])


_SHORT = 16


def digest_of(records: Iterable[Record]) -> bytes:
    """What ``World.digest`` is after these records, which begin at seq 1. About 0.5 µs a record."""
    hasher = new_digest()
    feed(hasher, list(records))
    value: bytes = hasher.digest()
    return value
