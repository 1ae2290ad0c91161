"""The results of a class's pupils as files for their teacher: a table, and results.json for CI."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from simulator.levels.level import Level
from simulator.levels.results import TestRow, results_of
from simulator.levels.words import clock
from simulator.models import ClassMember, Classroom, LevelAttempt
from simulator.runs.selectors.class_wall import TriedLevel, levels_sent, members_of, tried_of, votes_of
from simulator.web.base.levels import level_text, levels_of_keys
from simulator.web.classes.wall import led

COLUMNS = (
    *("name", "level", "title", "passed", "points", "points_max", "attempts", "failed_attempts"),
    *("acts", "hints", "failed_check", "at_s", "checked_at"),
    *("question", "round", "answer", "answer_right"),
)
"""A row is a pupil at a level, or a pupil's vote in a round of a question; the columns of the other kind are then empty."""
_VOTE_COLUMNS = 4
_FORMULAS = ("=", "+", "-", "@")


@dataclass(frozen=True)
class ClassResult:
    """A pupil at a level that the class was sent to; ``tried`` is None if they have not checked anything."""

    member: ClassMember
    key: str
    level: Level | None
    tried: TriedLevel | None

    @property
    def title(self) -> str:
        """The level's title."""
        return level_text(self.level, self.level.title) if self.level else self.key

    @property
    def attempt(self) -> LevelAttempt | None:
        """The attempt that counts: the first that passed, otherwise the newest."""
        return (self.tried.passed or self.tried.newest) if self.tried else None


@dataclass(frozen=True)
class VoteResult:
    """A pupil's answer in a round of a question to the class; "" if they did not vote.

    ``is_right`` is None if the teacher has not marked a right answer, or there was no answer.
    """

    member: ClassMember
    question: str
    round: int
    answer: str
    is_right: bool | None = None


def class_votes(room: Classroom) -> Iterator[VoteResult]:
    """The votes question by question, round by round, pupil by pupil. Three queries."""
    members, (asks, votes) = members_of(room), votes_of(room)
    for ask in asks:
        for n in range(1, ask.round + 1):
            for member in members:
                choice = votes.get((ask.id, n, member.id))
                answer = ask.choices[choice] if choice is not None and choice < len(ask.choices) else ""
                yield VoteResult(member, ask.question, n, answer, None if ask.right is None or not answer else choice == ask.right)


def class_results(room: Classroom) -> Iterator[ClassResult]:
    """The results level by level, pupil by pupil. At most five queries, regardless of the number of pupils."""
    members, keys = members_of(room), levels_sent(room)
    levels, tried = levels_of_keys(keys), tried_of(members, since=room.created_at, levels=keys)
    for key in keys:
        for member in members:
            yield ClassResult(member, key, levels.get(key), tried.get((member.owner_hash, key)))


@require_safe
@never_cache
@led
def results_csv(request: HttpRequest, room: Classroom) -> HttpResponse:
    """The results as a table for spreadsheets: UTF-8 with a byte order mark, and a header line."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    table.writerows([*_cells(result), *[""] * _VOTE_COLUMNS] for result in class_results(room))
    table.writerows(_vote_cells(vote) for vote in class_votes(room))
    return _file(f"\ufeff{out.getvalue()}".encode(), f"class-{room.id}.csv", "text/csv; charset=utf-8")


@require_safe
@never_cache
@led
def results_json(request: HttpRequest, room: Classroom) -> HttpResponse:
    """The results as ``results.json``, version 3: a test for each pupil and level, and for each pupil and round of a question."""
    tests = [*(_test(result) for result in class_results(room)), *(_vote_test(vote) for vote in class_votes(room))]
    return _file(msgspec.json.encode(results_of(tests)), "results.json", "application/json")


def _file(body: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(body, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _cells(result: ClassResult) -> list[object]:
    name, title, attempt, tried = _plain(result.member.name), _plain(result.title), result.attempt, result.tried
    if attempt is None or tried is None:
        return [name, result.key, title, "", "", "", 0, 0, "", "", "", "", ""]
    at_s = "" if attempt.at_ms is None else attempt.at_ms / 1000
    worth = [int(attempt.passed), attempt.points, attempt.points_max, tried.count, tried.failed, attempt.acts, attempt.hints]
    return [name, result.key, title, *worth, attempt.failed, at_s, attempt.created_at.isoformat(timespec="seconds")]


def _vote_cells(vote: VoteResult) -> list[object]:
    before = len(COLUMNS) - _VOTE_COLUMNS - 1
    return [
        _plain(vote.member.name),
        *[""] * before,
        _plain(vote.question),
        vote.round,
        _plain(vote.answer),
        "" if vote.is_right is None else int(vote.is_right),
    ]


def _plain(text: str) -> str:
    """The text, escaped so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _test(result: ClassResult) -> TestRow:
    name, attempt = f"{result.member.name} · {result.title}", result.attempt
    if attempt is None:
        return TestRow(name=name, status="error", message="not checked")
    if attempt.passed:
        return TestRow(name=name, status="pass")
    at = "" if attempt.at_ms is None else f"{clock(attempt.at_ms)} "
    level = result.level
    text = next((level_text(level, check.text) for check in level.checks if check.id == attempt.failed), "") if level else ""
    return TestRow(name=name, status="fail", message=f"{attempt.failed}: {at}{text}".strip(": ") or "not this way")


def _vote_test(vote: VoteResult) -> TestRow:
    """Version 3 has only pass, fail and error: a vote passes unless it is known to be wrong; a missing vote is an error."""
    name = f"{vote.member.name} · {vote.question} · {vote.round}"
    if vote.is_right is False:
        return TestRow(name=name, status="fail", message="another answer is right", output=vote.answer)
    return TestRow(name=name, status="pass", output=vote.answer) if vote.answer else TestRow(name=name, status="error", message="no vote")
