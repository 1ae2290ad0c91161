"""State machines as values: one declaration gives the code its next step, and the docs, the diagram and the tests their table.

A machine is a tuple of rows. For a state and a trigger the first row whose gate is open and whose guard holds wins. Guards are
named functions that read after "if"; ``do`` names the effect that a controller carries out, and reads after "doing".
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from msgspec import Struct

from simulator.engine.profile import Profile

Facts = TypeVar("Facts")


class State(Struct, frozen=True):
    """A state. ``tone`` names a design token (ready, waiting, failed …), never a colour."""

    name: str
    label: str
    tone: str
    terminal: bool = False


class Row(Struct, frozen=True):
    """``source`` sees ``trigger``: if ``when``, go to ``target`` doing ``do``, because of ``rule``.

    ``gate`` names a Profile field that must be true, ``unless`` one that must be false.
    """

    source: str
    trigger: str
    target: str
    rule: str
    when: Callable[[Any], bool] | None = None
    do: str = ""
    gate: str = ""
    unless: str = ""

    @property
    def id(self) -> str:
        """Stable name of the edge, e.g. ``running--process_exited--exited``."""
        return f"{self.source}--{self.trigger}--{self.target}"


class Machine(Generic[Facts]):
    """States and rows under a name. Facts is what its guards look at."""

    def __init__(self, name: str, *, initial: str, states: tuple[State, ...], rows: tuple[Row, ...]) -> None:
        self.name = name
        self.initial = initial
        self.states = states
        self.rows = rows
        self._by_case: dict[tuple[str, str], tuple[Row, ...]] = {}
        for row in rows:
            case = (row.source, row.trigger)
            self._by_case[case] = (*self._by_case.get(case, ()), row)

    def pick(self, state: str, trigger: str, facts: Facts, profile: Profile) -> Row | None:
        """The row that applies, or None where the machine ignores the trigger in that state. O(rows of the case)."""
        for row in self._by_case.get((state, trigger), ()):
            if row.gate and not getattr(profile, row.gate):
                continue
            if row.unless and getattr(profile, row.unless):
                continue
            if row.when is None or row.when(facts):
                return row
        return None

    def problems(self, *, effects: Iterable[str], rules: Mapping[str, object]) -> list[str]:
        """What is wrong with the declaration: unknown or unreachable states, dead rows, rules and effects nobody has."""
        names = {state.name: state for state in self.states}
        known_effects = list(effects)
        found = []
        for row in self.rows:
            found += [f"{row.id}: unknown state {name}" for name in (row.source, row.target) if name not in names]
            if row.source in names and names[row.source].terminal:
                found.append(f"{row.id}: leaves a terminal state")
            if row.rule not in rules:
                found.append(f"{row.id}: rule {row.rule} is not in the rulebook")
            if row.do and row.do not in known_effects:
                found.append(f"{row.id}: no effect named {row.do}")
        reached = {self.initial, *(row.target for row in self.rows)}
        found += [f"state {name} is never reached" for name in names if name not in reached]
        return found + self._dead_rows()

    def _dead_rows(self) -> list[str]:
        """Rows that come after one of the same case that always applies."""
        found = []
        for rows in self._by_case.values():
            for position, row in enumerate(rows[:-1]):
                if row.when is None and not row.gate and not row.unless:
                    found += [f"{dead.id}: never applies, {row.id} comes first" for dead in rows[position + 1 :]]
        return found

    def graph(self, profile: Profile) -> dict[str, list[dict[str, object]]]:
        """Nodes and edges of this machine under a profile, as the diagrams draw them."""
        open_rows = [
            row
            for row in self.rows
            if not (row.gate and not getattr(profile, row.gate)) and not (row.unless and getattr(profile, row.unless))
        ]
        return {
            "nodes": [{"id": state.name, "label": state.label, "tone": state.tone, "terminal": state.terminal} for state in self.states],
            "edges": [
                {
                    "id": row.id,
                    "source": row.source,
                    "target": row.target,
                    "trigger": row.trigger,
                    "guard": row.when.__name__ if row.when else "",
                    "rule": row.rule,
                }
                for row in open_rows
            ],
        }

    def table(self) -> str:
        """The machine as a text table: when in, and sees, if, go to, doing, rule."""
        head = ("when in", "and sees", "if", "go to", "doing", "rule")
        lines = [
            (row.source, row.trigger, row.when.__name__ if row.when else "-", row.target, row.do or "-", row.rule) for row in self.rows
        ]
        widths = [max(len(line[column]) for line in [head, *lines]) for column in range(len(head))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in [head, *lines])
