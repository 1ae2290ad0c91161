"""The list of levels, a level's own page, and starting an attempt."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from simulator.engine.course.header import RunHeader
from simulator.levels.level import Level
from simulator.levels.opening import opening_of
from simulator.levels.reading import BadLevel
from simulator.levels.start import start_of
from simulator.models import Run, SharedLevel
from simulator.runs.log.content import Content
from simulator.runs.permissions import address_hash_of, known_key, owner_key
from simulator.runs.services.errors import ServiceError
from simulator.runs.services.levels import OWN, is_level_owner
from simulator.runs.services.runs import NewRuns, run_begin
from simulator.scenarios.tracks import TRACKS, Track
from simulator.web.base.common import refusal
from simulator.web.base.guards import costly
from simulator.web.base.levels import ALONE, builtin_levels, level_of_key, level_paragraphs, level_text, levels_of_track
from simulator.web.base.stories import builtin_stories
from simulator.web.run.level_card import level_address

OBJECTIVES = {
    "d1": ("CKAD", "Application Design and Build", 20),
    "d2": ("CKAD", "Application Deployment", 20),
    "d3": ("CKAD", "Application Observability and Maintenance", 15),
    "d4": ("CKAD", "Application Environment, Configuration and Security", 25),
    "d5": ("CKAD", "Services and Networking", 20),
    "a1": ("CKA", "Troubleshooting", 30),
    "a2": ("CKA", "Workloads and Scheduling", 15),
    "a3": ("CKA", "Services and Networking", 20),
    "a4": ("CKA", "Storage", 10),
    "a5": ("CKA", "Cluster Architecture, Installation and Configuration", 25),
    "k1": ("KCNA", "Kubernetes Fundamentals", 44),
    "k2": ("KCNA", "Container Orchestration", 28),
    "k3": ("KCNA", "Cloud Native Application Delivery", 16),
}
"""The objectives that levels practise: exam, name and weight in percent, from the CNCF's curricula (CKAD and CKA 1.35, KCNA)."""
RATE = 4000


@dataclass(frozen=True)
class LevelRow:
    """A level in a list."""

    level: Level
    title: str
    brief: str
    objectives: list[str]

    @property
    def address(self) -> str:
        """Its own page."""
        return level_address(self.level.slug)


@dataclass(frozen=True)
class LevelSection:
    """Levels under a heading."""

    title: str
    summary: str
    rows: list[LevelRow]
    track: str = ""


@require_safe
def level_list(request: HttpRequest) -> HttpResponse:
    """All levels, track by track."""
    sections = [LevelSection(_(track.title), _(track.summary), _rows(levels_of_track(track.slug)), track.slug) for track in TRACKS]
    context = {
        "sections": [section for section in sections if section.rows],
        "count": len(builtin_levels()),
        "keeps_progress": settings.SIM_PROGRESS,
        "keep_days": settings.SIM_KEEP_DAYS,
    }
    return render(request, "levels/list.html", context)


@require_safe
def level_exam(request: HttpRequest) -> HttpResponse:
    """All levels by exam objective, with the weight of each objective."""
    sections = []
    for code, (exam, name, weight) in OBJECTIVES.items():
        rows = _rows(level for level in builtin_levels().values() if code in level.objectives)
        sections.append(LevelSection(f"{exam}: {name}", _("%(weight)d %% of the exam") % {"weight": weight}, rows))
    return render(request, "levels/exam.html", {"sections": [section for section in sections if section.rows]})


def _rows(levels: Iterable[Level]) -> list[LevelRow]:
    return [
        LevelRow(
            level,
            level_text(level, level.title),
            next(iter(level_paragraphs(level, level.brief)), ""),
            [f"{OBJECTIVES[code][0]} {OBJECTIVES[code][1]}" for code in level.objectives if code in OBJECTIVES],
        )
        for level in levels
    ]


@require_safe
def level_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """A built-in level before it begins: what it is about and what must hold."""
    return _detail(request, slug)


@require_safe
def own_level_detail(request: HttpRequest, level_id: str) -> HttpResponse:
    """A level written on this site."""
    return _detail(request, OWN + level_id)


def _detail(request: HttpRequest, key: str) -> HttpResponse:
    level = level_or_404(key)
    shared = _edited(request, key) if key.startswith(OWN) else None
    context = {
        "level": level,
        "key": key,
        "title": level_text(level, level.title),
        "brief": level_paragraphs(level, level.brief),
        "checks": [level_text(level, check.text) or check.id for check in level.checks],
        "track": _track(level),
        "story": builtin_stories().get(level.story),
        "is_alone": request.GET.get("alone") == "1" and bool(level.hints),
        "is_own": key.startswith(OWN),
        "is_editor": shared is not None,
        "problems": shared.problems.splitlines() if shared else [],
        "link": request.build_absolute_uri(level_address(key)),
        "keep_days": settings.SIM_KEEP_DAYS,
    }
    return render(request, "levels/detail.html", context)


def _edited(request: HttpRequest, key: str) -> SharedLevel | None:
    """The level if this browser shared it, which entitles it to its file and its problems."""
    shared = SharedLevel.objects.filter(id=key.removeprefix(OWN)).only("owner_hash", "problems").first()
    return shared if shared is not None and is_level_owner(shared, known_key(request)) else None


def _track(level: Level) -> Track | None:
    return next((track for track in TRACKS if track.slug == level.track), None)


@costly("POST")
@require_POST
def level_run(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a built-in level and go to its run, paused at the beginning; with ``alone`` there are no hints and no solution."""
    return _begin(request, slug)


@costly("POST")
@require_POST
def own_level_run(request: HttpRequest, level_id: str) -> HttpResponse:
    """Begin a level written on this site."""
    return _begin(request, OWN + level_id)


def _begin(request: HttpRequest, key: str) -> HttpResponse:
    level = level_or_404(key)
    try:
        taken = ALONE + key if request.POST.get("alone") == "1" else key
        run = level_begin(level, taken, owner=owner_key(request), address=address_hash_of(request))
    except BadLevel as error:
        return refusal(
            request, _("This level cannot be played: %(problems)s") % {"problems": "; ".join(error.problems)}, back=level_address(key)
        )
    except ServiceError as error:
        return refusal(request, str(error), back=level_address(key))
    return redirect("sim:run", run_id=run.id)


def level_begin(level: Level, key: str, *, owner: str, address: str) -> Run:
    """Make an attempt at a level, paused where its first pods are visible. Raises BadLevel and ServiceError."""
    return run_begin(attempts_at(level, key), owner_key=owner, address=address)


def attempts_at(level: Level, key: str) -> NewRuns:
    """The starting point of attempts at a level, whoever makes them. Raises BadLevel.

    Costs a check of its manifests and a play of a second, both once per process. The title is the level's own: pages translate it for each
    reader.
    """
    start = start_of(level, seed=level.seeds[0])
    header: RunHeader = start.header
    story, opening = builtin_stories().get(level.story), opening_of(level, start)
    return NewRuns(
        content=Content(header=header, source=start.source, commands=start.commands, until_ms=start.at_ms),
        title=level.title,
        rate_permille=story.rate if story else RATE,
        paused=True,
        at_ms=opening.at_ms,
        level=key,
        beginning=opening.beginning,
    )


def level_or_404(key: str) -> Level:
    """The level with a key. Raises Http404."""
    level = level_of_key(key)
    if level is None:
        raise Http404
    return level
