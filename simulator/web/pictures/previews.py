"""Link previews of a page: title, description and a picture, for ``og:`` and ``twitter:`` tags.

Chats fetch a page and its picture without cookies, so the language is part of the picture's URL.
"""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import get_language, gettext

from simulator.engine.projection.lanes import active_ms, chosen, lanes_of
from simulator.models import Run, Scenario
from simulator.runs.log import timemachine
from simulator.scenarios.play import play
from simulator.web.base.common import Moment
from simulator.web.base.stories import builtin_story
from simulator.web.pictures.card import ROWS_MAX, PreviewCard
from simulator.web.presenters import clock_text

RECORDS_MAX = 20_000
"""The most records used for a card; about 0.1 s."""
_LOCALES = {"en": "en_US", "zh-hans": "zh_CN", "zh-hant": "zh_TW"}


@dataclass(frozen=True)
class PagePreview:
    """Absolute URLs, and the texts next to the picture. ``oembed`` tells other sites how to show the page in a frame, if possible."""

    title: str
    description: str
    url: str
    image: str
    locale: str
    oembed: str = ""


def preview_of(request: HttpRequest, *, title: str, description: str, path: str, image: str) -> PagePreview:
    """The preview of the page at ``path`` with the card at ``image``, both without the host."""
    language = get_language() or ""
    spoken = f"{image}{'&' if '?' in image else '?'}lang={language}" if language in _LOCALES else image
    return PagePreview(
        title, description, request.build_absolute_uri(path), request.build_absolute_uri(spoken), _LOCALES.get(language, "en_US")
    )


def run_preview(request: HttpRequest, run: Run, moment: Moment, shown_ms: int, share_id: str = "") -> PagePreview:
    """The preview of a run or of a link to it, at the moment in the URL."""
    page, card = ("sim:share", "sim:share-card") if share_id else ("sim:run", "sim:run-card")
    key, query = share_id or run.id, moment.query()
    title, at = gettext(run.title) if run.title else run.title, clock_text(shown_ms)
    description = gettext("%(title)s at %(at)s: a simulated Kubernetes cluster. Scrub back, act, ask why.") % {"title": title, "at": at}
    found = preview_of(
        request, title=title, description=description, path=reverse(page, args=[key]) + query, image=reverse(card, args=[key]) + query
    )
    if not share_id:
        return found
    return replace(found, oembed=request.build_absolute_uri(f"{reverse('sim:oembed')}?{urlencode({'url': found.url})}"))


def run_card(run: Run, moment: Moment) -> PreviewCard:
    """The card of a run at a moment, from its stored records. O(records), at most RECORDS_MAX of them."""
    records = timemachine.log(run, after=0, limit=min(run.head_seq, RECORDS_MAX))
    until_ms = records[-1].at_ms if run.head_seq > RECORDS_MAX else max(run.head_ms, run.base_ms if run.is_frozen else 0)
    at_ms = until_ms if moment.t_ms is None else min(moment.t_ms, until_ms)
    lanes = lanes_of(records, until_ms=until_ms)
    shown = chosen(lanes, limit=ROWS_MAX, about=moment.sel)
    end_ms = max(active_ms(shown, until_ms=until_ms), at_ms, 1000)
    return PreviewCard(gettext(run.title) if run.title else "Podscope", f"Kubernetes {run.header().kubernetes}", shown, end_ms, at_ms)


def story_card(scenario: Scenario) -> PreviewCard:
    """The card of a scenario: what happens in it, including the acts proposed by a built-in story."""
    story = builtin_story(scenario)
    records, until_ms = play(story) if story else ([], 0)
    shown = chosen(lanes_of(records, until_ms=until_ms), limit=ROWS_MAX)
    return PreviewCard(gettext(scenario.title), f"Kubernetes {scenario.kubernetes}", shown, active_ms(shown, until_ms=max(until_ms, 1000)))
