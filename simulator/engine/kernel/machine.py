"""State machines as values: one declaration gives the code its next step, and the docs, diagrams and tests their table.

A machine is a tuple of rows. For a state and a trigger, the first row whose gate is open and whose guard holds wins. Guards are
named functions whose names read well after "if"; ``do`` names the effect that a controller runs, and reads well after "doing".

A machine whose state is stored says where (``fields``): only ``Effects.become`` writes there, and what it writes is the row's
target. The state of a machine without fields (a phase, a condition) is recomputed each time: the caller takes the target from
the row, found by ``pick`` where guards decide, or by ``decided`` where a rule applied elsewhere has decided.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from simulator.engine.versions import Profile

Facts = TypeVar("Facts")
T = TypeVar("T")
ANY = "*"
"""As a source: any state. As a target: the state is a word that comes with the trigger (a reason, a range of ids)."""

KEPT_MAX = 1024
DECIDED = "decided"
"""Trigger of rows that say what follows from a rule applied elsewhere."""


class State(Struct, frozen=True):
    """A state. ``tone`` names a design token (ready, waiting, failed …), never a colour."""

    name: str
    label: str
    tone: str
    terminal: bool = False


def of_rule(rule: str) -> Callable[[str], bool]:
    """A guard whose facts are the id of a rule that was applied elsewhere: it holds for this rule."""

    def guard(facts: str) -> bool:
        return facts == rule

    guard.__name__ = f"by_{rule}"
    return guard


class Row(Struct, frozen=True):
    """In ``source``, on ``trigger``, if ``when``: go to ``target`` doing ``do``, because of ``rule``.

    ``gate`` names a Profile field that must be true, ``unless`` one that must be false. ``quiet``: the step leaves no record,
    because whoever kept the state has lost its memory of it.
    """

    source: str
    trigger: str
    target: str
    rule: str
    when: Callable[[Any], bool] | None = None
    do: str = ""
    gate: str = ""
    unless: str = ""
    quiet: bool = False

    @property
    def id(self) -> str:
        """Name of the edge, e.g. ``running--process_exited--exited``, including the guard or the rule that was decided elsewhere."""
        how = f"[{self.when.__name__}]" if self.when is not None else f"[{self.rule}]" if self.trigger == DECIDED else ""
        return f"{self.source}--{self.trigger}{how}--{self.target}"


def imported(source: str = ANY, target: str = ANY) -> Row:
    """A row for a fact of an imported past, which nothing computes. The record carries the fact's own rule, not this one's."""
    return Row(source, "imported", target, "IMPORT-STATE")


class StateField(Struct, frozen=True):
    """Where a machine stores its state: ``field`` of rows of type ``row``, or of what such a row has in ``inner``.

    ``subject`` names what a record is about and ``store`` saves the changed row; both are called with the row's key (of its pod or
    node). A string is the name of an effect that takes just key and row.
    Without ``store`` the row is part of another one, which the caller is about to save. ``seq_field`` names the field that gets the
    number of the record. ``sourceless``: records have never named the state that was left.
    """

    row: type
    field: str
    subject: Callable[[Any, Any], str]
    store: Callable[[Any, Any, Any], object] | str | None = None
    inner: str = ""
    seq_field: str = "seq"
    sourceless: bool = False

    def reader(self) -> Callable[[Any], str]:
        """A function that returns the state that a row holds."""
        return attrgetter(f"{self.inner}.{self.field}" if self.inner else self.field)


class Machine(Generic[Facts]):
    """States and rows under a name. Facts is what its guards look at."""

    def __init__(
        self,
        name: str,
        *,
        about: str,
        initial: str,
        states: tuple[State, ...],
        rows: tuple[Row, ...],
        fields: tuple[StateField, ...] = (),
        omitted: tuple[str, ...] = (),
    ) -> None:
        """``omitted``: triggers that its records do not name (they never did, and new records are compared with old ones)."""
        self.name = name
        self.omitted = frozenset((*omitted, DECIDED))
        self.about = about
        self.initial = initial
        self.states = states
        self.fields = {field.row: field for field in fields}
        # The same, with a function that reads the state.
        self.places = {field.row: (field, field.reader()) for field in fields}
        self.use(rows)

    def use(self, rows: tuple[Row, ...]) -> None:
        """Replace the machine's rows. Tests use this to put in a wrong row and see what notices."""
        self.rows = rows
        self.kept: dict[Any, Any] = {}  # what others have derived from the rows and may be forgotten: at most KEPT_MAX answers
        self._by_rule = {(row.source, row.rule): row for row in reversed(rows) if row.trigger == DECIDED}
        self._anywhere = {rule: row for (source, rule), row in self._by_rule.items() if source == ANY}
        free = [row for row in rows if row.trigger != DECIDED]
        cases = {(row.source, row.trigger): row for row in free}
        cases |= {(state.name, row.trigger): row for state in self.states for row in free if row.source == ANY}
        self._by_case = {
            (source, trigger): tuple(row for row in free if row.trigger == trigger and row.source in (source, ANY))
            for source, trigger in cases
        }
        first = {case: found[0] for case, found in self._by_case.items()}
        self._sure = {case: row for case, row in first.items() if row.when is None and not row.gate and not row.unless}

    def pick(self, state: str, trigger: str, facts: Facts, profile: "Profile | None" = None) -> Row | None:
        """The row that applies, or None if the machine ignores the trigger in that state. O(rows of the case).

        A machine without gates can be asked without a ``profile``. The facts of ``DECIDED`` are the id of the rule.
        """
        sure = self._sure.get((state, trigger))
        if sure is not None:
            return sure
        if trigger == DECIDED:
            return self.decided(str(facts), state)
        rows = self._by_case.get((state, trigger))
        if rows is None:
            rows = self._by_case.get((ANY, trigger), ())
        for row in rows:
            if row.gate and not getattr(profile, row.gate):
                continue
            if row.unless and getattr(profile, row.unless):
                continue
            if row.when is None or row.when(facts):
                return row
        return None

    def decided(self, rule: str, state: str = ANY) -> Row:
        """The first row of a rule that was applied elsewhere; KeyError if there is none."""
        found = self._by_rule.get((state, rule)) if state != ANY else None
        return found if found is not None else self._anywhere[rule]

    def word(self, rule: str, word: str, state: str = ANY) -> str:
        """The target of the rule's row; ``word`` if that is open or the rule does not belong to this machine."""
        found = self._by_rule.get((state, rule)) if state != ANY else None
        if found is None:
            found = self._anywhere.get(rule)
        return word if found is None or found.target == ANY else found.target

    def keep(self, question: Any, answer: T) -> T:
        """Remember an answer derived from the rows; it is valid until the rows are replaced."""
        if len(self.kept) >= KEPT_MAX:
            self.kept.clear()
        self.kept[question] = answer
        return answer

    def recorded_trigger(self, row: Row) -> str:
        """The trigger as the record of the step names it."""
        return "" if row.trigger in self.omitted else row.trigger

    def problems(self, *, effects: Iterable[str], rules: Mapping[str, object]) -> list[str]:
        """What is wrong with the declaration: unknown or unreachable states, dead rows, unknown rules and effects."""
        names = {state.name: state for state in self.states}
        known_effects = list(effects)
        found = []
        for row in self.rows:
            found += [f"{row.id}: unknown state {name}" for name in (row.source, row.target) if name not in names and name != ANY]
            if row.source in names and names[row.source].terminal:
                found.append(f"{row.id}: leaves a terminal state")
            if row.rule not in rules:
                found.append(f"{row.id}: rule {row.rule} is not in the rulebook")
            if row.do and row.do not in known_effects:
                found.append(f"{row.id}: no effect named {row.do}")
        reached = {self.initial, *(row.target for row in self.rows)}
        found += [f"state {name} is never reached" for name in names if name not in reached and ANY not in reached]
        return found + self._dead_rows()

    def _dead_rows(self) -> list[str]:
        """Rows that come after a row of the same case that always applies."""
        found = []
        for (source, _), rows in self._by_case.items():
            for position, row in enumerate(rows[:-1]):
                if row.when is None and not row.gate and not row.unless:
                    found += [f"{dead.id}: never applies, {row.id} comes first" for dead in rows[position + 1 :] if dead.source == source]
        return found

    def table(self) -> tuple[tuple[str, ...], ...]:
        """The machine as lines of a table under ``HEAD``: when in, and sees, if, go to, doing, rule, versions."""
        return tuple(
            (
                row.source,
                row.trigger,
                row.when.__name__ if row.when else "",
                row.target,
                row.do,
                row.rule,
                ", ".join(text for text in (row.gate, f"not {row.unless}" if row.unless else "", "quiet" if row.quiet else "") if text),
            )
            for row in self.rows
        )


HEAD = ("when in", "and sees", "if", "go to", "doing", "rule", "where")
"""The column titles of ``Machine.table``."""
