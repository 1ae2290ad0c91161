"""Records of chunks that were read lately, unpacked. A chunk is written once, so what its body holds is always the same.

Those who look at a run ask for its past again and again: with each look of theirs all its chunks would be unpacked, which takes longer
than the rest of a panel from some thousand records on. A chunk is found again by a digest of its body, so that nothing has to be said
when one is mended or deleted, and two runs with the same past share it.
"""

import zlib
from collections import OrderedDict
from hashlib import blake2b
from threading import Lock

import msgspec

from simulator.engine.kernel.records import Record

RECORDS_MAX = 40_000
"""So many records are kept in a process, some 30 MB; what was not asked for longest goes first."""

_decoder = msgspec.msgpack.Decoder(tuple[Record, ...])


class Unpacked:
    """The records of bodies, at most ``most`` records in all but always those of the last body. Threads may share it."""

    def __init__(self, most: int = RECORDS_MAX) -> None:
        self.most, self.held = most, 0
        self._kept: OrderedDict[bytes, tuple[Record, ...]] = OrderedDict()
        self._lock = Lock()

    def records(self, body: bytes) -> tuple[Record, ...] | None:
        """The records of a chunk's body; None where it cannot be read."""
        name = blake2b(body, digest_size=16).digest()
        with self._lock:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        # Outside of the lock: others find theirs meanwhile.
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
