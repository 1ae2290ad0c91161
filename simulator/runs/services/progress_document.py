"""A learner's progress in levels, predictions and stories as one JSON document, and how to merge two of them.

``static/js/levels/union.js`` does the same in the browser; both are tested against ``tests/levels/progress.json``.
"""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from simulator.engine.kernel.json_text import TooDeep
from simulator.engine.kernel.typed import Typed
from simulator.runs.services.exam_document import EXAMS_MAX, Begun, TakenExam, united_exams

DAY_MS = 86_400_000
SPACING = (1, 3, 7, 21)
"""Days until a prediction comes back, by the number of right answers in a row."""
BYTES_MAX = 131_072
"""The largest document that is accepted or stored, in bytes of JSON."""
ENTRIES_MAX = 1000

Key = Annotated[str, Meta(min_length=1, max_length=120)]
Count = Annotated[int, Meta(ge=0, le=1_000_000)]
Day = Annotated[str, Meta(pattern=r"\A\d{4}-\d{2}-\d{2}\Z")]
Home = Annotated[str, Meta(max_length=200, pattern=r"\A(/[A-Za-z0-9~_-]+)+/\Z")]
StepName = Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,40}\Z")]


class BadProgress(ValueError):
    """The document is invalid; the text says why."""


class DoneLevel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A level: the day on which it was first passed, the fewest acts it took, and how often it was tried."""

    passed: Day | None = None
    acts: Count | None = None
    tries: Count = 0


class AnsweredAsk(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A prediction: right answers in a row, when it comes back (ms since 1970), its question, and the page it belongs to."""

    right: Count
    due: Annotated[int, Meta(ge=0, le=2**53)]
    text: Annotated[str, Meta(max_length=600)] = ""
    home: Home | None = None

    @property
    def answered_ms(self) -> int:
        """When it was last answered, derived from when it comes back."""
        return self.due - SPACING[min(max(self.right, 1), len(SPACING)) - 1] * DAY_MS


class Progress(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Levels by key, predictions by level or story and id, finished steps by story, and the newest exams by start time."""

    levels: Annotated[dict[Key, DoneLevel], Meta(max_length=ENTRIES_MAX)] = {}
    asks: Annotated[dict[Key, AnsweredAsk], Meta(max_length=ENTRIES_MAX)] = {}
    stories: Annotated[dict[Key, Annotated[list[StepName], Meta(max_length=100)]], Meta(max_length=ENTRIES_MAX)] = {}
    exams: Annotated[dict[Begun, TakenExam], Meta(max_length=EXAMS_MAX)] = {}


PROGRESS: Typed[Progress] = Typed(Progress)


def read_progress(text: str) -> Progress:
    """Parse an untrusted document. Raises BadProgress."""
    if len(text.encode("utf-8", "surrogatepass")) > BYTES_MAX:
        raise BadProgress(f"more than {BYTES_MAX} bytes")
    try:
        return PROGRESS.from_outside(text)
    except (msgspec.MsgspecError, TooDeep, UnicodeError, RecursionError) as error:
        raise BadProgress(_brief(str(error))) from None


def _brief(text: str) -> str:
    """Shorten an error message and drop whatever the sender put into it."""
    return re.sub(r"[^\x20-\x7e]+", " ", text)[:200]


def progress_text(progress: Progress) -> str:
    """The document as it is stored."""
    return msgspec.json.encode(progress, order="sorted").decode()


def united(one: Progress, other: Progress) -> Progress:
    """Merge two documents. The operation is commutative and idempotent."""
    return Progress(
        levels={
            key: _united_level(one.levels.get(key, DoneLevel()), other.levels.get(key, DoneLevel()))
            for key in {**one.levels, **other.levels}
        },
        asks={
            key: max((ask for ask in (one.asks.get(key), other.asks.get(key)) if ask), key=_recent) for key in {**one.asks, **other.asks}
        },
        stories={
            key: sorted({*one.stories.get(key, ()), *other.stories.get(key, ())}) for key in {**one.stories, **other.stories}
        },
        exams=united_exams(one.exams, other.exams),
    )  # fmt: skip


def _united_level(one: DoneLevel, other: DoneLevel) -> DoneLevel:
    """Merge two entries: the earlier day, the fewer acts, and the larger number of tries, as those of two browsers may overlap."""
    return DoneLevel(
        passed=min((day for day in (one.passed, other.passed) if day), default=None),
        acts=min((acts for acts in (one.acts, other.acts) if acts is not None), default=None),
        tries=max(one.tries, other.tries),
    )


def _recent(ask: AnsweredAsk) -> tuple[int, int, str, str]:
    """Sort key: the latest answer counts; of two at the same moment the wrong one, so that the prediction comes back sooner."""
    return ask.answered_ms, -ask.right, ask.text, ask.home or ""
