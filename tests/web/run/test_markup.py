"""Cached markup equals freshly rendered markup, with the parts that belong to the page that shows it."""

from types import SimpleNamespace
from uuid import UUID

import msgspec
import pytest
from django.template.loader import render_to_string
from django.utils.translation import override

from simulator.engine.acts.offer import Button, Input, Offer
from simulator.engine.projection.text import Text
from simulator.models import Scenario
from simulator.web.base.caches import CARDS, FORMS
from simulator.web.gallery import card_markup
from simulator.web.gallery.gallery import Card
from simulator.web.run import act_markup

OFFER = Offer(
    key="delete default/web",
    place="pod",
    buttons=(Button(Text("Delete pod")),),
    given={"target": "default/web"},
    inputs=(Input(name="grace", label=Text("grace period"), value=30, minimum=0, maximum=100),),
    kubectl="kubectl delete pod web --grace-period={grace}",
    do="delete_pod",
    icon="trash",
)


def context(run=1, **fields):
    values = {"run": SimpleNamespace(id=UUID(int=run)), "at_seq": 7, "at_ms": 1500, "sel": "pod/default/web", "csrf_token": "token"}
    return values | fields


@pytest.fixture(autouse=True)
def _one_key(monkeypatch):
    monkeypatch.setattr(act_markup, "new_client_key", lambda: "a key")


@pytest.mark.parametrize("fields", [{}, {"run": 2}, {"at_seq": "", "at_ms": ""}, {"sel": '"><script>'}, {"csrf_token": "another"}])
@pytest.mark.parametrize("prefix", ["", "menu-"])
def test_form_that_was_kept_is_the_one_that_the_template_gives(fields, prefix):
    page = context(**fields)
    act_markup.act_form(OFFER, context(run=3, sel="else"), prefix=prefix)
    rendered = render_to_string("runs/partials/_act.html", {"act": OFFER, "prefix": prefix, "client_key": "a key", **page})
    assert act_markup.act_form(OFFER, page, prefix=prefix) == rendered


def test_form_speaks_the_readers_language():
    forms = []
    for language in ("en", "zh-hans", "en"):
        with override(language):
            forms.append(act_markup.act_form(OFFER, context()))
    assert forms[0] == forms[2] != forms[1]


def test_each_form_has_a_key_of_its_own(monkeypatch):
    keys = iter(["one", "two"])
    monkeypatch.setattr(act_markup, "new_client_key", lambda: next(keys))
    assert ['value="one"' in act_markup.act_form(OFFER, context()), 'value="two"' in act_markup.act_form(OFFER, context())] == [True, True]


def test_what_is_put_in_is_not_looked_through_for_gaps():
    sent = f"{act_markup._GAP}csrf_token-"
    assert f'name="sel" value="{sent}"' in act_markup.act_form(OFFER, context(sel=sent))


def card(**fields):
    values = {"slug": "one", "title": "Hello, pod", "summary": "A summary.", "level": "basic", "minutes": 3}
    return Card(Scenario(**values | fields), 1, ["probes"], ["start"], None)


def test_card_whose_texts_change_is_rendered_anew():
    assert "A summary." in card_markup.story_card(card())
    assert "Another one." in card_markup.story_card(card(summary="Another one."))


def test_card_speaks_the_readers_language():
    with override("en"):
        english = card_markup.story_card(card())
    with override("zh-hans"):
        assert card_markup.story_card(card()) != english


def test_cards_are_not_kept_without_end(monkeypatch):
    monkeypatch.setattr(CARDS, "most", 2)
    for number in range(5):
        card_markup.story_card(card(title=f"Card {number}"))
    assert len(CARDS) <= 2


def test_form_that_lists_much_is_not_kept():
    large = msgspec.structs.replace(OFFER, kubectl="x" * act_markup.FACTS_BYTES_MAX)
    before = len(FORMS)
    form = act_markup.act_form(large, context())
    assert "x" * act_markup.FACTS_BYTES_MAX in form
    assert len(FORMS) == before
