"""Predictions at fixed moments of a story or a level. The right answer is what the engine does, not what the author thinks."""

from msgspec import Struct

from simulator.scenarios.grading.patterns import RecordPattern
from simulator.scenarios.grading.spans import check_spans


class Choice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to choose.

    It is right if ``comes`` occurs before those of all other choices; without ``comes``, if none of the others occurs.
    """

    text: str
    comes: RecordPattern | None = None
    why: str = ""


class Ask(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prediction that is asked for at ``at``, before the run continues; the right answer is what the run does within ``within``.

    With ``choices`` one of them is chosen. With ``place`` a flag is placed where such a record will be, and is right
    within ``tolerance``.
    """

    id: str
    at: str
    question: str
    within: str = "60s"
    choices: tuple[Choice, ...] = ()
    place: RecordPattern | None = None
    tolerance: str = "2s"

    def __post_init__(self) -> None:
        check_spans(at=self.at, within=self.within, tolerance=self.tolerance)
        if bool(self.choices) == (self.place is not None):
            raise ValueError("a prediction has either choices or place")
        if self.choices and not 2 <= len(self.choices) <= 8:
            raise ValueError("a prediction has from 2 to 8 choices")
        if sum(choice.comes is None for choice in self.choices) > 1:
            raise ValueError("only one choice can do without comes: that none of the others happens")
