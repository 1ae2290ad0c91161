"""Exams as a part of progress: their tasks with what was submitted, and how two states of one exam become one.

``static/js/levels/exam-union.js`` does the same in the browser; both are held to ``tests/levels/progress.json``.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

EXAMS_MAX = 5
"""So many exams are kept, the latest ones."""

Begun = Annotated[str, Meta(pattern=r"\A[1-9][0-9]{0,15}\Z")]
"""When an exam was begun, in ms since 1970: that is its name."""
Whole = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Moment = Annotated[int, Meta(ge=0, le=2**53)]
Line = Annotated[str, Meta(max_length=200)]


class MissedCheck(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A check that a submission did not keep: the instant and the record that decided it, and why."""

    at_ms: Whole | None
    seq: Whole
    subject: Line = ""
    reason: Line = ""
    text: Line = ""


class Submission(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a task's last submission came to, and when it was made (ms since 1970; 0 where that is not known)."""

    passed: bool
    at: Moment = 0
    report: Annotated[list[MissedCheck], Meta(max_length=3)] = []


class ExamTask(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A task: its level, the run that attempts it and what was submitted."""

    key: Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,80}\Z")]
    title: Line = ""
    run: Annotated[str, Meta(pattern=r"\A/r/[0-9a-f-]{36}/\Z")] | None = None
    result: Submission | None = None


class TakenExam(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An exam. ``ended`` is the moment (ms since 1970) at which it was ended, 0 before that."""

    minutes: Annotated[int, Meta(ge=0, le=1000)]
    tasks: Annotated[list[ExamTask], Meta(min_length=1, max_length=20)]
    ended: Moment = 0


def united_exams(one: Mapping[str, TakenExam], other: Mapping[str, TakenExam]) -> dict[str, TakenExam]:
    """The latest exams of both. Neither the order of the two nor how often they are united makes a difference."""
    exams = {begun: _united(one.get(begun), other.get(begun)) for begun in {**one, **other}}
    return dict(sorted(exams.items(), key=lambda row: int(row[0]))[-EXAMS_MAX:])


def _united(one: TakenExam | None, other: TakenExam | None) -> TakenExam:
    """It ended when it ended first, and of a task what was submitted last counts."""
    if one is None or other is None:
        exam = one or other
        assert exam is not None
        return exam
    if _keys(one) != _keys(other):
        return max(one, other, key=_keys)  # one of them was meddled with
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
