"""Exams as part of progress: their tasks and submissions, and how to merge two states of one exam.

``static/js/levels/exam-union.js`` does the same in the browser; both are tested against ``tests/levels/progress.json``.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

EXAMS_MAX = 5
"""How many exams are kept, newest first."""

Begun = Annotated[str, Meta(pattern=r"\A[1-9][0-9]{0,15}\Z")]
"""When an exam began, in ms since 1970, which identifies it."""
Whole = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Moment = Annotated[int, Meta(ge=0, le=2**53)]
Line = Annotated[str, Meta(max_length=200)]


class MissedCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check that a submission failed: the instant and the record that decided it, and why."""

    at_ms: Whole | None
    seq: Whole
    subject: Line = ""
    reason: Line = ""
    text: Line = ""


class Submission(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result of a task's last submission, and when it was made (ms since 1970; 0 if unknown)."""

    passed: bool
    at: Moment = 0
    report: Annotated[list[MissedCheck], Meta(max_length=3)] = []


class ExamTask(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A task: its level, the run that attempts it and the submitted result."""

    key: Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,80}\Z")]
    title: Line = ""
    run: Annotated[str, Meta(pattern=r"\A/r/[0-9a-f-]{36}/\Z")] | None = None
    result: Submission | None = None


class TakenExam(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An exam. ``ended`` is when it ended (ms since 1970), 0 before that."""

    minutes: Annotated[int, Meta(ge=0, le=1000)]
    tasks: Annotated[list[ExamTask], Meta(min_length=1, max_length=20)]
    ended: Moment = 0


def united_exams(one: Mapping[str, TakenExam], other: Mapping[str, TakenExam]) -> dict[str, TakenExam]:
    """The newest exams of both, merged. The operation is commutative and idempotent."""
    exams = {begun: _united(one.get(begun), other.get(begun)) for begun in {**one, **other}}
    return dict(sorted(exams.items(), key=lambda row: int(row[0]))[-EXAMS_MAX:])


def _united(one: TakenExam | None, other: TakenExam | None) -> TakenExam:
    """Merge two states of an exam: the earlier end counts, and the last submission of each task."""
    if one is None or other is None:
        exam = one or other
        assert exam is not None
        return exam
    if _keys(one) != _keys(other):
        return max(one, other, key=_keys)  # one of them was tampered with
    ended = min((ended for ended in (one.ended, other.ended) if ended), default=0)
    tasks = [max(pair, key=_order) for pair in zip(one.tasks, other.tasks, strict=True)]
    return TakenExam(minutes=one.minutes, ended=ended, tasks=tasks)


def _keys(exam: TakenExam) -> str:
    return f"{exam.minutes:04} {' '.join(task.key for task in exam.tasks)}"


def _order(task: ExamTask) -> tuple[int, bool, bool, str]:
    result = task.result
    rows = [[missed.at_ms, missed.seq, missed.subject, missed.reason, missed.text] for missed in result.report] if result else []
    text = "\n".join((task.run or "", task.title, msgspec.json.encode(rows).decode()))
    return (result.at if result else -1, result is not None and result.passed, task.run is not None, text)
