"""Replay a stored run and compare it with what was recorded. Pure: everything needed is in the task.

The records of another revision may have fewer values than today's, so only the values they have are compared. Records
of this revision must agree in every value, and the digest stored with the run must be the digest of its records.
"""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct, msgpack

from simulator.engine import Record, RunHeader, Stamped
from simulator.engine.course.replay import verify
from simulator.engine.kernel.records import digest_of
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Seq

_records = msgpack.Decoder(list[Record])
_packed = msgpack.Encoder().encode


class ReplayTask(Struct, frozen=True, kw_only=True, tag="replay"):
    """A run as far as it was recorded. ``is_own``: by this engine revision, so every value and the digest must agree."""

    header: RunHeader
    commands: list[Stamped]
    records: bytes
    until_ms: Ms
    digest: bytes
    is_own: bool

    @classmethod
    def of(
        cls, header: RunHeader, commands: list[Stamped], records: Sequence[Record], *, until_ms: Ms, digest: bytes, is_own: bool
    ) -> "ReplayTask":
        """Make a task that compares these records."""
        return cls(header=header, commands=commands, records=_packed(records), until_ms=until_ms, digest=digest, is_own=is_own)


class Head(Struct, frozen=True, array_like=True):
    """How far a run was recorded when its replay was requested."""

    run: UUID
    seq: Seq
    at_ms: Ms
    digest: bytes
    revision: int


HEADS: Typed[list[Head]] = Typed(list[Head])


class ReplayVerdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a replay. Nothing is set if it agrees; ``seq`` is the first record that differs, with the rule on either side.

    ``problem`` is why it could not be played.
    """

    seq: Seq = 0
    at_ms: Ms = 0
    stored: str = ""
    now: str = ""
    problem: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the replay reproduced what was recorded."""
        return not self.seq and not self.problem


VERDICT: Typed[ReplayVerdict] = Typed(ReplayVerdict)
VERDICTS: Typed[list[ReplayVerdict | None]] = Typed(list[ReplayVerdict | None])


def verdict_of(task: ReplayTask) -> ReplayVerdict:
    """Replay a run and report where it diverges from what was recorded. Additional values in today's records do not count if another
    revision recorded the run. O(records) of memory. Raises whatever the engine raises.
    """
    stored = _records.decode(task.records)
    found = verify(task.header, task.commands, stored, until_ms=task.until_ms, may_add=not task.is_own)
    if found is not None:
        rule, now = found.rules
        return ReplayVerdict(seq=found.seq, at_ms=found.at_ms, stored=rule, now=now)
    # All records agree, so the stored digest is wrong.
    if task.is_own and digest_of(stored) != task.digest:
        return ReplayVerdict(seq=len(stored), at_ms=task.until_ms, stored=stored[-1].rule if stored else "")
    return ReplayVerdict()
