"""Cards of the gallery, rendered once: a template takes a hundred times as long as finding what it gave before."""

from collections.abc import Hashable

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from simulator.web.gallery.gallery import Card

CARDS_MAX = 400


def story_card(card: Card) -> SafeString:
    """A card of the gallery."""
    story = card.scenario
    texts = (story.slug, story.title, story.summary, story.level, story.minutes)
    facts = (get_language(), texts, card.number, tuple(card.tags), tuple(card.steps), card.picture)
    known = _cards.get(facts)
    if known is None:
        if len(_cards) >= CARDS_MAX:
            _cards.clear()
        known = _cards[facts] = render_to_string("scenarios/partials/_card.html", {"card": card})
    return known


_cards: dict[Hashable, SafeString] = {}
