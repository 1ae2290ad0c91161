"""What a story promises: statements about records that a headless run must keep."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Scalar


class Expectation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Records like this occur ``times`` times (or never) until ``by`` (a number with ``s``); empty fields match everything."""

    by: str
    kind: str = ""
    machine: str = ""
    subject: str = ""
    source: str = ""
    target: str = ""
    rule: str = ""
    data: dict[str, str | int | bool] = {}
    times: int = 1
    never: bool = False

    def matches(self, record: Record) -> bool:
        """Whether ``record`` is one of those meant, its time apart."""
        wanted = (self.kind, self.machine, self.subject, self.source, self.target, self.rule)
        found = (record.kind, record.machine, record.subject, record.source, record.target, record.rule)
        if any(text not in ("", other) for text, other in zip(wanted, found, strict=True)):
            return False
        return all(_same(record.get(name), value) for name, value in self.data.items())


def _same(found: Scalar, wanted: Scalar) -> bool:
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def span_ms(text: str) -> Ms:
    """Milliseconds of a text like ``90s`` or ``20.5s``."""
    return int(Decimal(text.removesuffix("s")) * 1000)


def horizon_ms(expectations: Iterable[Expectation]) -> Ms:
    """The last moment any expectation speaks of."""
    return max((span_ms(expectation.by) for expectation in expectations), default=0)


def broken(expectations: Iterable[Expectation], records: Sequence[Record]) -> list[Expectation]:
    """The expectations that ``records`` do not keep, in their order."""
    return [expectation for expectation in expectations if not _kept(expectation, records)]


def _kept(expectation: Expectation, records: Sequence[Record]) -> bool:
    until = span_ms(expectation.by)
    seen = sum(1 for record in records if record.at_ms <= until and expectation.matches(record))
    return seen == 0 if expectation.never else seen >= expectation.times
