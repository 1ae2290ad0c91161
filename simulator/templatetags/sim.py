"""Tags and filters: {% icon %} {% ms %} {% rule %} and inline `code` in translated sentences."""

import re
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html, json_script
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from simulator.engine.acts.offer import Offer
from simulator.engine.projection.text import Text
from simulator.runs import state_notes
from simulator.runs.state_notes import StateNote
from simulator.web import bundles, presenters
from simulator.web.base.caches import SCRIPT_TEXTS
from simulator.web.base.client_keys import new_client_key
from simulator.web.gallery import card_markup
from simulator.web.gallery.gallery import Card
from simulator.web.run import act_markup

register = template.Library()
CODE = re.compile(r"`([^`]+)`")
BESIDE = {
    "sim:new": ("open",),
    "sim:levels": ("daily", "exam", "practice", "own-level", "course", "run-level"),
}
"""Pages that belong to another one although their address is not below it, by the prefixes of their views' names."""
NAME_END = re.compile(r"[-.][^-.]{1,6}$")


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """An icon of the sprite (partials/_icons.html), hidden from screen readers; ``extra`` are more CSS classes."""
    classes = f"icon {extra}".strip()
    return format_html('<svg class="{}" aria-hidden="true"><use href="#icon-{}"/></svg>', classes, name)


@register.simple_tag
def bundle(name: str) -> str:
    """The address of one of the pages' scripts or styles (``run.js``): its bundle or its source."""
    return bundles.url_of(name)


@register.simple_tag
def ms(moment: int | None) -> str:
    """A moment or span in ms as ``0:48.0``; a dash for None."""
    return presenters.clock_text(moment)


@register.simple_tag
def rule(rule_id: str) -> str:
    """The sentence of a rule in the reader's language; the id itself if the registry does not have it."""
    return presenters.rule_sentence(rule_id)


@register.filter
def inline(text: str) -> SafeString:
    """Escaped text in which `words in backticks` become code."""
    return mark_safe(CODE.sub(r"<code>\1</code>", escape(text)))


@register.filter
def name_of(key: str) -> str:
    """The name in the key of a pod, with its number if an earlier pod had the same name: ``default/web-0#2`` →
    ``web-0#2``, as on the lanes."""
    return key.partition("/")[2]


@register.filter
def ending(name: str) -> SafeString:
    """A name in two parts, the first of which is cut if there is no room: the end distinguishes the pods of one owner."""
    found = NAME_END.search(name)
    begin = found.start() if found else len(name)
    return format_html('<span class="cut"><span>{}</span><span>{}</span></span>', name[:begin], name[begin:])


@register.filter
def of_severity(problems: list[dict[str, Any]], severity: str) -> list[dict[str, Any]]:
    """The findings of one severity, in order."""
    return [problem for problem in problems or () if problem["severity"] == severity]


@register.filter
def translated(text: str) -> str:
    """The translation of a text that comes from a file or the database; texts by users are returned unchanged."""
    return presenters.title_text(text)


@register.filter
def note_text(note: StateNote) -> str:
    """The reason for the state of a run or job."""
    return state_notes.note_text(note)


@register.simple_tag(takes_context=True)
def page(context: dict[str, Any], view: str, label: str) -> SafeString:
    """A link to a page, marked if that page or one below it is shown."""
    path, request = reverse(view), context.get("request")
    shown = request.path if request is not None else ""
    here = ""
    if shown == path:
        here = mark_safe(' aria-current="page"')
    elif shown.startswith(path) or _is_beside(view, request):
        here = mark_safe(' aria-current="true"')
    return format_html('<a href="{}"{}>{}</a>', path, here, label)


def _is_beside(view: str, request: Any) -> bool:
    shown = getattr(request, "resolver_match", None)  # an error page has none
    return shown is not None and (shown.url_name or "").startswith(BESIDE.get(view, ()))


@register.filter
def said(text: Text | None) -> str:
    """A text of the engine in the reader's language; empty for None."""
    return presenters.said(text) if text else ""


@register.filter
def level_label(level: str) -> str:
    """A scenario's level in words."""
    return presenters.level_label(level)


@register.simple_tag
def client_key() -> str:
    """A fresh key, so that sending the same form twice does no harm."""
    return new_client_key()


@register.simple_tag(takes_context=True)
def act_form(context: Any, act: Offer, prefix: str = "") -> SafeString:
    """The form of an act; see ``act_markup.act_form``."""
    return act_markup.act_form(act, context, prefix=prefix)


@register.simple_tag(takes_context=True)
def act_refusal(context: Any, act: Offer) -> str:
    """Why an act is not possible; see ``act_markup.act_refusal``."""
    return act_markup.act_refusal(act, context)


@register.simple_tag
def story_card(card: Card) -> SafeString:
    """A card of the gallery."""
    return card_markup.story_card(card)


@register.simple_tag
def js_messages() -> SafeString:
    """The scripts' texts in the reader's language, as JSON data (not a script)."""
    return SCRIPT_TEXTS.of(get_language(), lambda: json_script(presenters.js_messages(), "i18n"))


@register.simple_tag
def t(moment_ms: int | None) -> str:
    """A moment as written in links: seconds with up to three decimals."""
    return presenters.seconds_text(moment_ms or 0)


@register.simple_tag
def remaining(until_ms: int, now_ms: int) -> str:
    """The time left, never below 0."""
    return presenters.clock_text(max(0, until_ms - now_ms))


@register.simple_tag
def span(length_ms: int) -> str:
    """A duration in its shortest precise form: ``850 ms``, ``7.2 s``, ``1 m 20 s``."""
    return presenters.length_text(length_ms)


@register.simple_tag
def signed_span(length_ms: int) -> str:
    """By how much something is later (+) or earlier (−); empty if neither."""
    if not length_ms:
        return ""
    return f"{'+' if length_ms > 0 else '−'}{presenters.length_text(abs(length_ms))}"


@register.simple_tag
def mebibytes(count: int) -> str:
    """Bytes as whole mebibytes, as kubectl writes them."""
    return f"{count // 1_048_576}Mi"
