"""The gallery: scenarios by track, full-text search, and tags.

Pictures come from real runs, so the first page of a process has to play every story; ``draw_pictures`` does that
at the start of a process from which others are forked.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext, override

from simulator.models import Scenario
from simulator.runs.log.content import decode_content
from simulator.scenarios.tracks import TRACKS, Track
from simulator.web.base.caches import SEARCHED
from simulator.web.base.stories import StoryText, builtin_stories, builtin_story, place_in_track, story_text
from simulator.web.pictures.thumbnail import Thumbnail, thumbnail_of


@dataclass(frozen=True)
class Card:
    """A scenario with its picture; ``steps`` are the names of its steps, with which the browser counts the finished ones.

    ``number`` is its place in its track, 0 for users' scenarios.
    """

    scenario: Scenario
    number: int
    tags: list[str]
    steps: list[str]
    picture: Thumbnail | None


@dataclass(frozen=True)
class Section:
    """A track with its visible scenarios, in order. ``track`` None: users' scenarios."""

    track: Track | None
    cards: list[Card]


def draw_pictures() -> None:
    """Play every built-in story for its picture, which takes about a second. For the start of a process that others are forked from."""
    pictures_of(list(builtin_stories()))


def pictures_of(slugs: Sequence[str]) -> dict[str, Thumbnail]:
    """The pictures of built-in stories, drawn if this process does not have them yet."""
    return {slug: thumbnail_of(builtin_stories()[slug]) for slug in slugs}


def sections(scenarios: Iterable[Scenario]) -> list[Section]:
    """The scenarios by track, without empty tracks. Costs their pictures."""
    place = {slug: n for n, slug in enumerate(builtin_stories())}
    rows = sorted(scenarios, key=lambda scenario: place.get(scenario.slug, len(place)))
    cards: dict[str, list[Card]] = {}
    for scenario in rows:
        story = builtin_story(scenario)
        cards.setdefault(story.track if story else "", []).append(_card(scenario))
    found = [Section(track, cards[track.slug]) for track in TRACKS if track.slug in cards]
    return [*found, Section(None, cards[""])] if "" in cards else found


def _card(scenario: Scenario) -> Card:
    story = builtin_story(scenario)
    text = story_text(scenario)
    steps = [step.name for step in (*text.tries, *text.watch)]
    return Card(scenario, place_in_track(story) if story else 0, in_order(scenario.tags), steps, thumbnail_of(story) if story else None)


def in_order(tags: Iterable[str]) -> list[str]:
    """Tags in alphabetical order, ignoring case, with numbers last."""
    return sorted(tags, key=lambda tag: (tag[:1].isdigit(), tag.casefold()))


def counted(scenarios: Iterable[Scenario]) -> list[tuple[str, int]]:
    """Every tag with its number of scenarios, in order."""
    counts = Counter(tag for scenario in scenarios for tag in scenario.tags)
    return [(tag, counts[tag]) for tag in in_order(counts)]


def matching(scenarios: Sequence[Scenario], query: str) -> list[Scenario]:
    """The scenarios that contain every word of ``query``: in title or text (any language), tags, states, reasons, or manifest fields."""
    words = query.casefold().split()
    return [scenario for scenario in scenarios if all(word in _haystack(scenario) for word in words)]


def _haystack(scenario: Scenario) -> str:
    story = builtin_story(scenario)
    words = thumbnail_of(story).words if story else ()
    facts = (scenario.slug, scenario.body, words, tuple(_sentences(scenario, story_text(scenario))))
    return SEARCHED.of(facts, lambda: _searched(*facts))


def _searched(slug: str, body: str, words: tuple[str, ...], sentences: tuple[str, ...]) -> str:
    """All searchable text, case-folded."""
    parts = [slug, decode_content(body).source.manifests, *words]
    # All languages at once, since a Chinese reader may search for an English word.
    for language, _name in settings.LANGUAGES:
        with override(language):
            parts += [gettext(sentence) for sentence in sentences if sentence]
    return "\n".join(parts).casefold()


def _sentences(scenario: Scenario, text: StoryText) -> Iterable[str]:
    yield from (scenario.title, scenario.summary, text.docs_title, *scenario.tags, *text.about)
    yield from (step.text for step in (*text.tries, *text.watch))
    if text.track:
        yield text.track.title
