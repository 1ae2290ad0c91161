"""The results for a corpus: lines to read, and the same as JSON."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.fidelity.corpus.judge import Verdict


class CorpusReport(Struct, frozen=True, kw_only=True):
    """The verdicts of one example."""

    name: str
    verdicts: tuple[Verdict, ...]

    def count(self, outcome: str, *, hard_only: bool = False) -> int:
        """How many verdicts have that outcome."""
        return sum(item.outcome == outcome and (item.hard or not hard_only) for item in self.verdicts)

    def lines(self) -> Iterator[str]:
        """The example with its total, followed by what did not hold."""
        held, failed = self.count("held"), self.count("failed")
        if held + failed:
            yield f"{self.name} {held}/{held + failed}"
        for item in self.verdicts:
            if item.outcome == "failed":
                yield f"  {item.id}: {item.reason}{'' if item.hard else ' (soft)'}"


def summary(reports: list[CorpusReport]) -> Iterator[str]:
    """The totals."""
    held = sum(report.count("held") for report in reports)
    failed = sum(report.count("failed") for report in reports)
    left_out = sum(report.count("left_out") for report in reports)
    share = held * 1000 // max(held + failed, 1)
    yield f"total {held}/{held + failed} hold ({share // 10}.{share % 10} %), {left_out} left out: they need a controller"


def as_json(reports: list[CorpusReport]) -> list[dict[str, Any]]:
    """Every verdict, ready for JSON."""
    return [
        {
            "name": report.name,
            "held": report.count("held"),
            "failed": report.count("failed"),
            "left_out": report.count("left_out"),
            "verdicts": [{"id": item.id, "outcome": item.outcome, "reason": item.reason, "hard": item.hard} for item in report.verdicts],
        }
        for report in reports
    ]
