"""Effects of a fact of the past: ordinary effects whose records say that they were imported, and from where."""

from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.units import Seq, Subject
from simulator.engine.past.document import READ, RECORDED, PastFact
from simulator.engine.world.effects import Effects, StoredRow
from simulator.engine.world.watch import NOBODY

_TRANSITION = RecordKind.TRANSITION.value


class PastEffects(Effects):
    """Every record gets the rule of the fact and its source; facts without a date in the text are marked as inferred."""

    __slots__ = ("fact", "origin")

    def __init__(self, fx: Effects, fact: PastFact) -> None:
        super().__init__(fx.world, fx.out)
        self.cause = fx.cause
        self.fact = fact
        self.origin: Data = (("origin", fact.source),)
        if fact.rule != RECORDED:
            self.origin = (("inferred", True), *self.origin)

    def notify(
        self, kind: str, changed: int, old: StoredRow | None, row: StoredRow, owner: str = NOBODY, before: str = NOBODY
    ) -> None:  # fmt: skip
        """Notify only the watches that keep counts: nothing reacts to the past."""
        # Controllers must not react to what happened elsewhere, but indexes and tallies must include it.
        for line in self.each(self.world.watches.of(kind, changed)):
            if line.counts:
                line.handler(self, old, row)

    def read(self, subject: Subject, name: str, data: Data, source: str) -> Seq:
        """Record what the text itself says about a cause, which was not simulated here."""
        details = (*data, ("origin", source))
        return super().record(
            kind=RecordKind.NOTE.value, subject=subject, machine="note", trigger="imported", target=name, rule=READ, data=details
        )

    def record(  # noqa: PLR0913 - as Effects.record
        self,
        *,
        kind: str = _TRANSITION,
        subject: Subject,
        machine: str,
        source: str = "",
        trigger: str = "",
        target: str,
        rule: str,
        data: Data = (),
        cause: Seq | None = None,
    ) -> Seq:
        """As ``Effects.record``, with the fact's own rule in place of ``rule``."""
        return super().record(
            kind=kind,
            subject=subject,
            machine=machine,
            source=source,
            trigger=trigger or "imported",
            target=target,
            rule=self.fact.rule,
            data=(*data, *self.origin),
            cause=cause,
        )
