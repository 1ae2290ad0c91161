"""The form of a check: one statement about the records of a run, as a level's author writes it.

A check applies one of six words to a pattern, within a scope.

=============  ==========================================================================================================
word           true when
=============  ==========================================================================================================
eventually     the pattern occurs, ``times`` times, before the scope ends
never          it does not occur in the scope
always         everything the pattern is about is in that state when the scope begins, and at every change
at_most        it occurs no more than ``times`` times
order          its first occurrence comes before the first one of ``then``
lasts          the time in that state adds up to no more than ``max``
=============  ==========================================================================================================

``least`` and ``most`` say how many things must be in a state at the same time: *always* then holds while that many are, *lasts* adds up
the time during which that many are, and *eventually* comes true as soon as that many are.

A scope begins at ``from`` (the beginning of the run) or right after a record like ``after``. It ends at ``by``, ``within`` that long after
its beginning, right before a record like ``until``, or with the attempt. ``at`` is a scope of a single instant. If several records match
``after``, the first one counts; with ``each`` every one counts, and with ``any`` it is enough if the check holds after one of them. If no
record matches ``after``, the check is vacuous, which does not pass: a world where nothing happens must not be a right answer.
"""

from enum import StrEnum

from msgspec import Struct

from simulator.engine.kernel.units import Ms
from simulator.scenarios.grading.patterns import RecordPattern
from simulator.scenarios.grading.spans import check_spans, optional_ms, span_ms


class CheckWord(StrEnum):
    """What a check says about its pattern."""

    EVENTUALLY = "eventually"
    NEVER = "never"
    ALWAYS = "always"
    AT_MOST = "at_most"
    ORDER = "order"
    LASTS = "lasts"


STATE_WORDS = (CheckWord.ALWAYS, CheckWord.LASTS)
"""The words about a state, which holds between records, rather than an occurrence."""


class Check(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from", "any_": "any"}):
    """A check. ``text`` is the sentence that a learner reads, ``points`` its worth; ``reason`` is shown once it has failed."""

    id: str
    text: str = ""
    points: int = 1
    reason: str = ""
    eventually: RecordPattern | None = None
    never: RecordPattern | None = None
    always: RecordPattern | None = None
    at_most: RecordPattern | None = None
    order: RecordPattern | None = None
    lasts: RecordPattern | None = None
    then: RecordPattern | None = None
    times: int | None = None
    least: int | None = None
    most: int | None = None
    max: str = ""
    from_: str = ""
    by: str = ""
    at: str = ""
    after: RecordPattern | None = None
    each: bool = False
    any_: bool = False
    until: RecordPattern | None = None
    within: str = ""
    vacuous_ok: bool = False

    def __post_init__(self) -> None:
        said = [word.value for word in CheckWord if getattr(self, word.value) is not None]
        if len(said) != 1:
            raise ValueError(f"a check says exactly one of {', '.join(CheckWord)}; this one says {' and '.join(said) or 'none'}")
        check_spans(may_be_empty=True, max=self.max, from_=self.from_, by=self.by, at=self.at, within=self.within)
        for problem, is_so in self._problems():
            if is_so:
                raise ValueError(problem)

    def _problems(self) -> tuple[tuple[str, bool], ...]:
        """Every error message about parts that do not fit together, and whether it applies."""
        word = self.word
        return (
            ("order and then belong together", (word == CheckWord.ORDER) != (self.then is not None)),
            ("lasts and max belong together", (word == CheckWord.LASTS) != bool(self.max)),
            ("times goes with eventually and at_most", self.times is not None and word not in (CheckWord.EVENTUALLY, CheckWord.AT_MOST)),
            ("at_most needs times", word == CheckWord.AT_MOST and self.times is None),
            ("times must be at least 1", word == CheckWord.EVENTUALLY and self.times is not None and self.times < 1),
            ("times must not be negative", self.times is not None and self.times < 0),
            ("points must be from 0 to 100", not 0 <= self.points <= 100),
            (f"{word} needs a machine and a target", self.is_state and not (self.pattern.machine and self.pattern.target)),
            ("or goes with occurrences, not with a state", self.is_state and bool(self.pattern.or_)),
            ("least and most go with always and lasts, and least with eventually", not self._may_count()),
            ("least must be at least 1, and most no less than least", not self._counts_well()),
            ("least and times exclude each other", self.least is not None and self.times is not None),
            ("at goes with always, and with no other bound", bool(self.at) and (word != CheckWord.ALWAYS or self._is_bounded())),
            ("any goes with eventually", self.any_ and word != CheckWord.EVENTUALLY),
            (
                "each and any need after, and exclude each other",
                (self.each or self.any_) and (self.after is None or self.each == self.any_),
            ),
        )

    def _may_count(self) -> bool:
        if self.word is CheckWord.EVENTUALLY:
            return self.most is None
        return self.word in STATE_WORDS or (self.least is None and self.most is None)

    def _counts_well(self) -> bool:
        least, most = self.least, self.most
        return (least is None or least >= 1) and (most is None or most >= (least or 0))

    @property
    def is_state(self) -> bool:
        """Whether it is about a state, which holds between records, rather than an occurrence."""
        return self.word in STATE_WORDS or self.least is not None

    def _is_bounded(self) -> bool:
        return bool(self.from_ or self.by or self.within or self.after or self.until)

    @property
    def word(self) -> CheckWord:
        """The word of the check."""
        return next(word for word in CheckWord if getattr(self, word.value) is not None)

    @property
    def pattern(self) -> RecordPattern:
        """The pattern that the word applies to."""
        found: RecordPattern = getattr(self, self.word.value)
        return found

    def patterns(self) -> tuple[RecordPattern, ...]:
        """Every pattern in the check."""
        return tuple(pattern for pattern in (self.pattern, self.then, self.after, self.until) if pattern is not None)

    @property
    def from_ms(self) -> Ms:
        """Where the scope begins; records like ``after`` count from there on."""
        return span_ms(self.at or self.from_ or "0s")

    @property
    def by_ms(self) -> Ms | None:
        """The latest end of the scope, None if only the attempt ends it."""
        return optional_ms(self.at or self.by)

    @property
    def within_ms(self) -> Ms | None:
        """The length of the scope, None if it is not limited."""
        return optional_ms(self.within)
