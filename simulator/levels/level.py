"""The data model of a level: where it starts, what must hold, and which attempts its author has anticipated. Data, never code."""

from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from simulator.engine.course.header import ScriptStep
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms
from simulator.scenarios.asks import Ask
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.patterns import RecordPattern
from simulator.scenarios.grading.spans import check_spans, span_ms
from simulator.scenarios.story import acts_of

LevelAct = dict[str, Any]
"""An act as written in a level: a command's tag as ``do`` with its fields, and its moment as ``at``."""
Prose = str | tuple[str, ...]
"""A text, or its paragraphs."""


class LevelHint(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hint: given while ``check`` is not kept, once ``when`` has matched a record and as long as ``unless`` has not."""

    text: str
    check: str = ""
    when: RecordPattern | None = None
    unless: RecordPattern | None = None


class Solution(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An attempt that the author has anticipated: right (``pass``), or only seemingly right, with the checks that it must fail."""

    name: str
    expect: Literal["pass", "fail"]
    acts: tuple[LevelAct, ...] = ()
    fails: tuple[str, ...] = ()
    why: str = ""

    def steps(self) -> tuple[ScriptStep, ...]:
        """Its acts in order of time. Raises msgspec.ValidationError or ValueError if one is invalid."""
        return tuple(sorted(acts_of(self.acts), key=lambda step: step.at_ms))


class LevelSource(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Further reading."""

    title: str
    url: str


class Level(
    Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    rename={"checks": "check", "asks": "ask", "hints": "hint", "solutions": "solution"},
):
    """A level as described in its file.

    It starts from a ``story``, from ``manifests`` (YAML) with a ``cluster`` and a ``script`` as ``manage.py simulate`` reads them, or from
    a ``scenario`` (the JSON of a scenario file) at the moment where that ended. ``happens`` are acts that occur in every attempt.
    ``horizon`` is when an attempt ends, ``seeds`` those at which it must pass, ``allow`` the permitted acts (empty: all).
    ``objectives`` are exam objectives (``d3`` of CKAD, ``a1`` of CKA, ``k1`` of KCNA). ``slug`` is the name of a built-in level.
    """

    title: str
    checks: tuple[Check, ...]
    horizon: str
    track: str = ""
    story: str = ""
    manifests: str = ""
    cluster: str = ""
    script: str = ""
    scenario: str = ""
    kubernetes: str = ""
    gates: dict[str, bool] = {}
    jitter: bool = True
    seeds: tuple[int, ...] = (42,)
    allow: tuple[str, ...] = ()
    order: int = 100
    minutes: int = 5
    objectives: tuple[str, ...] = ()
    brief: Prose = ""
    happens: tuple[LevelAct, ...] = ()
    asks: tuple[Ask, ...] = ()
    hints: tuple[LevelHint, ...] = ()
    debrief: Prose = ""
    sources: tuple[LevelSource, ...] = ()
    solutions: tuple[Solution, ...] = ()
    slug: str = ""

    def __post_init__(self) -> None:
        check_spans(horizon=self.horizon)

    @property
    def horizon_ms(self) -> Ms:
        """When an attempt ends."""
        return span_ms(self.horizon)

    def event_steps(self) -> tuple[ScriptStep, ...]:
        """The acts that occur in every attempt. Raises msgspec.ValidationError or ValueError if one is invalid."""
        return tuple(sorted(acts_of(self.happens), key=lambda step: step.at_ms))

    def texts(self) -> Iterator[str]:
        """Every text that a learner may read, in the order of the fields."""
        yield self.title
        yield from paragraphs(self.brief)
        for check in self.checks:
            yield from (text for text in (check.text, check.reason) if text)
        for ask in self.asks:
            yield ask.question
            yield from (text for choice in ask.choices for text in (choice.text, choice.why) if text)
        yield from (hint.text for hint in self.hints)
        yield from paragraphs(self.debrief)
        for solution in self.solutions:
            yield from (text for text in (solution.name, solution.why) if text)


LEVEL: Typed[Level] = Typed(Level)


def paragraphs(prose: Prose) -> tuple[str, ...]:
    """The paragraphs of a text; none if it is empty."""
    return (prose,) if isinstance(prose, str) and prose else tuple(prose)
