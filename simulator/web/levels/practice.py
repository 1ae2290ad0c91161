"""Generated practice: find the fault, the task of the day, and an exam."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from simulator.engine.kernel.bounded import whole_number
from simulator.levels.practice import FAULTS_MAX, SEED_MAX
from simulator.levels.reading import BadLevel
from simulator.runs.permissions import address_hash_of, owner_key
from simulator.runs.services.errors import ServiceError
from simulator.web.base.common import refusal
from simulator.web.base.guards import costly
from simulator.web.base.levels import EXAM, PRACTICE, builtin_levels, level_of_key, level_text
from simulator.web.levels.level_pages import OBJECTIVES, level_begin

CALENDAR_DAYS = 35
EXAM_TASKS = (5, 10, 15)
EXAM_MINUTES_EACH = 6


@require_safe
def practice_page(request: HttpRequest) -> HttpResponse:
    """The page to request a generated task: with one fault or several, random or with a number that others can enter as well."""
    return render(request, "levels/practice.html", {"counts": range(1, FAULTS_MAX + 1)})


@costly("POST")
@require_POST
def practice_run(request: HttpRequest) -> HttpResponse:
    """Begin a generated task."""
    count = whole_number(request.POST.get("count", "1"), most=FAULTS_MAX) or 1
    typed = request.POST.get("seed", "").strip()
    seed = whole_number(typed, most=SEED_MAX) if typed else secrets.randbelow(1_000_000)
    if seed is None:
        return refusal(request, _("The number of a task is a whole number up to %(most)d.") % {"most": SEED_MAX}, back="/practice/")
    return _begin(request, f"{PRACTICE}{count}-{seed}", back="/practice/")


@require_safe
@never_cache
def daily(request: HttpRequest) -> HttpResponse:
    """Today's task, the same for everybody, with a calendar of what this browser has done."""
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=back) for back in range(CALENDAR_DAYS - 1, -1, -1)]
    return render(request, "levels/daily.html", {"today": today.isoformat(), "days": [day.isoformat() for day in days]})


@costly("POST")
@require_POST
def daily_run(request: HttpRequest) -> HttpResponse:
    """Begin today's task."""
    return _begin(request, f"{PRACTICE}d{datetime.now(UTC).date().isoformat()}", back="/daily/")


@require_safe
def exam(request: HttpRequest) -> HttpResponse:
    """An exam: a number of levels, a clock, no hints, and a report at the end. It is stored in the browser."""
    levels = [
        {"key": level.slug, "title": level_text(level, level.title), "exams": _exams(level.objectives)}
        for level in builtin_levels().values()
    ]
    return render(request, "levels/exam_mode.html", {"levels": levels, "sizes": EXAM_TASKS, "minutes_each": EXAM_MINUTES_EACH})


def _exams(objectives: Sequence[str]) -> list[str]:
    return sorted({OBJECTIVES[code][0] for code in objectives if code in OBJECTIVES})


@costly("POST")
@require_POST
def exam_run(request: HttpRequest) -> HttpResponse:
    """Begin a task of an exam."""
    return _begin(request, EXAM + request.POST.get("key", "")[:60], back="/exam/")


def _begin(request: HttpRequest, key: str, *, back: str) -> HttpResponse:
    level = level_of_key(key)
    if level is None:
        return refusal(request, _("There is no such level."), status=404, back=back)
    try:
        run = level_begin(level, key, owner=owner_key(request), address=address_hash_of(request))
    except BadLevel as error:
        return refusal(request, "; ".join(error.problems), back=back)
    except ServiceError as error:
        return refusal(request, str(error), back=back)
    return redirect("sim:run", run_id=run.id)
