"""A cache of the unpacked records of recently read chunks. A chunk is written once, so its content never changes.

Viewers of a run request its past again and again; unpacking all its chunks each time would take longer than the rest of a panel once there
are some thousand records. The key is a digest of the chunk's body, so nothing has to be invalidated when a chunk is mended or deleted, and
two runs with the same past share an entry.
"""

import zlib
from collections import OrderedDict
from hashlib import blake2b
from threading import Lock

import msgspec

from simulator.engine.kernel.records import Record

RECORDS_MAX = 40_000
"""Records kept per process, about 30 MB; least recently used first out."""

_decoder = msgspec.msgpack.Decoder(tuple[Record, ...])


class Unpacked:
    """The records of chunk bodies: at most ``most`` records in total, but always those of the last body. Thread-safe."""

    def __init__(self, most: int = RECORDS_MAX) -> None:
        self.most, self.held = most, 0
        self._kept: OrderedDict[bytes, tuple[Record, ...]] = OrderedDict()
        self._lock = Lock()

    def records(self, body: bytes) -> tuple[Record, ...] | None:
        """The records of a chunk's body; None if it cannot be read."""
        name = blake2b(body, digest_size=16).digest()
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        # Outside the lock, so that others can look up theirs meanwhile.
        try:
            found = _decoder.decode(zlib.decompress(body))
        except (zlib.error, msgspec.DecodeError):
            return None
        with self._lock:
            self._keep(name, found)
        return found

    def _keep(self, name: bytes, found: tuple[Record, ...]) -> None:
        self.held += len(found) - len(self._kept.pop(name, ()))
        self._kept[name] = found
        while self.held > self.most and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self.held -= len(oldest)
