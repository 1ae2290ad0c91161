"""What the pupils of a class came to, as files for their teacher: a table, and results.json as CI reads it."""

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
from simulator.models import ClassMember, Classroom, LevelAttempt
from simulator.runs.selectors.class_wall import TriedLevel, levels_sent, members_of, tried_of
from simulator.web.base.levels import level_text, levels_of_keys
from simulator.web.classes.tiles import checks_told
from simulator.web.classes.wall import led

COLUMNS = (
    *("name", "level", "title", "passed", "points", "points_max", "attempts", "failed_attempts"),
    *("acts", "hints", "failed_check", "at_s", "checked_at"),
)
_FORMULAS = ("=", "+", "-", "@")


@dataclass(frozen=True)
class ClassResult:
    """A pupil at a level that the class was sent to; ``tried`` is None where they have checked nothing."""

    member: ClassMember
    key: str
    level: Level | None
    tried: TriedLevel | None

    @property
    def title(self) -> str:
        """The level in words."""
        return level_text(self.level, self.level.title) if self.level else self.key

    @property
    def attempt(self) -> LevelAttempt | None:
        """The attempt that counts: the first that passed, else the newest."""
        return (self.tried.passed or self.tried.newest) if self.tried else None


def class_results(room: Classroom) -> Iterator[ClassResult]:
    """Level by level, pupil by pupil. Five queries at most, however many pupils."""
    members, keys = members_of(room), levels_sent(room)
    levels, tried = levels_of_keys(keys), tried_of(members, since=room.created_at, levels=keys)
    for key in keys:
        for member in members:
            yield ClassResult(member, key, levels.get(key), tried.get((member.owner_hash, key)))


@require_safe
@never_cache
@led
def results_csv(request: HttpRequest, room: Classroom) -> HttpResponse:
    """The results as a table for spreadsheets: UTF-8 with its mark, a header line."""
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(COLUMNS)
    table.writerows(_cells(result) for result in class_results(room))
    return _file(f"\ufeff{out.getvalue()}".encode(), f"class-{room.id}.csv", "text/csv; charset=utf-8")


@require_safe
@never_cache
@led
def results_json(request: HttpRequest, room: Classroom) -> HttpResponse:
    """The results as ``results.json``, version 3: a test for each pupil and level."""
    return _file(msgspec.json.encode(results_of([_test(result) for result in class_results(room)])), "results.json", "application/json")


def _file(body: bytes, name: str, kind: str) -> HttpResponse:
    return HttpResponse(body, content_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def _cells(result: ClassResult) -> list[object]:
    name, title, attempt, tried = _plain(result.member.name), _plain(result.title), result.attempt, result.tried
    if attempt is None or tried is None:
        return [name, result.key, title, "", "", "", 0, 0, "", "", "", "", ""]
    at_s = "" if attempt.at_ms is None else attempt.at_ms / 1000
    worth = [int(attempt.passed), attempt.points, attempt.points_max, tried.count, tried.failed, attempt.acts, attempt.hints]
    return [name, result.key, title, *worth, attempt.failed, at_s, attempt.created_at.isoformat(timespec="seconds")]


def _plain(text: str) -> str:
    """The text so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _test(result: ClassResult) -> TestRow:
    name, attempt = f"{result.member.name} · {result.title}", result.attempt
    if attempt is None:
        return TestRow(name=name, status="error", message="not checked")
    if attempt.passed:
        return TestRow(name=name, status="pass")
    reason = next((check.reason for check in checks_told(attempt) if check.id == attempt.failed), "")
    return TestRow(name=name, status="fail", message=f"{attempt.failed}: {reason}".strip(": ") or "not this way")
