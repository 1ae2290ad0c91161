"""A track's own page: its stories and levels as a path from an explained example to a level done alone."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from simulator.levels.level import Level
from simulator.levels.track_path import ALONE_STAGE, EXAMPLE, GUIDED, PREDICTION, PathStage, track_path
from simulator.scenarios.story import Story
from simulator.scenarios.tracks import TRACKS
from simulator.web.base.levels import level_paragraphs, level_text, levels_of_track
from simulator.web.base.stories import builtin_stories, named_steps
from simulator.web.run.level_card import level_address

HEADS = {
    EXAMPLE: (gettext_lazy("Explained examples"), gettext_lazy("Stories that say what happens and why.")),
    PREDICTION: (
        gettext_lazy("Predictions"),
        gettext_lazy("Say what happens next before the run shows it. A wrong answer comes up again a day later."),
    ),
    GUIDED: (gettext_lazy("With hints"), gettext_lazy("Levels that you can fail, with hints when you ask for them.")),
    ALONE_STAGE: (gettext_lazy("On your own"), gettext_lazy("Levels without hints and solutions, as in an exam.")),
}


@dataclass(frozen=True)
class PathRow:
    """A story or level of a path. The browser counts a story's ``steps``, or its ``asks``; a level has a ``level_key``."""

    title: str
    brief: str
    minutes: int
    address: str
    level_key: str = ""
    steps: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    story_key: str = ""


@dataclass(frozen=True)
class PathSection:
    """A stage with its heading."""

    kind: str
    title: str
    summary: str
    rows: list[PathRow]


@require_safe
def level_track(request: HttpRequest, track: str) -> HttpResponse:
    """The path of a track."""
    at = next((n for n, each in enumerate(TRACKS) if each.slug == track), None)
    if at is None:
        raise Http404
    stories = [story for story in builtin_stories().values() if story.track == track]
    sections = [_section(stage) for stage in track_path(stories, list(levels_of_track(track)))]
    context = {
        "track": TRACKS[at],
        "sections": [section for section in sections if section.rows],
        "before": TRACKS[at - 1] if at else None,
        "after": TRACKS[at + 1] if at + 1 < len(TRACKS) else None,
    }
    return render(request, "levels/track.html", context)


def _section(stage: PathStage) -> PathSection:
    title, summary = HEADS[stage.kind]
    rows = [_story_row(story, asks=stage.kind == PREDICTION) for story in stage.stories]
    rows += [_level_row(level, alone=stage.kind == ALONE_STAGE) for level in stage.levels]
    return PathSection(stage.kind, str(title), str(summary), rows)


def _story_row(story: Story, *, asks: bool) -> PathRow:
    return PathRow(
        title=_(story.title),
        brief=_(story.summary),
        minutes=story.minutes,
        address=reverse("sim:scenario", args=[story.slug]),
        story_key=story.slug,
        steps=() if asks else tuple(named_steps(story)),
        asks=tuple(f"story:{story.slug}/{ask.id}" for ask in story.asks) if asks else (),
    )


def _level_row(level: Level, *, alone: bool) -> PathRow:
    return PathRow(
        title=level_text(level, level.title),
        brief=next(iter(level_paragraphs(level, level.brief)), ""),
        minutes=level.minutes,
        address=level_address(level.slug) + ("?alone=1" if alone else ""),
        level_key=level.slug,
    )
