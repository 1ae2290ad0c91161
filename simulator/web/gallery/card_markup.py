"""Cached cards of the gallery: rendering the template takes a hundred times as long as a lookup."""

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from simulator.web.base.caches import CARDS
from simulator.web.gallery.gallery import Card


def story_card(card: Card) -> SafeString:
    """A card of the gallery."""
    story = card.scenario
    texts = (story.slug, story.title, story.summary, story.level, story.minutes)
    facts = (get_language(), texts, card.number, tuple(card.tags), tuple(card.steps), card.picture)
    return CARDS.of(facts, lambda: render_to_string("scenarios/partials/_card.html", {"card": card}))
