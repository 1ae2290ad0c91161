"""The rules as rows of a table: id, sentence, source, versions, certainty, and what shows them."""

from msgspec import Struct

from simulator.engine.kernel.rule_text import RuleText
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.fidelity.measured import read_shown


class RuleRow(Struct, frozen=True, kw_only=True):
    """A rule with everything a reader may want to check. ``shown_by`` lists stories first, then test modules."""

    rule: RuleText
    versions: str
    shown_by: tuple[str, ...]


def rule_rows() -> list[RuleRow]:
    """Every rule in the registry, in order."""
    shown = read_shown()
    return [RuleRow(rule=rule, versions=_versions(rule), shown_by=tuple(shown.get(rule.id, ()))) for rule in RULEBOOK.values()]


def unshown(rows: list[RuleRow]) -> list[RuleRow]:
    """The rules that no story or test shows."""
    return [row for row in rows if not row.shown_by]


def _versions(rule: RuleText) -> str:
    if rule.until:
        return f"{rule.since} – {rule.until}"
    return "" if rule.since == "1.0" else f"≥ {rule.since}"
